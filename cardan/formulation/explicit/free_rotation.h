#pragma once
// A step of a free rigid body's rotation that keeps the angular momentum in space and is symmetric
// and symplectic: the variational integrator of L = omega^T J omega / 2 with omega = d / h constant
// over the step, A_new = A exp(d~),
//   L(d) J d = h J omega,   J omega_new = exp(-d~) J omega = L(-d) J d / h
// with L of math/rotation.h; order 2. References: Moser & Veselov, Commun. Math. Phys. 139 (1991);
// Bou-Rabee & Marsden, Found. Comput. Math. 9 (2009).
#include "cardan/math/types.h"

namespace cardan {

// d of omega, which becomes the rate at the end of the step; false: the step is too large. A body
// without inertia turns at its rate.
bool free_rotation(const Mat<3, 3>& inertia, double h, Vec<3>& omega, Vec<3>& d);

}  // namespace cardan
