#include "cardan/math/complementarity.h"

#include <random>

#include <gtest/gtest.h>

namespace cardan {
namespace {

void expect_solution(const Eigen::MatrixXd& M, const Eigen::VectorXd& q) {
  Eigen::VectorXd z;
  ASSERT_TRUE(solve_complementarity(M, q, z));
  const Eigen::VectorXd w = M * z + q;
  const double size = 1 + q.cwiseAbs().maxCoeff();
  EXPECT_GE(z.minCoeff(), 0);
  EXPECT_GE(w.minCoeff(), -1e-10 * size);
  EXPECT_LE(std::abs(w.dot(z)), 1e-9 * size * (1 + z.cwiseAbs().maxCoeff()));
}

TEST(Complementarity, PositiveDefiniteAndSemidefinite) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int n = 1; n <= 12; ++n)
    for (int rank = 1; rank <= n; ++rank) {
      const Eigen::MatrixXd A =
          Eigen::MatrixXd::NullaryExpr(n, rank, [&] { return normal(random); });
      const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(rank, [&] { return normal(random); });
      const Eigen::VectorXd slack =
          Eigen::VectorXd::NullaryExpr(n, [&] { return std::abs(normal(random)); });
      expect_solution(A * A.transpose(), A * x + slack);  // feasible by A z' = -x
    }
}

TEST(Complementarity, FeasibleStartIsItself) {
  Eigen::VectorXd z;
  ASSERT_TRUE(solve_complementarity(-Eigen::MatrixXd::Identity(2, 2), Eigen::Vector2d(1, 0), z));
  EXPECT_EQ(z.norm(), 0);
}

TEST(Complementarity, WithoutSolutionItSaysSo) {
  Eigen::VectorXd z;
  EXPECT_FALSE(
      solve_complementarity(-Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Constant(1, -1), z));
}

}  // namespace
}  // namespace cardan
