#pragma once
// Vectors and columns of matrices as spans, which is how problems and methods hand numbers on.
#include "cardan/math/types.h"

namespace cardan {

inline View view(Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

inline CView view(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

inline View column(Eigen::MatrixXd& m, Eigen::Index j) {
  return {m.col(j).data(), static_cast<std::size_t>(m.rows())};
}

}  // namespace cardan
