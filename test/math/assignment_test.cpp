#include "cardan/math/assignment.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace cardan {
namespace {

double cost_of(const Eigen::MatrixXd& cost, const std::vector<int>& column) {
  double sum = 0;
  for (std::size_t r = 0; r < column.size(); ++r)
    sum += cost(static_cast<Eigen::Index>(r), column[r]);
  return sum;
}

TEST(Assignment, IsTheCheapestOfAllPermutations) {
  std::mt19937 random(3);
  for (int n = 1; n <= 6; ++n)
    for (int round = 0; round < 20; ++round) {
      Eigen::MatrixXd cost(n, n);
      for (double& x : cost.reshaped()) x = std::uniform_real_distribution(0.0, 1.0)(random);
      std::vector<int> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      double least = cost_of(cost, order);
      do least = std::min(least, cost_of(cost, order));
      while (std::next_permutation(order.begin(), order.end()));
      std::vector<int> found = least_assignment(cost);
      EXPECT_NEAR(cost_of(cost, found), least, 1e-14);
      std::sort(found.begin(), found.end());
      std::iota(order.begin(), order.end(), 0);
      EXPECT_EQ(found, order);
    }
}

TEST(Assignment, OfNothingIsEmpty) {
  EXPECT_TRUE(least_assignment(Eigen::MatrixXd(0, 0)).empty());
}

}  // namespace
}  // namespace cardan
