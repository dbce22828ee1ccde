#include "cardan/analysis/start/assembly_run.h"

namespace cardan {

Summary run_assembly(const AnalysisTask& task, const AssemblyOptions& options) {
  Summary summary;
  summary.analysis = "assembly";
  const State given = task.assembly.state;
  Assembly found = task.first ? assemble(task.system, given.t, given, options)
                              : assemble_here(task.system, given, task.assembly.mobility);
  found.state.z = given.z;
  summary.t_end = given.t;
  summary.dof = found.mobility.dof;
  summary.redundant = static_cast<int>(found.mobility.redundant.size());
  summary.stats.newton_iterations = found.iterations;
  if (!found.ok) summary.diagnostics = found.notes;
  summary.status = found.ok ? "complete" : "failed";
  auto fault = task.recording.open();
  if (!fault && (task.branches == nullptr || !found.ok))
    fault = task.recording.row(found.state.t, found.state);
  if (task.branches != nullptr && found.ok) {
    int chosen = -1;
    const auto& list = task.branches->list;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!fault) fault = task.recording.row(list[k].state.t, list[k].state);
      if (list[k].state.q == given.q && list[k].state.v == given.v) chosen = static_cast<int>(k);
    }
    summary.branches = describe_branches(task.system, *task.branches, chosen);
  }
  if (fault) {
    summary.status = "failed";
    summary.diagnostics.push_back(*fault);
  }
  task.recording.write(summary, found.state);
  summary.constraint.max_position = found.max_position;
  summary.constraint.max_velocity = found.max_velocity;
  task.assembly = std::move(found);
  return summary;
}

}  // namespace cardan
