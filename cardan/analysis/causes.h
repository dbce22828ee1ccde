#pragma once
// A failure of a run in words of the mechanism.
#include "cardan/base/diagnostic.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

// Names the joint or contact whose friction leaves the motion undetermined, or the joint whose
// equation is about to be lost; any other failure stays as it is.
Diagnostic name_cause(const MotionSolver&, Diagnostic);

}  // namespace cardan
