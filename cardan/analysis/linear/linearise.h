#pragma once
// Linear analysis: small motions about the state where it starts. Equations of linear_system.h, their
// eigenvalues and mode shapes, and the response from inputs to channels,
//   y = C x + D u,   G(i w) = C (i w - A)^-1 B + D.
// The state may be an equilibrium, a steady motion, or any other: then the coefficients of the
// equations change with time, and a note says so.
#include "cardan/analysis/task.h"

namespace cardan {

Summary run_linearise(const AnalysisTask&, const LineariseOptions&);

}  // namespace cardan
