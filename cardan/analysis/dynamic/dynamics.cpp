#include "cardan/analysis/dynamic/dynamics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/driven/lost_contacts.h"
#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/sensitivity/dynamic_slopes.h"

namespace cardan {

namespace {

// The gains of constraint stabilisation that the program chose.
Diagnostic gains_note(const StabilisationGains& gains, const DynamicOptions& options) {
  Diagnostic d;
  d.id = "numeric.gains";
  d.severity = Severity::note;
  d.where = options.where;
  const std::string by = gains.chosen_by == "default"
                             ? "the usual ones of this formulation"
                             : fmt::format("chosen by \"{}\"", gains.chosen_by);
  d.found =
      gains.least_alpha == gains.most_alpha
          ? fmt::format("constraint stabilization with alpha = {:.6g} 1/s, beta = {:.6g} 1/s, {}",
                        gains.alpha,
                        gains.beta,
                        by)
          : fmt::format(
                "constraint stabilization with alpha from {:.6g} to {:.6g} 1/s, at the "
                "end alpha = {:.6g} 1/s and beta = {:.6g} 1/s, {}",
                gains.least_alpha,
                gains.most_alpha,
                gains.alpha,
                gains.beta,
                by);
  return d;
}

class DynamicRun {
 public:
  DynamicRun(const AnalysisTask& task, const DynamicOptions& options)
      : task_(task),
        options_(options),
        recording_(task.recording),
        state_(task.assembly.state),
        from_(state_.t),
        simulation_(task.system, task.assembly.mobility, options, state_),
        lost_(task.system) {}

  Summary go() {
    const Mobility& mobility = task_.assembly.mobility;
    summary_.analysis = "dynamic";
    summary_.dof = mobility.dof;
    summary_.redundant = static_cast<int>(mobility.redundant.size());
    summary_.formulation = options_.formulation;
    summary_.integrator = options_.integrator;
    if (start()) advance();
    finish();
    return std::move(summary_);
  }

 private:
  void fail(Diagnostic d) {
    summary_.status = "failed";
    if (d.where.file == nullptr) d.where = options_.where;
    summary_.diagnostics.push_back(std::move(d));
  }

  bool failed(std::optional<Diagnostic> fault) {
    if (fault) fail(std::move(*fault));
    return fault.has_value();
  }

  bool start() {
    if (failed(too_many_outputs(from_, options_))) return false;
    plan_rows();
    follow();
    if (task_.parameters != nullptr && failed(derive())) return false;
    if (!split_checkpoint()) return fail(foreign_checkpoint()), false;
    if (task_.model.output_residuals) simulation_.measure_rates();
    const bool refused = failed(simulation_.prepare(simulation_checkpoint_));
    const Diagnostics& notes = simulation_.notes();
    if (!refused)  // not a choice that is then refused
      summary_.diagnostics.insert(summary_.diagnostics.begin(), notes.begin(), notes.end());
    told_ = notes.size();
    if (!simulation_.formulation().empty()) summary_.formulation = simulation_.formulation();
    if (!simulation_.integrator().empty()) summary_.integrator = simulation_.integrator();
    summary_.fixed_order = simulation_.fixed_order();
    if (refused || failed(recording_.open()) || failed(simulation_.start())) return false;
    return !failed(fault_);
  }

  // Where nothing was said of rows: errors are estimated, and derivatives compared, row by row with
  // other runs, which have the same grid.
  bool rows_on_a_grid() const {
    if (options_.rows != "auto") return options_.rows == "grid";
    return options_.output_step > 0 || options_.error_estimate || task_.parameters != nullptr ||
           !recording_.rows_follow();
  }

  void plan_rows() {
    const double span = std::abs(options_.until - from_);
    simulation_.rows_at(output_times(
        from_, options_.until, options_.rows == "steps" ? span : options_.output_step));
    if (!rows_on_a_grid() && recording_.watches())
      recording_.follow_motion(from_, options_.until, options_.max_rows);
  }

  void follow() {
    Simulation::Watcher watcher;
    watcher.row = [this](double t, const State& state, const StepInfo& step) {
      for (std::size_t k = 0; k < lost_.cams().size() && !recording_.any(); ++k)
        if (state.lambda[static_cast<std::size_t>(lost_.cams()[k].row)] > 0) lost_.lose(k, t);
      return go_on(recording_.row(t, state, step));
    };
    if (recording_.watches()) {
      watcher.look = [this](double t, const State& state, const StepInfo& step, bool event) {
        return go_on(recording_.look(
            t, state, step, event ? Recording::Look::event : Recording::Look::passing));
      };
      watcher.look_distance = [this] {
        return recording_.look_distance();
      };
      if (!rows_on_a_grid()) watcher.passed_over = 0.5;  // straight lines through rows need more
      watcher.jump = [this] {
        recording_.jump();
      };
    }
    watcher.event = [this](const Event& event) {
      if (event.kind == "contact-lost") lost_.lose(event.element, event.t);
      return go_on(recording_.event(event));
    };
    watcher.step = [this](double t) {
      return after_step(t);
    };
    watcher.stop_now = [this] {
      return recording_.cancelled();
    };
    simulation_.watch(std::move(watcher));
  }

  // Rows with their derivatives by parameters.
  std::optional<Diagnostic> derive() {
    slopes_.emplace(task_, options_);
    if (auto fault = slopes_->start()) return fault;
    slopes_->extend(simulation_);
    recording_.slopes_by([this](const State&, std::vector<StateSlope>& out) -> Sink::Fault {
      out = slopes_->current();
      return {};
    });
    return {};
  }

