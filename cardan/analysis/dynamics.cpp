#include "cardan/analysis/dynamics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/equation_choice.h"
#include "cardan/analysis/recorder.h"
#include "cardan/analysis/run_judge.h"
#include "cardan/analysis/switching.h"
#include "cardan/analysis/tally.h"
#include "cardan/analysis/works.h"
#include "cardan/formulation/choice.h"
#include "cardan/formulation/formulation.h"
#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"

namespace cardan {

namespace {

constexpr const char* foreign =
    "a checkpoint that does not belong to this model and these settings";

// Something in the model may happen within a short time, wherever a step looks.
bool may_be_short(const System& system) {
  return system.depends_on_time() || !system.limits().empty() || !system.conditions().empty();
}

class Run {
 public:
  Run(const DynamicRun& task, State& state)
      : task_(task),
        state_(state),
        recorder_(task.system, task.channels, !task.mobility.indeterminate.empty()),
        row_(recorder_.channels().size()),
        switching_(task.system, task.mobility.active),
        choice_(task.system, task.mobility),
        judge_(task.system),
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
    if (auto fault = too_many_outputs(state_.t, o)) return fail(std::move(*fault)), false;
    options_ = o;
    if (auto chosen = choose_automatically(task_.system, task_.mobility.active, state_, options_))
      summary_.diagnostics.push_back(std::move(*chosen));
    from_ = state_.t;
    times_ = output_times(state_.t, o.until, o.output_step);
    Archive resumed(task_.resume);
    if (!prepare_modes(resumed) || !build()) return false;
    if (auto fault = task_.sink.open(recorder_.channels())) return fail(*fault), false;
    tell_switches();
    return task_.resume.empty() ? begin() : go_on_from_checkpoint(resumed);
  }

  // Which limits are closed and on which side conditions are: from the state, or the checkpoint.
  bool prepare_modes(Archive& resumed) {
    if (switching_.has_hard_limits() && options_.until < state_.t)
      return fail(backward_impact(options_.until)), false;
    if (task_.resume.empty()) {
      if (auto fault = switching_.begin(state_)) return fail(std::move(*fault)), false;
      return true;
    }
    const State fresh = state_;
    resumed.mark("dynamic");
    serialize_segment(resumed);
    if (!resumed.good() || state_.q.size() != fresh.q.size() || state_.v.size() != fresh.v.size() ||
        state_.z.size() != fresh.z.size() || state_.u.size() != fresh.u.size() ||
        state_.mode.size() != switching_.mode().size() || first_output_ < 0 ||
        first_output_ > static_cast<long>(times_.size())) {
      state_ = fresh;
      return fail(fault_at("corrupt.store", foreign)), false;
    }
    switching_.resume(state_);
    return true;
  }

  // Formulation and integrator for the modes: equations that hold are their size.
  bool build() {
    active_ = switching_.active();
    segment_ = state_;
    auto formulation = make_formulation({task_.system, active_, options_});
    if (!formulation) return fail(formulation.why().front()), false;
    formulation_ = std::move(formulation).value();
    summary_.formulation = formulation_->name();
    if (!prepare_integrator()) return false;
    switching_.watch(*formulation_, state_);
    judged_ = state_;
    judge_.begin({options_.rtol,
                  options_.atol,
                  integrator_->method().traits().adaptive,
                  formulation_->kept_violation(),
                  options_.max_drift > 0,
                  may_be_short(task_.system)},
                 state_);
    y_.resize(static_cast<std::size_t>(formulation_->size()));
    formulation_->parametrize(state_, y_);
    formulation_->events.clear();
    integrator_->set_tolerance(formulation_->tolerance(options_));
    if (!formulation_->carries_works())
      works_ = std::make_unique<Works>(*formulation_, *integrator_, state_);
    return true;
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
    summary_.fixed_order = method->traits().adaptive ? 0 : method->traits().order_min;
    if (!method->traits().adaptive && o.step == 0)
      return fail(missing_step(summary_.integrator)), false;
    IntegratorOptions options;
    options.step = o.step;
    options.max_step = method->traits().adaptive ? largest_step() : o.max_step;
    options.max_steps = std::max(1L, o.max_steps - costs_.steps());
    integrator_ = std::make_unique<Integrator>(std::move(method),
                                               formulation_->tolerance(o),
                                               options,
                                               switching_.any() ? &switching_ : nullptr);
    integrator_->output_at({times_.begin() + first_output_, times_.end()});
    integrator_->on_output = [this](double t, CView y) {
      return output(t, y);
    };
    integrator_->on_step = [this](const StepRecord& record) {
      return step(record);
    };
    return true;
  }

  // What is short in time must not be stepped over.
  double largest_step() const {
    if (std::isfinite(options_.max_step) || !may_be_short(task_.system)) return options_.max_step;
    const double part = std::abs(options_.until - from_) / 200;
    return options_.output_step > 0 ? std::min(part, options_.output_step) : part;
  }

