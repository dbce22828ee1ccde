#include "cardan/analysis/driven/range_run.h"

#include <algorithm>
#include <cmath>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/driven/driven_motion.h"
#include "cardan/analysis/driven/driver_range.h"

namespace cardan {

namespace {

// The poses of a sweep as rows of the motion at the driver's constant speed.
std::optional<Diagnostic> record_sweep(const AnalysisTask& task, SweptRange& swept) {
  const double rate = swept.rate, start = swept.range.start;
  if (rate < 0) std::reverse(swept.states.begin(), swept.states.end());
  for (State& state : swept.states) {
    state.t = task.assembly.state.t + (state.t - start) / rate;
    for (double& x : state.v) x *= rate;
    for (double& x : state.a) x *= rate * rate;
    if (auto fault = task.recording.row(state.t, state)) return fault;
  }
  return {};
}

}  // namespace

Summary run_range(const AnalysisTask& task, const KinematicOptions& options) {
  Summary summary;
  summary.analysis = "kinematic";
  summary.dof = task.assembly.mobility.dof;
  summary.redundant = static_cast<int>(task.assembly.mobility.redundant.size());
  const auto fail = [&](std::optional<Diagnostic> d) {
    if (!d) return false;
    summary.status = "failed";
    if (d->where.file == nullptr) d->where = options.where;
    summary.diagnostics.push_back(std::move(*d));
    return true;
  };
  const State start = task.assembly.state;
  if (task.model.drivers.empty()) {
    Diagnostic d = fault_at("model.underdriven", "no driver to sweep");
    d.expected = "a [[driver]] for each degree of freedom";
    fail(d);
  } else if (!fail(not_driven(task.system, task.assembly.mobility, options.where)) &&
             !fail(task.recording.open())) {
    const std::size_t drivers = task.model.drivers.size();
    for (std::size_t k = 0; k < drivers && summary.status == "complete"; ++k) {
      auto swept =
          sweep_driver(task.model, task.assembly, k, [&] { return task.recording.cancelled(); });
      if (!swept) {
        fail(swept.why().front());
        break;
      }
      if (task.recording.cancelled()) {
        summary.status = "interrupted";
        summary.diagnostics.push_back(stopped_on_request(start.t));
        break;
      }
      if (drivers == 1 && swept.value().steady) {
        if (fail(record_sweep(task, swept.value()))) break;
      } else if (k == 0 && fail(task.recording.row(start.t, start))) {
        break;
      }
      summary.range.push_back(std::move(swept.value().range));
    }
  }
  summary.t_end = start.t;
  task.recording.write_times(summary);
  task.recording.write(summary, start);
  return summary;
}

}  // namespace cardan
