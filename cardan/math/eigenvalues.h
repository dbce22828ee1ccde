#pragma once
// Eigenvalues of dense matrices that are not symmetric. Eigen's solvers for them take long to
// compile, so they are compiled once, here.
#include <Eigen/Core>

namespace cardan {

double spectral_radius(const Eigen::MatrixXd&);  // the largest |lambda|
double spectral_radius(const Eigen::MatrixXcd&);

struct EigenPairs {  // A vectors.col(k) = values[k] vectors.col(k)
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};

EigenPairs eigen_pairs(const Eigen::MatrixXd&);

// The same after balancing (Parlett & Reinsch, Numer. Math. 13 (1969) 293): states whose column or
// row is zero are put aside first, so that their eigenvalues are exact; the others are scaled until
// rows and columns are of one size.
EigenPairs balanced_eigen_pairs(const Eigen::MatrixXd&);

// K x = kappa M x with K symmetric and M symmetric positive definite; kappa ascending.
struct SymmetricPairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;  // x^T M x = 1
};

SymmetricPairs symmetric_pairs(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M);

}  // namespace cardan
