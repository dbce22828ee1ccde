#pragma once
// How each analysis is run. Its options stand in model/analysis_type.h under the same name;
// a new analysis is its options there, one file that runs it, and one row here.
#include <string_view>
#include <vector>

#include "cardan/analysis/task.h"
#include "cardan/model/options.h"

namespace cardan {

struct AnalysisRunner {
  std::string_view name;  // of its AnalysisType
  // From the state of the task, which it advances.
  Summary (*run)(const AnalysisTask&, const Analysis&);
  Recorder::Extent extent = Recorder::Extent::all;  // which channels it fills
  bool integrates = false;                          // states and energies, with their sensitivities
};

const std::vector<AnalysisRunner>& analysis_runners();

const AnalysisRunner& analysis_runner(const Analysis&);

}  // namespace cardan
