#pragma once
// Assembly as an analysis: one row, the consistent state.
#include "cardan/analysis/task.h"

namespace cardan {

// The first analysis of a run starts from the model's guess; a later one keeps the state it is given.
Summary run_assembly(const AnalysisTask&, const AssemblyOptions&);

}  // namespace cardan
