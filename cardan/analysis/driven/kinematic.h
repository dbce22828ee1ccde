#pragma once
// Kinematic and inverse-dynamic analysis of mechanisms that their drivers determine: the motion by
// driven_motion.h, then, where forces are asked for, the multipliers of the known accelerations
//   phi_q^T lambda = Q - M a      (with friction: Q depends on lambda, friction_solver.h).
// The power of drivers, forces and inertia balances in every row,
//   v.M a - Q.v + lambda.nu = 0,
// and is checked there. Energies run along by Boole's rule.
#include "cardan/analysis/task.h"

namespace cardan {

Summary run_kinematic(const AnalysisTask&, const KinematicOptions&);
Summary run_inverse(const AnalysisTask&, const InverseOptions&);

}  // namespace cardan
