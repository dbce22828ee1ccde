#pragma once
// Bases for independent coordinates in a pose, from the active rows of phi_q there:
//   independent_coordinates   Gauss-Jordan elimination with full pivoting: the columns that are
//                             never pivots
//   null_space_svd            phi_q = U D V^T: the columns of V without a singular value
//   null_space_qr             phi_q^T = Q R: the last columns of Q
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
