#pragma once
// Bases for independent coordinates in a pose, from the active rows of phi_q there:
//   independent_coordinates  Gauss-Jordan elimination with full pivoting; the columns never chosen
//   as pivots are independent null_space_svd           the right singular vectors that belong to no
//   singular value, phi_q = U D V^T null_space_qr            the last columns of Q in phi_q^T = Q R
// References: Wehage & Haug, J. Mech. Des. 104 (1982); Mani, Haug & Atkinson, J. Mech. Transm.
// Autom. Des. 107 (1985); Potra & Rheinboldt, Mech. Struct. Mach. 19 (1991).
#include <vector>

#include <Eigen/Core>

#include "cardan/system/motion_solver.h"

namespace cardan {

Eigen::MatrixXd active_jacobian(const System&, const std::vector<char>& active, double t, CView q);

std::vector<int> independent_coordinates(const Eigen::MatrixXd& phi_q);  // in rising order
Eigen::MatrixXd null_space_svd(const Eigen::MatrixXd& phi_q);            // n x freedoms
Eigen::MatrixXd null_space_qr(const Eigen::MatrixXd& phi_q);

// The same space in the pose of the last factor, without a dense Jacobian: as many given vectors as
// there are freedoms, projected onto the tangents with that factor, then made orthonormal.
Eigen::MatrixXd tangent_basis(MotionSolver&);

}  // namespace cardan
