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

}  // namespace cardan
