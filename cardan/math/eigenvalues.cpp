#include "cardan/math/eigenvalues.h"

#include <Eigen/Eigenvalues>

namespace cardan {

double spectral_radius(const Eigen::MatrixXd& A) {
  return Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues().cwiseAbs().maxCoeff();
}

double spectral_radius(const Eigen::MatrixXcd& A) {
  return Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(A, false).eigenvalues().cwiseAbs().maxCoeff();
}

EigenPairs eigen_pairs(const Eigen::MatrixXd& A) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace cardan
