#pragma once
// The kinematic analysis that sweeps drivers through their range (driver_range.h) instead of following
// time. With one driver at constant speed its poses are the rows, at the times at which it is there.
#include "cardan/analysis/task.h"

namespace cardan {

Summary run_range(const AnalysisTask&, const KinematicOptions&);

}  // namespace cardan
