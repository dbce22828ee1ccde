#pragma once
// The linear complementarity problem  w = M z + q >= 0,  z >= 0,  w.z = 0  by Lemke's method:
// complementary pivots from the ray of an artificial variable z_0 that makes w + z_0 feasible. A
// solution is found whenever M is copositive-plus and the problem feasible, as those of contacts
// with friction are. Reference: Cottle, Pang & Stone, The Linear Complementarity Problem
// (1992), 4.4.

#include "cardan/math/dense.h"

namespace cardan {

// False: no solution was found (a ray was reached); z is then zero.
[[nodiscard]] bool solve_complementarity(const Eigen::MatrixXd& M,
                                         const Eigen::VectorXd& q,
                                         Eigen::VectorXd& z);

}  // namespace cardan
