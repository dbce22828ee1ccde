#pragma once
// Impacts with Coulomb's friction in space: w = A z + b with normal impulses p, and two tangential
// ones r for each contact that rubs, such that
//   0 <= p  _|_  w_n >= 0,   |r| <= mu p,   w_t = 0 or r = -mu p w_t/|w_t|.
// These are the zeros of
//   p - max(0, y),  y = p - c_n w_n,   and   r - P(r - c_t w_t),
// P the projection onto the disc of radius mu max(0, y). Newton's method with the generalized
// Jacobian, of least norm where impulses are not unique, solves them exactly on the round cone. It
// starts from sweeps over the contacts, each projected onto its own cone; where that leads nowhere,
// from the solution on cones with flat sides, one edge of which lies along the sliding before. So
// turning everything about a normal turns the solution. Reference: P. Alart, A. Curnier, Comput.
// Methods Appl. Mech. Eng. 92 (1991); Stewart & Trinkle (1996).
#include <vector>

#include "cardan/math/dense.h"

namespace cardan {

struct FrictionCone {
  Eigen::Index normal = 0, tangent = 0;  // places in z; tangent and tangent + 1
  double mu = 0;
};

// z has `normals` normal impulses, then two for each cone. False: no solution was found.
[[nodiscard]] bool solve_friction_cones(const Eigen::MatrixXd& A,
                                        const Eigen::VectorXd& b,
                                        Eigen::Index normals,
                                        const std::vector<FrictionCone>& cones,
                                        Eigen::VectorXd& z);

}  // namespace cardan
