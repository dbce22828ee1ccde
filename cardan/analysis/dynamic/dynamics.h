#pragma once
// Dynamic analysis: a simulation from the state to `until`, recorded at output times.
#include "cardan/analysis/task.h"

namespace cardan {

// Advances the state as far as it goes. Diagnostics are in the summary, the last one telling why a
// run ended early.
Summary run_dynamic(const AnalysisTask&, const DynamicOptions&);

}  // namespace cardan
