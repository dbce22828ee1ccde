// Solves with a sparse factor and with its transposed, real and complex.
#include "cardan/math/sparse_lu.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace cardan {
namespace {

template <class T> void expect_both_ways(const Eigen::Matrix<T, 3, 3>& A) {
  std::vector<int> columns{0}, rows;
  std::vector<T> values;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r)
      if (A(r, c) != T(0)) {
        rows.push_back(r);
        values.push_back(A(r, c));
      }
    columns.push_back(static_cast<int>(rows.size()));
  }
  const SparseOrder order(3, columns, rows);
  SparseLu<T> lu(order);
  ASSERT_TRUE(lu.factor(values.data()));
  const Eigen::Matrix<T, 3, 1> b(1, -2, 5);
  Eigen::Matrix<T, 3, 1> x = b, y = b;
  lu.solve(x.data());
  lu.solve_transposed(y.data());
  EXPECT_LE((A * x - b).norm(), 1e-14 * b.norm());
  EXPECT_LE((A.transpose() * y - b).norm(), 1e-14 * b.norm());
}

TEST(SparseLu, SolvesWithTheMatrixAndItsTransposed) {
  Eigen::Matrix3d A;
  A << 2, 1, 0, 0, 0, 3, 4, 0, 1;
  expect_both_ways<double>(A);
}

TEST(SparseLu, SolvesComplexSystemsBothWays) {
  using C = std::complex<double>;
  Eigen::Matrix3cd A;
  A << C(2, 1), C(0, 1), 0, 0, 0, C(3, -1), C(4, 0), 0, C(1, 2);
  expect_both_ways<C>(A);
}

}  // namespace
}  // namespace cardan
