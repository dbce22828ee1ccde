// The models against references that were converged independently (models/*/reference,
// test/reference).
#include <algorithm>
#include <cmath>

#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

// Largest difference of a channel to a column at the rows whose times both have.
double largest_difference(const Memory& run,
                          const std::string& channel,
                          const std::vector<double>& t,
                          const std::vector<double>& reference,
                          std::size_t& compared) {
  double worst = 0;
  compared = 0;
  std::size_t k = 0;
  for (std::size_t row = 0; row < run.times.size(); ++row) {
    while (k < t.size() && t[k] < run.times[row] - 1e-9) ++k;
    if (k == t.size() || std::abs(t[k] - run.times[row]) > 1e-9) continue;
    worst = std::max(worst, std::abs(run.value(channel, row) - reference[k]));
    ++compared;
  }
  return worst;
}

TEST(References, AndrewsSqueezerAtTheEndOfTheTestSet) {
  Model model = test::model_file("andrews");
  test::tighten(model, 1e-11);
  test::dynamic(model).until = 0.03;
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_NEAR(run.last("K1.angle"), 15.810771195153707, 1e-8);
  EXPECT_NEAR(run.last("K1.omega"), 1139.9203022591061, 1e-5);
  EXPECT_NEAR(run.last("K3.angle"), 0.040822240119645805, 1e-10);
  EXPECT_NEAR(run.last("K5.angle"), 0.52440996587995407, 1e-10);
  EXPECT_NEAR(run.last("K7.angle"), 1.0480807410419379, 1e-10);
  EXPECT_LT(out.summary.constraint.max_position, 1e-13);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-9);
}

TEST(References, QuickReturn) {
  Model model = test::model_file("quick-return");
  test::tighten(model, 1e-12);
  Memory run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  auto table = test::read_csv("models/quick-return/reference/dynamic_1.6s.csv");
  std::size_t compared = 0;
  EXPECT_LT(largest_difference(run, "crank.angle", table["t"], table["phi2"], compared), 1e-8);
  EXPECT_GT(compared, 400U);
  EXPECT_LT(largest_difference(run, "lever.angle", table["t"], table["phi4"], compared), 1e-8);
  EXPECT_LT(largest_difference(run, "bar.angle", table["t"], table["phi5"], compared), 1e-8);
  EXPECT_LT(largest_difference(run, "ram.x", table["t"], table["x6"], compared), 1e-8);
  EXPECT_LT(largest_difference(run, "ram.vx", table["t"], table["x6dot"], compared), 1e-7);
}

TEST(References, PendulumOfTenSeconds) {
  Model model = test::model_file("pendulum");
  test::tighten(model, 1e-13);
  Memory run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  auto table = test::read_csv("models/pendulum/reference/pendulum_10s.csv");
  std::size_t compared = 0;
  EXPECT_LT(largest_difference(run, "bob.x", table["t"], table["x"], compared), 1e-9);
  EXPECT_GT(compared, 900U);
  EXPECT_LT(largest_difference(run, "bob.y", table["t"], table["y"], compared), 1e-9);
}

TEST(References, DoublePendulumWithDamper) {
  Model model = test::model_file("double-pendulum");
  test::tighten(model, 1e-12);
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  auto table = test::read_csv("models/double-pendulum/reference/double_pendulum_3s.csv");
  std::size_t compared = 0;
  EXPECT_LT(largest_difference(run, "upper.angle", table["t"], table["phi1"], compared), 1e-8);
  EXPECT_GT(compared, 400U);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-8);  // with what the damper took
  EXPECT_GT(run.last("energy.dissipated"), 0.1);
}

// Tension of a pendulum at its lowest point: m g + m v^2 / l, whichever side it is asked for.
TEST(Reactions, OfAPendulumAtTheBottom) {
  Model model = test::model_of(
      "gravity=[0,-9.81]\n[[body]]\nname='rod'\nat=[0,0]\nangle='-90 "
      "deg'\ncentre=[2,0]\nmass=3\ninertia=0.4\nrate=1.5\n"
      "[[joint]]\ntype='revolute'\nname='pivot'\nbetween=['ground','rod']\nat=[0,0]\n[[analysis]]"
      "\ntype='dynamic'\nuntil=0.001\n");
  Memory run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  const double tension = 3 * 9.81 + 3 * 2 * 1.5 * 1.5;
  EXPECT_NEAR(run.value("pivot.second.fy", 0), tension, 1e-10);
  EXPECT_NEAR(run.value("pivot.first.fy", 0), -tension, 1e-10);
  EXPECT_NEAR(run.value("pivot.second.torque", 0), 0, 1e-10);
  EXPECT_NEAR(run.value("rod.ay", 0), 0, 1e-10);  // the frame's origin is the pivot
}

// A driven crank: torque from the kinetic energy it must supply, T = J alpha, and the works
// balance.
TEST(Reactions, TorqueOfADriver) {
  Model model = test::model_of(
      "[[body]]\nname='wheel'\nat=[0,0]\nmass=2\ninertia=0.5\n[[joint]]\ntype='revolute'\nname='"
      "pivot'\nbetween=['ground','wheel']\nat=[0,0]\n"
      "[[driver]]\nname='motor'\njoint='pivot'\nmotion='2 "
      "rad/s^2*t^2'\n[[analysis]]\ntype='dynamic'\nuntil=1\n");
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_NEAR(run.last("motor.torque"), 0.5 * 4, 1e-9);
  EXPECT_NEAR(run.last("wheel.omega"), 4, 1e-9);
  EXPECT_NEAR(run.last("energy.drivers"), 0.5 * 0.5 * 16, 1e-6);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
}

TEST(Time, RunsBackwards) {
  Model model = test::model_file("double-pendulum");
  test::tighten(model, 1e-11);
  model.forces.clear();  // without the damper the way back is the way there
  test::dynamic(model).until = 0.4;
  DynamicOptions back = test::dynamic(model);
  back.until = 0;
  model.analyses.emplace_back(back);
  Memory run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  EXPECT_NEAR(run.times.back(), 0, 1e-15);
  EXPECT_NEAR(run.last("upper.angle"), 0, 1e-8);
  EXPECT_NEAR(run.last("lower.omega"), 0, 1e-7);
}

}  // namespace
}  // namespace cardan