  bool begin() {
    if (integrator_->start(state_.t, y_) == Eval::ok && (!works_ || works_->start(state_)))
      return true;
    return fail(name_cause(fault_at("numeric.not-finite",
                                    "the equations of motion cannot be evaluated at the start",
                                    state_.t))),
           false;
  }

  // The choices of the formulation first: they decide what the integrator's numbers mean.
  bool go_on_from_checkpoint(Archive& archive) {
    formulation_->serialize(archive);
    integrator_->set_tolerance(formulation_->tolerance(options_));
    bool good = archive.good() && integrator_->start(state_.t, y_) == Eval::ok;
    if (good) serialize_rest(archive);
    good = good && archive.good() && integrator_->y().size() == y_.size();
    return good || (fail(fault_at("corrupt.store", foreign)), false);
  }

  std::vector<std::byte> checkpoint() {
    Archive archive;
    segment_.mode = switching_.mode();  // conditions change sides without a new formulation
    archive.mark("dynamic");
    serialize_segment(archive);
    formulation_->serialize(archive);
    serialize_rest(archive);
    return task_.wrap ? task_.wrap(archive.bytes()) : archive.bytes();
  }

  // What the formulation and the integrator are built from.
  void serialize_segment(Archive& archive) {
    State& s = archive.loading() ? state_ : segment_;
    archive.io(s.t);
    for (auto* list : {&s.q, &s.v, &s.z, &s.u}) archive.io(*list);
    archive.io(s.mode);
    archive.io(first_output_);
    costs_.serialize(archive);
    switching_.serialize(archive);
  }

  void serialize_rest(Archive& archive) {
    integrator_->serialize(archive);
    if (works_) works_->serialize(archive);
    extremes_.serialize(archive);
    choice_.serialize(archive);
    judge_.serialize(archive);
    archive.io(formulation_->quaternion_drift);
    archive.io(from_);
    double wall = wall_seconds(), cpu = cpu_seconds();
    archive.io(wall);
    archive.io(cpu);
    if (archive.loading()) {
      wall_before_ = wall;
      cpu_before_ = cpu;
    }
    archive.io(step_.h);
    archive.io(step_.order);
    archive.io(passages_);
    archive.io(delivered_);
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
    while (switching_.stopped() ? react()
                                : stop.why == Stop::Why::callback && renew_ && parametrize_again());
    if (fault_) return fail(*fault_);
    if (stop.why == Stop::Why::failure) failure_ = name_cause(to_diagnostic(stop.failure));
    if (failure_) {
      fail(*failure_);
      if (extremes_.any() && integrator_->t() != extremes_.last())
        output(integrator_->t(), integrator_->y());  // how far it came
    }
    if (stop.why == Stop::Why::callback && cancelled_) {
      summary_.status = "interrupted";
      summary_.diagnostics.push_back(stopped_on_request(integrator_->t()));
    }
    if (recover(integrator_->t(), integrator_->y()) != Eval::ok && summary_.status == "complete") {
      fail(fault_at(
          "numeric.singular", "the accelerations at the end cannot be computed", integrator_->t()));
    }
  }

  void choose_equations() {
    const auto better = choice_.look(formulation_->motion(), state_);
    if (!better) return;
    switching_.keep(better->kept);
    renew_ = true;
    fault_ = task_.sink.event({state_.t, "redundancy", "", better->words});
  }

  Eval build_again() {
    costs_.add(integrator_->stats());
    first_output_ = delivered_;
    if (!build()) return Eval::fatal;
    const Eval e = integrator_->start(state_.t, y_);
    return e == Eval::ok && works_ && !works_->start(state_) ? Eval::retry : e;
  }

  // The formulation chooses its coordinates anew; the integration starts afresh with them.
  bool parametrize_again() {
    renew_ = false;
    Eval e = recover(integrator_->t(), integrator_->y());
    if (e == Eval::ok && switching_.active() != active_) {
      e = build_again();
    } else if (e == Eval::ok) {
      formulation_->parametrize(state_, y_);
      integrator_->set_tolerance(formulation_->tolerance(options_));
      e = integrator_->restart(state_.t, y_, true);
    }
    tell_events(state_.t);
    if (e == Eval::ok) return !fault_;
    failure_ = name_cause(fault_at(
        "numeric.singular", "no independent coordinates can be chosen here", integrator_->t()));
    return false;
  }

  // At an event: its consequences for the state, then on with new modes.
  bool react() {
    renew_ = false;
    if (failure_ || fault_) return false;
    Eval e = recover(integrator_->t(), integrator_->y());
    if (e == Eval::ok) failure_ = switching_.react(state_);
    tell_switches();
    if (failure_ || fault_) return false;
    if (e == Eval::ok && switching_.active() != active_) {
      e = build_again();
      if (e == Eval::fatal) return false;
    } else if (e == Eval::ok) {
      switching_.watch(*formulation_, state_);
      formulation_->parametrize(state_, y_);
      integrator_->set_tolerance(formulation_->tolerance(options_));
      e = integrator_->restart(state_.t, y_, false);
      if (e == Eval::ok && works_ && !works_->start(state_)) e = Eval::retry;
    }
    tell_events(state_.t);
    if (e == Eval::ok) return !fault_;
    failure_ = name_cause(fault_at("numeric.not-finite",
                                   "the equations of motion cannot be evaluated after an event",
                                   integrator_->t()));
    return false;
  }

