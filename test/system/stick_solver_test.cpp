// How friction that rigid bodies do not determine is shared.
#include "cardan/system/stick_solver.h"

#include <gtest/gtest.h>

namespace cardan {
namespace {

// Two parallel elements hold as much as both limits together.
TEST(StickSolver, parallel_friction_is_shared_in_proportion_to_its_limits) {
  Eigen::VectorXd r(2);
  r << 3, 0;
  const Eigen::MatrixXd Z = Eigen::Vector2d(1, -1).normalized();
  share_evenly(Z, {0, 1}, {4, 2}, r);
  EXPECT_NEAR(r[0], 2, 1e-12);
  EXPECT_NEAR(r[1], 1, 1e-12);
}

// A pin and its collar turn together on different radii: R1 r1 + R2 r2 is given.
TEST(StickSolver, friction_on_different_levers_reaches_its_limits_together) {
  const double R1 = 0.02, R2 = 0.05, torque = 0.3;
  Eigen::VectorXd r(2);
  r << torque / R1, 0;
  const Eigen::MatrixXd Z = Eigen::Vector2d(R2, -R1).normalized();
  share_evenly(Z, {0, 1}, {5, 3}, r);
  EXPECT_NEAR(R1 * r[0] + R2 * r[1], torque, 1e-12);
  EXPECT_NEAR(r[0] / 5, r[1] / 3, 1e-9);
}

}  // namespace
}  // namespace cardan
