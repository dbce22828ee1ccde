#include "cardan/analysis/analysis_table.h"

#include <algorithm>
#include <stdexcept>

#include "cardan/analysis/driven/kinematic.h"
#include "cardan/analysis/dynamic/dynamics.h"
#include "cardan/analysis/equilibrium/equilibrium.h"
#include "cardan/analysis/linear/linearise.h"
#include "cardan/analysis/start/assembly_run.h"
#include "cardan/model/analysis_type.h"

namespace cardan {

namespace {

template <class Options, Summary (*run)(const AnalysisTask&, const Options&)>
Summary with_options(const AnalysisTask& task, const Analysis& analysis) {
  return run(task, std::get<Options>(analysis));
}

}  // namespace

const std::vector<AnalysisRunner>& analysis_runners() {
  static const std::vector<AnalysisRunner> all{
      {"assembly", with_options<AssemblyOptions, run_assembly>},
      {"kinematic", with_options<KinematicOptions, run_kinematic>, Recorder::Extent::motion},
      {"inverse", with_options<InverseOptions, run_inverse>, Recorder::Extent::driven},
      {"dynamic", with_options<DynamicOptions, run_dynamic>, Recorder::Extent::all, true},
      {"linearise", with_options<LineariseOptions, run_linearise>},
      {"equilibrium", with_options<EquilibriumOptions, run_equilibrium>}};
  return all;
}

const AnalysisRunner& analysis_runner(const Analysis& analysis) {
  const std::string_view name = analysis_type(analysis).name;
  const auto& all = analysis_runners();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& runner) { return runner.name == name; });
  if (found == all.end()) throw std::logic_error("an analysis without a runner");
  return *found;
}

}  // namespace cardan
