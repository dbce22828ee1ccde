// Spatial mechanisms against references converged independently and against closed formulas.
#include <cmath>
#include <cstdlib>

#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

TEST(Spatial, FourBarWithAMasslessRod) {
  Model model = test::model_file("spatial-four-bar");
  test::tighten(model, 1e-11);
  test::dynamic(model).output_step = 0.05;
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_NEAR(run.last("hinge.angle"), 40.2420251, 1e-6);
  EXPECT_NEAR(run.last("hinge.angle_rate"), 11.6350069, 1e-6);
  EXPECT_EQ(out.summary.dof, 1);
  EXPECT_EQ(out.summary.redundant, 0);
}

// The first second; with CARDAN_FULL all ten.
TEST(Spatial, FlyballGovernor) {
  Model model = test::model_file("flyball-governor");
  const bool full = std::getenv("CARDAN_FULL") != nullptr;
  test::dynamic(model).until = full ? 10 : 1;
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_EQ(out.summary.dof, 4);
  for (const auto& [t, s] : std::vector<std::pair<double, double>>{{0.1, 0.5238364756},
                                                                   {0.5, 0.7432494248},
                                                                   {1, 0.5014209224},
                                                                   {5, 0.5355631037},
                                                                   {10, 0.6196229171}})
    if (t <= test::dynamic(model).until) {
      EXPECT_NEAR(run.value("slide.displacement", test::row_at(run, t)), s, 1e-9) << t;
    }
}

TEST(Spatial, SliderCrankFollowsItsGeometry) {
  Model model = test::model_file("spatial-slider-crank");
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_EQ(out.summary.dof, 1);
  EXPECT_EQ(out.summary.redundant, 0);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
  double turned = 0;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double a = run.value("bearing.angle", row);
    const double y = 0.1 - 0.08 * std::sin(a), z = 0.12 + 0.08 * std::cos(a);
    EXPECT_NEAR(run.value("slider.x", row), std::sqrt(0.09 - y * y - z * z), 1e-9);
    EXPECT_NEAR(run.value("stroke", row), run.value("slider.x", row) - 0.2, 1e-9);
    turned = std::max(turned, std::abs(a));
  }
  EXPECT_GT(turned, 2 * M_PI);  // counted over turns
}

TEST(Spatial, TwoUniversalJointsUndoEachOther) {
  Model model = test::model_file("universal-train");
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_EQ(out.summary.dof, 1);
  EXPECT_EQ(out.summary.redundant, 0);
  double uneven = 0;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double w = run.value("input bearing.angle_rate", row);
    EXPECT_NEAR(
        run.value("output bearing.angle", row), run.value("input bearing.angle", row), 1e-8);
    const Vec<3> axis(std::cos(M_PI / 6), std::sin(M_PI / 6), 0);
    uneven = std::max(uneven, std::abs(test::vector(run, "middle.omega_", row).dot(axis) / w - 1));
  }
  EXPECT_NEAR(uneven, 1 / std::cos(M_PI / 6) - 1, 1e-3);
}

TEST(Spatial, BennettLinkageMovesWithThreeRedundantEquations) {
  Model model = test::model_file("bennett");
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_EQ(out.summary.dof, 1);
  EXPECT_EQ(out.summary.redundant, 3);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
  EXPECT_LT(out.summary.constraint.max_position, 1e-11);  // of all equations, redundant ones too
  const double alpha = M_PI / 6, beta = std::asin(0.75);
  const double product = std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2);
  const double start_1 = M_PI / 3, start_2 = 2 * std::atan(product / std::tan(start_1 / 2));
  double swept = 0;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double t1 = start_1 + run.value("A.angle", row), t2 = start_2 + run.value("B.angle", row);
    EXPECT_NEAR(
        std::sin(t1 / 2) * std::sin(t2 / 2), product * std::cos(t1 / 2) * std::cos(t2 / 2), 1e-9);
    swept = std::max(swept, std::abs(t1 - start_1));
  }
  EXPECT_GT(swept, 1);
}

TEST(Spatial, GyroscopeNods) {
  Model model = test::model_file("gyroscope");
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_EQ(out.summary.dof, 3);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
  const double axial = 0.5 * 0.06 * 0.06, across = (3 * 0.06 * 0.06 + 0.02 * 0.02) / 12;
  const double A = 1e-3 + 5e-4 + across, B = 8e-4 + across, rate = 300 * axial / std::sqrt(A * B);
  // inner angle = (push/rate) sin(rate t): its zeros
  double last = 0;
  int zeros = 0;
  for (std::size_t row = 2; row < run.rows.size(); ++row) {
    const double x = run.value("inner.angle", row - 1), y = run.value("inner.angle", row);
    if (x * y < 0) {
      last = run.times[row - 1] + (run.times[row] - run.times[row - 1]) * x / (x - y);
      ++zeros;
    }
  }
  ASSERT_GT(zeros, 10);
  EXPECT_NEAR(last / zeros * rate, M_PI, 0.01);
}

}  // namespace
}  // namespace cardan
