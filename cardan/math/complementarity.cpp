#include "cardan/math/complementarity.h"

#include <cmath>
#include <vector>

namespace cardan {

namespace {

using Index = Eigen::Index;

// Columns: w (0 .. n-1), z (n .. 2n-1), z_0 (2n), right side (2n+1).
class Tableau {
 public:
  Tableau(const Eigen::MatrixXd& M, const Eigen::VectorXd& q)
      : n_(M.rows()), table_(n_, 2 * n_ + 2), basis_(static_cast<std::size_t>(n_)) {
    table_.leftCols(n_).setIdentity();
    table_.middleCols(n_, n_) = -M;
    table_.col(2 * n_).setConstant(-1);
    table_.col(2 * n_ + 1) = q;
    for (Index i = 0; i < n_; ++i) basis_[static_cast<std::size_t>(i)] = i;
  }

  void pivot(Index row, Index column) {
    table_.row(row) /= table_(row, column);
    for (Index i = 0; i < n_; ++i)
      if (i != row && table_(i, column) != 0) table_.row(i) -= table_(i, column) * table_.row(row);
    basis_[static_cast<std::size_t>(row)] = column;
  }

  // The row that leaves when `column` enters; z_0 leaves as soon as it can. -1: none.
  Index leaving(Index column, double smallest) const {
    Index best = -1;
    double least = INFINITY;
    for (Index i = 0; i < n_; ++i) {
      if (!(table_(i, column) > smallest)) continue;
      const double ratio = right(i) / table_(i, column);
      const bool tie = best >= 0 && std::abs(ratio - least) <= 1e-14 * (1 + std::abs(least));
      if (tie ? basis(i) == 2 * n_ : ratio < least) {
        best = i;
        least = ratio;
      }
    }
    return best;
  }

  double right(Index i) const { return table_(i, 2 * n_ + 1); }

  Index basis(Index i) const { return basis_[static_cast<std::size_t>(i)]; }

 private:
  Index n_;
  Eigen::MatrixXd table_;
  std::vector<Index> basis_;
};

}  // namespace

bool solve_complementarity(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, Eigen::VectorXd& z) {
  const Index n = q.size();
  z = Eigen::VectorXd::Zero(n);
  Index row = 0;
  if (n == 0 || q.minCoeff(&row) >= 0) return true;
  if (!M.allFinite() || !q.allFinite()) return false;
  const double smallest = 1e-13 * std::max(1e-300, M.cwiseAbs().maxCoeff());
  Tableau table(M, q);
  Index entering = 2 * n;
  for (Index step = 0; step < 50 * n + 50; ++step) {
    const Index left = table.basis(row);
    table.pivot(row, entering);
    if (left == 2 * n) {
      for (Index i = 0; i < n; ++i)
        if (table.basis(i) >= n && table.basis(i) < 2 * n)
          z[table.basis(i) - n] = std::max(0.0, table.right(i));
      return true;
    }
    entering = left < n ? left + n : left - n;
    row = table.leaving(entering, entering >= n ? smallest : 1e-13);
    if (row < 0) return false;
  }
  return false;
}

}  // namespace cardan
