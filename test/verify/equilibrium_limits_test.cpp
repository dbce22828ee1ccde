// Equilibria that rest on hard stops and contacts.
#include <cmath>

#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

constexpr double pi = 3.14159265358979323846;

Outcome balance(const std::string& text, test::Memory& memory) {
  auto model = read_model_text(text, "model.toml", {});
  EXPECT_TRUE(model) << (model ? "" : to_text(model.why()));
  return model ? run_model(model.value(), memory, {}) : Outcome{};
}

std::string pendulum(const std::string& stops) {
  return R"(
gravity = [0, -9.81]
[[body]]
name  = "bar"
from  = [0, 0]
to    = [0.5, 0]
mass  = 2
[[joint]]
type    = "revolute"
name    = "hinge"
between = ["ground", "bar"]
at      = [0, 0]
[[stop]]
joint = "hinge"
name  = "buffer"
)" + stops +
         "[[analysis]]\ntype = \"equilibrium\"\n";
}

TEST(EquilibriumLimits, ABarRestsOnItsStop) {
  test::Memory memory;
  const Outcome out = balance(pendulum("lower = \"-60 deg\"\nupper = 1\n"), memory);
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  ASSERT_EQ(out.summary.equilibria.size(), 1U);
  EXPECT_NEAR(out.summary.equilibria.front().coordinates[0].q[2], -pi / 3, 1e-9);
  EXPECT_EQ(out.summary.equilibria.front().kind, "stable");
  // its torque carries the weight at 0.25 m
  const double torque = 2 * 9.81 * 0.25 * std::cos(pi / 3);
  bool told = false;
  for (const NamedValue& x : out.summary.equilibria.front().reactions)
    told = told || (x.name == "buffer.normal" && std::abs(x.value - torque) < 1e-8);
  EXPECT_TRUE(told);
}

TEST(EquilibriumLimits, AStopOutOfReachDoesNothing) {
  test::Memory memory;
  const Outcome out = balance(pendulum("lower = -3\nupper = 1\n"), memory);
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_NEAR(out.summary.equilibria.front().coordinates[0].q[2], -pi / 2, 1e-9);
}

// Nothing but the ground holds the ball: without it there is no equilibrium.
TEST(EquilibriumLimits, ABallLiesOnTheGround) {
  test::Memory memory;
  const Outcome out = balance(R"(
gravity = [0, -9.81]
[[body]]
name    = "ball"
at      = [0, 0.4]
mass    = 3
inertia = 0.01
[[joint]]
type    = "translational"
name    = "guide"
between = ["ground", "ball"]
axis    = [0, 1]
[[contact]]
type    = "disc-line"
name    = "floor"
between = ["ground", "ball"]
points  = [[0, 0], [0, 0]]
axis    = [1, 0]
radius  = 0.1
[[analysis]]
type = "equilibrium"
)",
                              memory);
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_NEAR(out.summary.equilibria.front().coordinates[0].q[1], 0.1, 1e-9);
  bool told = false;
  for (const NamedValue& x : out.summary.equilibria.front().reactions)
    told = told || (x.name == "floor.normal" && std::abs(x.value - 3 * 9.81) < 1e-8);
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace cardan
