#include "cardan/math/small_lu.h"

#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace cardan {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST(SmallLu, SolvesForwardsAndTransposed) {
  for (const int n : {1, 2, 3, 6, 7, 18}) {
    RowMatrix A(n, n);
    Eigen::VectorXd x(n);
    for (int i = 0; i < n; ++i) {
      x[i] = std::sin(1.0 + i);
      for (int k = 0; k < n; ++k) A(i, k) = std::sin(3.0 * i + 7.0 * k * k + i * k);
    }
    A(0, 0) = 0;  // a pivot must be looked for
    if (n == 1) A(0, 0) = 3;
    RowMatrix lu = A;
    std::vector<int> pivot(static_cast<std::size_t>(n));
    const double least = factor_small(n, lu.data(), pivot.data());
    EXPECT_GT(least, 0);
    EXPECT_DOUBLE_EQ(least, lu.diagonal().cwiseAbs().minCoeff());
    const double condition = A.norm() * A.inverse().norm();
    Eigen::VectorXd b = A * x;
    solve_small(n, lu.data(), pivot.data(), b.data());
    EXPECT_LT((b - x).norm(), 1e-14 * condition) << n;
    b = A.transpose() * x;
    solve_small_transposed(n, lu.data(), pivot.data(), b.data());
    EXPECT_LT((b - x).norm(), 1e-14 * condition) << n;
  }
}

TEST(SmallLu, TellsSingularMatrices) {
  double equal_rows[] = {1, 2, 1, 2};
  int pivot[2];
  EXPECT_EQ(factor_small(2, equal_rows, pivot), 0);
  double not_a_number[] = {NAN, 2, 1, 2};
  EXPECT_FALSE(factor_small(2, not_a_number, pivot) > 0);
}

}  // namespace
}  // namespace cardan
