// A motion from energies with events: it is followed up to each one that ends or changes it, changed
// there, put back onto the constraints with the least change, and followed on.
#include <algorithm>
#include <cmath>

#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/run.h"
#include "command_ode_energy.h"

namespace cardan::app {

namespace {

// Where fewer than this part of the run lies between two changes of the state by one event, they
// gather at a time that is never passed.
constexpr double least_apart = 1e-9;

class Follower {
 public:
  Follower(const Checked& checked,
           const DynamicOptions& options,
           const std::vector<EnergyEvent>& events,
           Sink& sink)
      : events_(events),
        sink_(sink),
        options_(options),
        from_(checked.assembly.state.t),
        recorder_(*checked.system, {}, !checked.assembly.mobility.redundant.empty()),
        row_(recorder_.channels().size()),
        simulation_(*checked.system, checked.assembly.mobility, options, checked.assembly.state) {}

  EventRun go() {
    watch();
    if (!failed(sink_.open(recorder_.channels())) && !failed(simulation_.prepare()) &&
        !failed(simulation_.start()))
      follow();
    const Diagnostics& notes = simulation_.notes();
    out_.diagnostics.insert(out_.diagnostics.begin(), notes.begin(), notes.end());
    out_.formulation = simulation_.formulation();
    out_.integrator = simulation_.integrator();
    out_.t = simulation_.state().t;
    out_.imbalance = simulation_.worst_imbalance();
    out_.violation = simulation_.violations().times > 0 ? simulation_.violations().largest : 0;
    if (out_.complete)
      for (Diagnostic& d : simulation_.doubts()) out_.diagnostics.push_back(std::move(d));
    return std::move(out_);
  }

 private:
  bool failed(std::optional<Diagnostic> fault) {
    if (fault) out_.diagnostics.push_back(std::move(*fault));
    return fault.has_value();
  }

  void watch() {
    simulation_.rows_at(output_times(from_, options_.until, options_.output_step));
    Simulation::Watcher watcher;
    watcher.row = [this](double, const State& state, const StepInfo& step) {
      return row(state, step) ? Flow::go_on : Flow::stop;
    };
    watcher.event = [this](const Event& event) {
      return happened(event);
    };
    simulation_.watch(std::move(watcher));
  }

  bool row(const State& state, const StepInfo& step) {
    recorder_.record(state, step, row_);
    return !failed(sink_.sample(state.t, row_));
  }

  // What passes zero and where it goes stands in the name and the text of a switch.
  Flow happened(const Event& event) {
    if (event.kind != "switch") return Flow::go_on;
    for (const EnergyEvent& e : events_) {
      if (event.element.find("'" + e.side + "'") == std::string::npos) continue;
      const bool rises = event.text == "becomes positive";
      if (e.direction == (rises ? Crossing::falling : Crossing::rising)) continue;
      if (restarted_ == &e && event.t == restart_) continue;  // it lies at zero there
      out_.seen.emplace_back(event.t, e.text);
      if (!e.stop && e.changes.empty()) continue;
      pending_ = &e;
      return Flow::stop;
    }
    return Flow::go_on;
  }

  void follow() {
    for (;;) {
      pending_ = nullptr;
      const Simulation::Stop stop = simulation_.step_to(options_.until);
      if (stop.why == Simulation::Stop::Why::failed) {
        failed(stop.reason);
        return;
      }
      if (stop.why == Simulation::Stop::Why::reached) {
        out_.complete = true;
        return;
      }
      if (pending_ == nullptr) return;  // the sink has failed
      const State before = simulation_.state();
      if (!row(before, simulation_.last_step())) return;
      if (pending_->stop) {
        out_.complete = true;
        return;
      }
      if (!change(before)) return;
    }
  }

  bool change(State state) {
    const bool again = restarted_ == pending_ && std::abs(state.t - restart_) <
                                                     least_apart * std::abs(options_.until - from_);
    if (again) {
      Diagnostic d = usage_fault("numeric.chatter",
                                 "events follow each other ever faster; the run ends there",
                                 "an event that changes less, or --until before that time");
      d.t = state.t;
      out_.diagnostics.push_back(std::move(d));
      return false;
    }
    for (const EnergyEvent::Change& c : pending_->changes)
      (c.rate ? state.v : state.q)[c.coordinate] = value(c.request);
    restarted_ = pending_;
    restart_ = state.t;
    const double before = energy();
    if (!go_on_from(state)) return false;
    recorder_.record(simulation_.state(), simulation_.last_step(), row_);
    state = simulation_.state();  // what the event takes of the energy is lost
    state.z[static_cast<std::size_t>(StateTable::index(EnergyState::dissipated))] +=
        before - energy();
    return go_on_from(state) && row(simulation_.state(), simulation_.last_step());
  }

  bool go_on_from(const State& state) {
    Diagnostics faults = simulation_.set_state(state);
    for (Diagnostic& d : faults) out_.diagnostics.push_back(std::move(d));
    return faults.empty();
  }

  double energy() const { return value("energy.kinetic") + value("energy.potential"); }

  double value(const std::string& request) const {  // in the last row
    const auto& channels = recorder_.channels();
    const auto found = std::find_if(
        channels.begin(), channels.end(), [&](const Channel& c) { return c.name == request; });
    return row_[static_cast<std::size_t>(found - channels.begin())];
  }

  const std::vector<EnergyEvent>& events_;
  Sink& sink_;
  const DynamicOptions& options_;
  double from_;
  Recorder recorder_;
  std::vector<double> row_;
  Simulation simulation_;
  EventRun out_;
  const EnergyEvent *pending_ = nullptr, *restarted_ = nullptr;
  double restart_ = 0;
};

}  // namespace

EventRun run_with_events(const Model& model, const std::vector<EnergyEvent>& events, Sink& sink) {
  const Checked checked = check_model(model);
  if (!checked.system || !checked.assembly.ok) return {.diagnostics = checked.diagnostics};
  const auto& options = std::get<DynamicOptions>(model.analyses.front());
  EventRun out = Follower(checked, options, events, sink).go();
  out.diagnostics.insert(
      out.diagnostics.begin(), checked.diagnostics.begin(), checked.diagnostics.end());
  return out;
}

}  // namespace cardan::app