  void tell_switches() {
    for (auto& event : switching_.told) fault_ = fault_ ? fault_ : task_.sink.event(event);
    switching_.told.clear();
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
    state_.mode = switching_.mode();
    return e == Eval::ok && works_ && !works_->at(state_) ? Eval::retry : e;
  }

  Flow cannot_recover(double t) {
    failure_ = name_cause(cannot_project(t));
    return Flow::stop;
  }

  Flow output(double t, CView y) {
    if (recover(t, y) != Eval::ok) return cannot_recover(t);
    ++delivered_;
    recorder_.record(state_, step_, row_);
    extremes_.take(t, recorder_, task_.system.quaternion_drift(state_.q));
    fault_ = task_.sink.sample(t, row_);
    return fault_ ? Flow::stop : Flow::go_on;
  }

  Flow step(const StepRecord& record) {
    step_ = {record.h, record.order};
    if (works_ && !works_->step(record.t, record.y)) return Flow::stop;
    failure_ = formulation_->accepted(record.t, record.y, record.h, record.attempts);
    if (!failure_) failure_ = judge(record);
    tell_events(record.t);
    tell_switches();
    if (failure_ || fault_ || switching_.stopped()) return Flow::stop;
    if (switching_.any()) {
      if (recover(record.t, record.y) != Eval::ok) return cannot_recover(record.t);
      if (switching_.check(state_)) return Flow::stop;
    }
    renew_ = formulation_->stale() && (task_.options.until - record.t) * record.h > 0;
    if (choice_.due(formulation_->motion())) {
      if (recover(record.t, record.y) != Eval::ok) return cannot_recover(record.t);
      choose_equations();
    }
    if (renew_) return Flow::stop;
    cancelled_ = task_.control.cancelled && task_.control.cancelled();
    if (cancelled_ || task_.sink.checkpoint_due())
      fault_ = task_.sink.checkpoint(record.t, checkpoint());
    if (task_.control.progress) task_.control.progress(record.t, from_, task_.options.until);
    return fault_ || cancelled_ ? Flow::stop : Flow::go_on;
  }

  std::optional<Diagnostic> judge(const StepRecord& record) {
    if (!formulation_->accepted_state(record.y, judged_)) return {};
    judged_.t = record.t;
    judged_.mode = switching_.mode();
    if (works_) judged_.z = works_->last();
    return judge_.step(judged_);
  }

  Diagnostic name_cause(Diagnostic d) {
    return cardan::name_cause(formulation_->motion(), std::move(d));
  }

  void finish() {
    if (integrator_ != nullptr) {
      costs_.add(integrator_->stats());
      costs_.write(summary_);
    }
    summary_.t_end = state_.t;
    summary_.stats.wall_seconds = wall_seconds();
    summary_.stats.cpu_seconds = cpu_seconds();
    if (!extremes_.any()) return;
    if (summary_.status == "complete") add_doubts();
    auto& notes = summary_.diagnostics;
    if (passages_ > 0)
      notes.insert(notes.begin(), passed_singular_poses(passages_, task_.options.where));
    extremes_.write(summary_, task_.system.space(), formulation_->quaternion_drift);
    summary_.final = recorder_.body_states(state_);
  }

  // With what was spent before a checkpoint.
  double wall_seconds() const {
    return wall_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
  }

  double cpu_seconds() const {
    return cpu_before_ + static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
  }

  void add_doubts() {
    for (Diagnostic& doubt : judge_.doubts(std::abs(state_.t - from_))) {
      doubt.where = task_.options.where;
      summary_.status = "doubtful";
      summary_.diagnostics.push_back(std::move(doubt));
    }
  }

  const DynamicRun& task_;
  State& state_;
  State segment_;  // where the present formulation was built
  Recorder recorder_;
  std::vector<double> row_, y_, times_;
  Switching switching_;
  EquationChoice choice_;
  RunJudge judge_;
  State judged_;
  std::vector<char> active_;  // equations that hold
  Extremes extremes_;
  Summary summary_;
  std::unique_ptr<Formulation> formulation_;
  std::unique_ptr<Integrator> integrator_;
  StepInfo step_;
  DynamicOptions options_;  // with formulation and integrator decided
  std::unique_ptr<Works> works_;
  Sink::Fault fault_;
  std::optional<Diagnostic> failure_;
  bool cancelled_ = false, renew_ = false;
  long passages_ = 0, delivered_ = 0, first_output_ = 0;
  Costs costs_;  // of integrators before the present one
  double from_ = 0;
  double wall_before_ = 0, cpu_before_ = 0;  // s, of the run before it was resumed
  Clock::time_point start_;
  std::clock_t cpu_;
};

}  // namespace

Summary run_dynamic(const DynamicRun& task, State& state) {
  return Run(task, state).go();
}

}  // namespace cardan
