#include "cardan/math/eigenvalues.h"

#include <cmath>
#include <vector>

#include "cardan/math/dense.h"
#include "cardan/math/elementary.h"

namespace cardan {

namespace {

// An order of the states in which those without effect on others that are left come first, those
// that nothing acts on come last: block triangular, with single states at both ends.
struct Order {
  std::vector<Eigen::Index> states;
  Eigen::Index first = 0, last = 0;  // of the states in between, [first, last)
};

Order order_of(const Eigen::MatrixXd& A) {
  const Eigen::Index n = A.rows();
  Order order;
  std::vector<Eigen::Index> front, back, rest;
  for (Eigen::Index k = 0; k < n; ++k) rest.push_back(k);
  const auto take = [&](auto&& alone, std::vector<Eigen::Index>& to) {
    for (std::size_t k = 0; k < rest.size(); ++k)
      if (alone(rest[k])) {
        to.push_back(rest[k]);
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
      }
    return false;
  };
  const auto acts_on_none = [&](Eigen::Index k) {
    for (const Eigen::Index j : rest)
      if (j != k && A(j, k) != 0) return false;
    return true;
  };
  const auto driven_by_none = [&](Eigen::Index k) {
    for (const Eigen::Index j : rest)
      if (j != k && A(k, j) != 0) return false;
    return true;
  };
  while (take(acts_on_none, front)) {
  }
  while (take(driven_by_none, back)) {
  }
  order.first = static_cast<Eigen::Index>(front.size());
  order.last = order.first + static_cast<Eigen::Index>(rest.size());
  order.states = front;
  order.states.insert(order.states.end(), rest.begin(), rest.end());
  order.states.insert(order.states.end(), back.rbegin(), back.rend());
  return order;
}

// Powers of two that make rows and columns of the middle block equally large.
Eigen::VectorXd scales_of(Eigen::MatrixXd& A, const Order& order) {
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(A.rows());
  for (bool again = true; again;) {
    again = false;
    for (Eigen::Index k = order.first; k < order.last; ++k) {
      double column = 0, row = 0;
      for (Eigen::Index j = order.first; j < order.last; ++j) {
        if (j == k) continue;
        column += std::abs(A(j, k));
        row += std::abs(A(k, j));
      }
      if (column == 0 || row == 0) continue;
      const double f = elementary::exp2(std::round(elementary::log2(row / column) / 2));
      if (column * f + row / f >= 0.95 * (column + row)) continue;
      again = true;
      scale[k] *= f;
      A.col(k) *= f;
      A.row(k) /= f;
    }
  }
  return scale;
}

}  // namespace

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

EigenPairs balanced_eigen_pairs(const Eigen::MatrixXd& A) {
  const Eigen::Index n = A.rows();
  EigenPairs out{Eigen::VectorXcd(n), Eigen::MatrixXcd(n, n)};
  if (n == 0) return out;
  const Order order = order_of(A);
  Eigen::MatrixXd B = A(order.states, order.states);
  const Eigen::VectorXd scale = scales_of(B, order);
  const EigenPairs balanced = eigen_pairs(B);
  out.values = balanced.values;
  for (Eigen::Index k = 0; k < n; ++k)
    out.vectors.row(order.states[static_cast<std::size_t>(k)]) = scale[k] * balanced.vectors.row(k);
  return out;
}

SymmetricPairs symmetric_pairs(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(K, M);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace cardan
