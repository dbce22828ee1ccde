// The arrays of the explicit Runge-Kutta methods against the order conditions.
#include "cardan/ode/runge_kutta/tableau.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cardan/ode/runge_kutta/order_conditions.h"
#include "cardan/ode/runge_kutta/runge_kutta.h"

namespace cardan {
namespace {

TEST(RootedTrees, AreAsManyAsKnown) {
  const std::vector<RootedTree> trees = rooted_trees(8);
  std::array<int, 9> count{};
  for (const RootedTree& t : trees) ++count[static_cast<std::size_t>(t.nodes)];
  EXPECT_EQ(count, (std::array<int, 9>{0, 1, 1, 2, 4, 9, 20, 48, 115}));
}

class TableauTest : public testing::TestWithParam<const Tableau*> {};

TEST_P(TableauTest, HasItsOrder) {
  const Tableau& m = *GetParam();
  const auto trees = rooted_trees(m.order + 1);
  const auto phi = elementary_weights(trees, m.a, m.stages);
  EXPECT_EQ(order_of_weights(trees, phi, m.b, m.stages), m.order);
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.stages); ++i) {
    double row = 0;
    for (const double x : m.a[i]) row += x;
    EXPECT_NEAR(row, m.c[i], 2e-14) << "stage " << i;
  }
  if (m.error_order == 0) return;
  Tableau::Row embedded;
  for (std::size_t i = 0; i < embedded.size(); ++i) embedded[i] = m.b[i] - m.e[i];
  const auto more = rooted_trees(m.error_order + 1);
  const auto phi_more = elementary_weights(more, m.a, m.stages);
  EXPECT_EQ(order_of_weights(more, phi_more, embedded, m.stages), m.error_order);
}

TEST_P(TableauTest, DenseOutputHasItsOrderAndIsContinuouslyDifferentiable) {
  const Tableau& m = *GetParam();
  if (!m.dense) GTEST_SKIP();
  const auto trees = rooted_trees(m.dense_order + 1);
  const auto phi = elementary_weights(trees, m.a, m.stages);
  for (const double s : {0.1, 0.37, 0.5, 0.81}) {
    Tableau::Row b{};
    for (std::size_t i = 0; i < b.size(); ++i) {
      const auto& d = m.d[i];
      b[i] = s * (d[0] + s * (d[1] + s * (d[2] + s * d[3])));
    }
    EXPECT_EQ(order_of_weights(trees, phi, b, m.stages, s), m.dense_order) << "s = " << s;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.stages); ++i) {
    const auto& d = m.d[i];
    EXPECT_NEAR(d[0] + d[1] + d[2] + d[3], m.b[i], 2e-15);
    EXPECT_EQ(d[0], i == 0 ? 1 : 0);  // slope at the start: k_1
    const bool last = i + 1 == static_cast<std::size_t>(m.stages);
    EXPECT_NEAR(d[0] + 2 * d[1] + 3 * d[2] + 4 * d[3], last ? 1 : 0, 2e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(Explicit,
                         TableauTest,
                         testing::Values(&euler_tableau,
                                         &heun_tableau,
                                         &midpoint_tableau,
                                         &rk3_tableau,
                                         &rk4_tableau,
                                         &ode23_tableau,
                                         &ode45_tableau,
                                         &rkf45_tableau,
                                         &dop853_tableau),
                         [](const auto& tested) { return std::string(tested.param->name); });

TEST(Dop853Tableau, ThirdOrderEstimateAndDenseOutput) {
  const Tableau& m = dop853_tableau;
  std::array<Tableau::Row, Tableau::most> a = m.a;
  a[12] = m.b;  // stage 13 is f of the result
  for (std::size_t i = 0; i < 3; ++i) a[13 + i] = dop853_extra.a[i];
  const auto trees = rooted_trees(8);
  const auto phi = elementary_weights(trees, a, 16);

  Tableau::Row third;
  for (std::size_t i = 0; i < third.size(); ++i) third[i] = m.b[i] - dop853_extra.e3[i];
  EXPECT_EQ(order_of_weights(trees, phi, third, 16), 3);

  for (const double s : {0.2, 0.5, 0.9}) {  // the interpolant written as weights of the stages
    const double u = 1 - s;
    Tableau::Row b{};
    for (std::size_t i = 0; i < b.size(); ++i) {
      const double step = i < 12 ? m.b[i] : 0, first = i == 0, last = i == 12;
      const double r1 = step, r2 = first - r1, r3 = r1 - last - r2;
      const auto& d = dop853_extra.d;
      b[i] =
          s *
          (r1 + u * (r2 + s * (r3 + u * (d[0][i] + s * (d[1][i] + u * (d[2][i] + s * d[3][i]))))));
    }
    double worst = 0;
    for (std::size_t k = 0; k < trees.size(); ++k) {
      if (trees[k].nodes > 7) continue;
      double sum = 0;
      for (std::size_t i = 0; i < 16; ++i) sum += b[i] * phi[k][i];
      worst = std::max(worst, std::abs(sum - std::pow(s, trees[k].nodes) / trees[k].density));
    }
    EXPECT_LT(worst, 5e-13) << "s = " << s;
    EXPECT_EQ(order_of_weights(trees, phi, b, 16, s) >= 1, true);
  }
}

TEST(TwoStageTableau, HasOrderTwoForEveryAlpha) {
  const auto trees = rooted_trees(3);
  for (const double alpha : {0.3, 0.5, 2.0 / 3, 1.0}) {
    const Tableau m = two_stage_tableau(alpha);
    EXPECT_EQ(order_of_weights(trees, elementary_weights(trees, m.a, 2), m.b, 2), 2);
  }
  EXPECT_THROW(two_stage_tableau(0), std::invalid_argument);
}

TEST(Stability, PolynomialsAndLimitsAreTheKnownOnes) {
  const auto r = stability_polynomial(ode45_tableau);
  ASSERT_EQ(r.size(), 7u);
  for (const auto& [power, bottom] :
       {std::pair{1, 1.}, {2, 2.}, {3, 6.}, {4, 24.}, {5, 120.}, {6, 600.}}) {
    EXPECT_NEAR(r[static_cast<std::size_t>(power)], 1 / bottom, 1e-15);
  }
  const auto rk4 = stability_polynomial(rk4_tableau);
  EXPECT_NEAR(real_stability_limit(rk4), 2.7852935634052816, 1e-12);
  EXPECT_NEAR(imaginary_stability_limit(rk4), 2 * std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(real_stability_limit(stability_polynomial(ode23_tableau)), 2.5127453266183286, 1e-12);
  EXPECT_NEAR(real_stability_limit(r), 3.3065678926349465, 1e-12);
  EXPECT_NEAR(
      imaginary_stability_limit(stability_polynomial(ode23_tableau)), std::sqrt(3.0), 1e-12);
  for (const Tableau* m : {&euler_tableau, &heun_tableau}) {
    EXPECT_NEAR(real_stability_limit(stability_polynomial(*m)), 2, 1e-12);
    EXPECT_EQ(imaginary_stability_limit(stability_polynomial(*m)), 0);
  }
}

}  // namespace
}  // namespace cardan
