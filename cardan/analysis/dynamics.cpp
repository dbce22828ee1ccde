#include "cardan/analysis/dynamics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "cardan/analysis/recorder.h"
#include "cardan/analysis/works.h"
#include "cardan/formulation/formulation.h"
#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"

namespace cardan {

namespace {

constexpr double near_singular = 1e-8;  // weakest pivot ratio that counts as the cause of a failure
constexpr double most_outputs = 2e7;

std::vector<double> output_times(double from, double until, double step) {
  const double span = until - from;
  if (step == 0) step = std::abs(span) / 200;
  std::vector<double> times{from};
  const auto count = static_cast<long>(std::floor(std::abs(span) / step * (1 + 1e-12)));
  for (long k = 1; k <= count; ++k)
    times.push_back(from + std::copysign(step, span) * static_cast<double>(k));
  if (span != 0 && std::abs(times.back() - until) <= 1e-9 * step)
    times.back() = until;
  else if (span != 0)
    times.push_back(until);
  return times;
}

class Run {
 public:
  Run(const DynamicRun& task, State& state)
      : task_(task),
        state_(state),
        recorder_(task.system, task.channels),
        row_(recorder_.channels().size()),
        start_(Clock::now()),
        cpu_(std::clock()) {}

  Summary go() {
    summary_.analysis = "dynamic";
    summary_.dof = task_.mobility.dof;
    summary_.redundant = static_cast<int>(task_.mobility.redundant.size());
    summary_.formulation = task_.options.formulation;
    summary_.integrator = task_.options.integrator;
    if (prepare()) integrate();
    finish();
    return std::move(summary_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void fail(Diagnostic d) {
    summary_.status = "failed";
    if (d.where.file == nullptr) d.where = task_.options.where;
    summary_.diagnostics.push_back(std::move(d));
  }

  bool prepare() {
    const DynamicOptions& o = task_.options;
    if (o.output_step > 0 && std::abs(o.until - state_.t) / o.output_step > most_outputs) {
      Diagnostic d;
      d.id = "limit.steps";
      d.found = fmt::format("{:.3g} output points", std::abs(o.until - state_.t) / o.output_step);
      d.expected = fmt::format("at most {:.3g}", most_outputs);
      fail(std::move(d));
      return false;
    }
    options_ = o;
    if (options_.formulation == "auto") options_.formulation = "projected";
    if (options_.integrator == "auto") options_.integrator = "ode45";
    auto formulation = make_formulation({task_.system, task_.mobility.active, options_});
    if (!formulation) return fail(formulation.why().front()), false;
    formulation_ = std::move(formulation).value();
    summary_.formulation = formulation_->name();
    if (!prepare_integrator()) return false;
    if (auto fault = task_.sink.open(recorder_.channels())) return fail(*fault), false;
    return begin();
  }

  bool prepare_integrator() {
    const DynamicOptions& o = options_;
    std::unique_ptr<Method> method = formulation_->own_method(o);
    if (method == nullptr) {
      MethodOptions method_options;
      method_options.order = o.order;
      method_options.step = o.step;
      auto made = make_method(o.integrator, method_options, *formulation_);
      if (!made) return fail(made.why().front()), false;
      method = std::move(made).value();
    }
    summary_.integrator = method->traits().name;
    if (!method->traits().adaptive && o.step == 0) {
      Diagnostic d;
      d.id = "model.missing-key";
      d.found = fmt::format("integrator \"{}\" without a step", summary_.integrator);
      d.expected = "step = ..., since its step is fixed";
      return fail(std::move(d)), false;
    }
    IntegratorOptions options;
    options.step = o.step;
    options.max_step = o.max_step;
    options.max_steps = o.max_steps;
    integrator_ =
        std::make_unique<Integrator>(std::move(method), formulation_->tolerance(o), options);
    integrator_->output_at(output_times(state_.t, o.until, o.output_step));
    integrator_->on_output = [this](double t, CView y) {
      return output(t, y);
    };
    integrator_->on_step = [this](const StepRecord& record) {
      return step(record);
    };
    return true;
  }

  bool begin() {
    state_.z.resize(energy_states, 0.0);
    from_ = state_.t;
    y_.resize(static_cast<std::size_t>(formulation_->size()));
    formulation_->parametrize(state_, y_);
    formulation_->events.clear();
    integrator_->set_tolerance(formulation_->tolerance(options_));
    if (!formulation_->carries_works())
      works_ = std::make_unique<Works>(*formulation_, *integrator_, state_);
    if (!task_.resume.empty()) return go_on_from_checkpoint();
    if (integrator_->start(state_.t, y_) == Eval::ok && (!works_ || works_->start(state_)))
      return true;
    Diagnostic d;
    d.id = "numeric.not-finite";
    d.found = "the equations of motion cannot be evaluated at the start";
    d.t = state_.t;
    return fail(name_singular_pose(std::move(d))), false;
  }

  // The choices of the formulation first: they decide what the integrator's numbers mean.
  bool go_on_from_checkpoint() {
    Archive archive(task_.resume);
    archive.mark("dynamic");
    formulation_->serialize(archive);
    integrator_->set_tolerance(formulation_->tolerance(options_));
    bool good = archive.good() && integrator_->start(state_.t, y_) == Eval::ok;
    if (good) serialize_rest(archive);
    good = good && archive.good() && integrator_->y().size() == y_.size();
    if (good) return true;
    Diagnostic d;
    d.id = "corrupt.store";
    d.found = "a checkpoint that does not belong to this model and these settings";
    return fail(std::move(d)), false;
  }

  std::vector<std::byte> checkpoint() {
    Archive archive;
    archive.mark("dynamic");
    formulation_->serialize(archive);
    serialize_rest(archive);
    return task_.wrap ? task_.wrap(archive.bytes()) : archive.bytes();
  }

  void serialize_rest(Archive& archive) {
    integrator_->serialize(archive);
    if (works_) works_->serialize(archive);
    for (double* x : {&from_,
                      &last_sample_,
                      &step_.h,
                      &max_position_,
                      &max_velocity_,
                      &max_imbalance_,
                      &max_drift_,
                      &first_balance_,
                      &first_energy_,
                      &last_energy_})
      archive.io(*x);
    archive.io(step_.order);
    archive.io(sampled_);
    archive.io(passages_);
    MotionSolver& motion = formulation_->motion();
    std::vector<double> pivots = motion.pivot_state(), place = motion.factor_place();
    archive.io(pivots);
    archive.io(place);
    if (!archive.loading() || !archive.good()) return;
    motion.restore_pivots(pivots);
    motion.factor_again(place);
  }

  void integrate() {
    Stop stop;
    do stop = integrator_->advance(task_.options.until);
    while (stop.why == Stop::Why::callback && renew_ && parametrize_again());
    if (fault_) return fail(*fault_);
    if (stop.why == Stop::Why::failure) failure_ = explain(stop);
    if (failure_) {
      fail(*failure_);
      if (sampled_ && integrator_->t() != last_sample_)
        output(integrator_->t(), integrator_->y());  // how far it came
    }
    if (stop.why == Stop::Why::callback && cancelled_) {
      summary_.status = "interrupted";
      Diagnostic d;
      d.id = "interrupted.signal";
      d.severity = Severity::warning;
      d.found = "stopped on request; all results so far are kept";
      d.t = integrator_->t();
      summary_.diagnostics.push_back(std::move(d));
    }
    if (recover(integrator_->t(), integrator_->y()) != Eval::ok && summary_.status == "complete") {
      Diagnostic d;
      d.id = "numeric.singular";
      d.found = "the accelerations at the end cannot be computed";
      d.t = integrator_->t();
      fail(std::move(d));
    }
  }

  // The formulation chooses its coordinates anew; the integration starts afresh with them.
  bool parametrize_again() {
    renew_ = false;
    Eval e = recover(integrator_->t(), integrator_->y());
    if (e == Eval::ok) {
      formulation_->parametrize(state_, y_);
      integrator_->set_tolerance(formulation_->tolerance(options_));
      e = integrator_->restart(state_.t, y_, true);
    }
    tell_events(state_.t);
    if (e == Eval::ok) return !fault_;
    Diagnostic d;
    d.id = "numeric.singular";
    d.found = "no independent coordinates can be chosen here";
    d.t = integrator_->t();
    failure_ = name_singular_pose(std::move(d));
    return false;
  }

  void tell_events(double t) {
    for (auto& event : formulation_->events) {
      if (event.kind == "singular-pose") ++passages_;
      if (!fault_) fault_ = task_.sink.event({t, std::move(event.kind), "", std::move(event.text)});
    }
    formulation_->events.clear();
  }

  Eval recover(double t, CView y) {
    const Eval e = formulation_->recover(t, y, state_);
    return e == Eval::ok && works_ && !works_->at(state_) ? Eval::retry : e;
  }

  Flow output(double t, CView y) {
    if (recover(t, y) != Eval::ok) {
      Diagnostic d;
      d.id = "numeric.singular";
      d.found = "the state at an output point cannot be put onto the constraints";
      d.t = t;
      failure_ = name_singular_pose(std::move(d));
      return Flow::stop;
    }
    recorder_.record(state_, step_, row_);
    max_position_ = std::max(max_position_, recorder_.position_residual());
    max_velocity_ = std::max(max_velocity_, recorder_.velocity_residual());
    const Energy& e = recorder_.energy();
    last_energy_ = e.kinetic + e.potential;
    if (!sampled_) {
      first_balance_ = e.balance();
      first_energy_ = last_energy_;
    }
    max_imbalance_ = std::max(max_imbalance_, std::abs(e.balance() - first_balance_));
    max_drift_ = std::max(max_drift_, task_.system.quaternion_drift(state_.q));
    sampled_ = true;
    last_sample_ = t;
    fault_ = task_.sink.sample(t, row_);
    return fault_ ? Flow::stop : Flow::go_on;
  }

  Flow step(const StepRecord& record) {
    step_ = {record.h, record.order};
    if (works_ && !works_->step(record.t, record.y)) return Flow::stop;
    failure_ = formulation_->accepted(record.t, record.y, record.h, record.attempts);
    tell_events(record.t);
    if (failure_ || fault_) return Flow::stop;
    renew_ = formulation_->stale() && (task_.options.until - record.t) * record.h > 0;
    if (renew_) return Flow::stop;
    cancelled_ = task_.control.cancelled && task_.control.cancelled();
    if (cancelled_ || task_.sink.checkpoint_due())
      fault_ = task_.sink.checkpoint(record.t, checkpoint());
    if (task_.control.progress) task_.control.progress(record.t, from_, task_.options.until);
    return fault_ || cancelled_ ? Flow::stop : Flow::go_on;
  }

  Diagnostic explain(const Stop& stop) { return name_singular_pose(to_diagnostic(stop.failure)); }

  // A failure in words of the mechanism: the joint whose equation is about to be lost.
  Diagnostic name_singular_pose(Diagnostic d) {
    MotionSolver& motion = formulation_->motion();
    if (motion.weakest_row() >= 0 && motion.weakest_ratio() < near_singular) {
      d.id = "numeric.singular";
      d.element = task_.system
                      .constraints()[static_cast<std::size_t>(
                          task_.system.constraint_of(motion.weakest_row()))]
                      .words();
      d.found =
          "a singular pose: this constraint is about to depend on the others (" + d.found + ")";
      d.hint = "the mechanism locks up or may branch here; see `cardan check` in this pose";
      d.worst = {{task_.system.equation_words(motion.weakest_row()), motion.weakest_ratio()}};
    }
    return d;
  }

  void finish() {
    if (integrator_ != nullptr) {
      const Stats& s = integrator_->stats();
      summary_.stats = {s.steps, s.rejected, s.f, s.jacobian, s.factorization, s.newton, 0, 0};
    }
    summary_.t_end = state_.t;
    summary_.stats.wall_seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    summary_.stats.cpu_seconds = static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
    if (!sampled_) return;
    if (passages_ > 0) {
      Diagnostic d;
      d.id = "numeric.singular-passage";
      d.severity = Severity::note;
      d.where = task_.options.where;
      d.found = fmt::format(
          "{} singular pose{} passed on the smooth branch", passages_, passages_ == 1 ? "" : "s");
      summary_.diagnostics.push_back(std::move(d));
    }
    summary_.constraint.max_position = max_position_;
    summary_.constraint.max_velocity = max_velocity_;
    summary_.energy.initial = first_energy_;
    summary_.energy.final = last_energy_;
    summary_.energy.max_imbalance = max_imbalance_;
    if (task_.system.space() == Space::spatial) summary_.quaternion_drift = max_drift_;
    summary_.final = recorder_.body_states(state_);
  }

  const DynamicRun& task_;
  State& state_;
  Recorder recorder_;
  std::vector<double> row_, y_;
  Summary summary_;
  std::unique_ptr<Formulation> formulation_;
  std::unique_ptr<Integrator> integrator_;
  StepInfo step_;
  DynamicOptions options_;  // with formulation and integrator decided
  std::unique_ptr<Works> works_;
  Sink::Fault fault_;
  std::optional<Diagnostic> failure_;
  bool sampled_ = false, cancelled_ = false, renew_ = false;
  long passages_ = 0;
  double from_ = 0, last_sample_ = 0;
  double max_position_ = 0, max_velocity_ = 0, max_imbalance_ = 0, first_balance_ = 0,
         first_energy_ = 0, last_energy_ = 0, max_drift_ = 0;
  Clock::time_point start_;
  std::clock_t cpu_;
};

}  // namespace

Summary run_dynamic(const DynamicRun& task, State& state) {
  return Run(task, state).go();
}

}  // namespace cardan