  Flow go_on(Sink::Fault fault) {
    if (!fault_) fault_ = std::move(fault);
    return fault_ ? Flow::stop : Flow::go_on;
  }

  Flow after_step(double t) {
    const bool cancelled = recording_.cancelled();
    if (cancelled || recording_.checkpoint_due()) fault_ = recording_.checkpoint(t, checkpoint());
    recording_.progress(t, from_, options_.until);
    return fault_ || cancelled ? Flow::stop : Flow::go_on;
  }

  std::vector<std::byte> checkpoint() {
    Archive inner, archive;
    simulation_.serialize(inner);
    archive.mark("dynamic 2");
    archive.io(from_);
    recording_.serialize(archive);
    lost_.serialize(archive);
    std::string bytes(reinterpret_cast<const char*>(inner.bytes().data()), inner.bytes().size());
    archive.io(bytes);
    return archive.bytes();
  }

  // False: it is none of this analysis.
  bool split_checkpoint() {
    if (task_.resume.empty()) return true;
    Archive archive(task_.resume);
    archive.mark("dynamic 2");
    archive.io(from_);
    recording_.serialize(archive);
    lost_.serialize(archive);
    std::string bytes;
    archive.io(bytes);
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    simulation_checkpoint_.assign(data, data + bytes.size());
    return archive.good() && !bytes.empty();
  }

  void advance() {
    const Simulation::Stop stop = simulation_.step_to(options_.until);
    state_ = simulation_.state();
    if (failed(fault_)) return;
    if (stop.why == Simulation::Stop::Why::failed) {
      fail(*stop.reason);
      if (stop.state_known && recording_.any() && state_.t != recording_.last())
        if (auto fault =
                recording_.row(state_.t, state_, simulation_.last_step()))  // how far it came
          fail(*fault);
    } else if (stop.why == Simulation::Stop::Why::watcher) {
      summary_.status = "interrupted";
      summary_.diagnostics.push_back(stopped_on_request(state_.t));
    }
  }

  void finish() {
    simulation_.costs().write(summary_);
    summary_.t_end = state_.t;
    recording_.write_times(summary_);
    if (!recording_.any()) return;
    if (auto fault = recording_.end_rows()) fail(*fault);
    if (summary_.status == "complete") add_doubts();
    auto& notes = summary_.diagnostics;
    Diagnostics later = lost_.warnings();  // told before what ended the run
    for (Diagnostic& d : simulation_.friction_notes()) later.push_back(std::move(d));
    const Diagnostics& decided = simulation_.notes();
    later.insert(later.end(), decided.begin() + static_cast<std::ptrdiff_t>(told_), decided.end());
    const auto end = std::find_if(notes.begin(), notes.end(), [](const Diagnostic& d) {
      return d.severity == Severity::error;
    });
    notes.insert(end, later.begin(), later.end());
    if (simulation_.passages() > 0)
      notes.insert(notes.begin(), passed_singular_poses(simulation_.passages(), options_.where));
    const bool asked_for = options_.output_step > 0 || options_.rows == "grid";
    if (auto coarse = recording_.too_coarse(); coarse && asked_for && ended_well(summary_)) {
      coarse->where = options_.where;
      notes.insert(notes.begin(), std::move(*coarse));
    }
    recording_.write(summary_, state_, simulation_.quaternion_drift());
    double& imbalance = summary_.energy.max_imbalance;
    imbalance = std::max(imbalance, simulation_.worst_imbalance());
    write_facts();
  }

  // What the formulation and the integrator have done and could do.
  void write_facts() {
    summary_.constraint.steps_position = simulation_.violations();
    summary_.constraint.steps_velocity = simulation_.rate_violations();
    simulation_.joint_violations().write_steps(task_.system, summary_);
    if (const CorrectionTally* tally = simulation_.corrections(); tally != nullptr) {
      summary_.constraint.corrections = tally->count;
      const auto measure = [&](double largest, double sum) {
        ViolationMeasure m;
        m.largest = largest;
        m.mean = tally->steps > 0 ? sum / static_cast<double>(tally->steps) : Summary::unknown;
        m.times = tally->steps;
        return m;
      };
      summary_.constraint.before_position = measure(tally->position, tally->position_sum);
      summary_.constraint.before_velocity = measure(tally->velocity, tally->velocity_sum);
    }
    summary_.stability = simulation_.stability();
    summary_.independent = simulation_.independent();
    summary_.gains = simulation_.gains();
    if (summary_.gains && summary_.gains->chosen_by != "given")
      summary_.diagnostics.insert(summary_.diagnostics.begin(),
                                  gains_note(*summary_.gains, options_));
  }

  void add_doubts() {
    for (Diagnostic& doubt : simulation_.doubts()) {
      doubt.where = options_.where;
      summary_.status = "doubtful";
      summary_.diagnostics.push_back(std::move(doubt));
    }
  }

  const AnalysisTask& task_;
  const DynamicOptions& options_;
  Recording& recording_;
  State& state_;
  double from_;
  Simulation simulation_;
  LostContacts lost_;
  std::optional<DynamicSlopes> slopes_;
  std::vector<std::byte> simulation_checkpoint_;
  Summary summary_;
  Sink::Fault fault_;
  std::size_t told_ = 0;  // notes of the simulation that stand in the summary
};

}  // namespace

Summary run_dynamic(const AnalysisTask& task, const DynamicOptions& options) {
  return DynamicRun(task, options).go();
}

}  // namespace cardan
