// Joints and forces of space in motion, against closed formulas: angles over many turns, screws,
// gears, and rolling.
#include <cmath>

#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

Memory run_text(const std::string& text, const std::string& formulation = "auto") {
  Model model = test::model_of("space = \"spatial\"\n" + text);
  test::dynamic(model).formulation = formulation;
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "complete") << formulation;
  for (const Diagnostic& d : out.summary.diagnostics)
    if (d.severity == Severity::error) ADD_FAILURE() << d.id << ": " << d.found;
  return run;
}

std::string analysis(double until) {
  return fmt::format(
      "[[analysis]]\ntype = \"dynamic\"\nuntil = {}\noutput_step = 0.05\nrtol = 1e-10\natol = "
      "1e-10\n",
      until);
}

std::string wheel(const std::string& name, double x, double inertia, double spin) {
  return fmt::format(
      "[[body]]\nname = \"{0}\"\nmass = 1\ninertia = [{2}, {2}, {2}]\nat = [{1}, 0, 0]\n"
      "angular_velocity = [0, 0, {3}]\n"
      "[[joint]]\ntype = \"revolute\"\nname = \"{0} bearing\"\nbetween = [\"ground\", \"{0}\"]\n"
      "at = [{1}, 0, 0]\naxis = [0, 0, 1]\n"
      "[[request]]\ntype = \"angle\"\nname = \"{0}_angle\"\njoint = \"{0} bearing\"\n",
      name,
      x,
      inertia,
      spin);
}

const std::string winding = "gravity = [0, 0, 0]\n" + wheel("wheel", 0, 0.5, 40) +
                            "[[force]]\ntype = \"rotational-spring\"\nname = \"coil\"\n"
                            "between = [\"ground\", \"wheel\"]\naxis = [0, 0, 1]\n"
                            "stiffness = \"2 N*m\"\n";

class Winding : public testing::TestWithParam<const char*> {};

// 20 rad each way, more than three turns.
TEST_P(Winding, SpringOverManyTurns) {
  const Memory run = run_text(winding + analysis(3.3), GetParam());
  ASSERT_FALSE(run.rows.empty());
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double exact = 20 * std::sin(2 * run.times[row]);
    EXPECT_NEAR(run.value("wheel_angle", row), exact, 1e-6);
    EXPECT_NEAR(run.value("coil.torque", row), 2 * exact, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         Winding,
                         testing::Values("direct", "baumgarte", "projected", "half-explicit"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(SpatialTurns, AreKeptInACheckpoint) {
  const Model model = test::model_of("space = \"spatial\"\n" + winding + analysis(3.3));
  Memory whole, first, rest;
  ASSERT_EQ(run_model(model, whole, {}).summary.status, "complete");
  first.checkpoint_every = 5;
  int left = 60;
  Control control;
  control.cancelled = [&] {
    return --left <= 0;
  };
  ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
  ASSERT_FALSE(first.last_checkpoint.empty());
  ASSERT_EQ(run_model(model, rest, {}, first.last_checkpoint).summary.status, "complete");
  EXPECT_EQ(rest.last("wheel_angle"), whole.last("wheel_angle"));
}

TEST(SpatialTurns, ScrewAdvances) {
  const Memory run = run_text(
      "gravity = [0, 0, 0]\n[[body]]\nname = \"nut\"\nmass = 2\ninertia = [0.1, 0.2, 0.3]\n"
      "[[joint]]\ntype = \"screw\"\nname = \"thread\"\nbetween = [\"ground\", \"nut\"]\n"
      "at = [0, 0, 0]\naxis = [0, 0, 1]\npitch = 0.5\n"
      "[[force]]\ntype = \"torque\"\nname = \"motor\"\nbody = \"nut\"\nvalue = [0, 0, \"1 "
      "N*m\"]\n" +
      analysis(5));
  ASSERT_FALSE(run.rows.empty());
  const double lead = 0.5 / (2 * M_PI), rate = 1 / (0.3 + 2 * lead * lead);
  for (std::size_t row = 0; row < run.rows.size(); ++row)
    EXPECT_NEAR(run.value("nut.z", row), lead * 0.5 * rate * std::pow(run.times[row], 2), 1e-8);
}

// Radii with and without a common divisor.
TEST(SpatialTurns, GearsShareATorque) {
  for (const double second : {0.3, 0.2 * std::sqrt(2.0)}) {
    const Memory run = run_text(
        "gravity = [0, 0, 0]\n" + wheel("a", 0, 0.1, 0) + wheel("b", 0.2 + second, 0.4, 0) +
        fmt::format("[[joint]]\ntype = \"gear\"\nname = \"mesh\"\nbetween = [\"a\", \"b\"]\n"
                    "points = [[0, 0, 0], [0, 0, 0]]\naxis = [0, 0, 1]\nradii = [0.2, {}]\n",
                    second) +
        "[[force]]\ntype = \"torque\"\nname = \"motor\"\nbody = \"a\"\nvalue = [0, 0, \"1 "
        "N*m\"]\n" +
        analysis(5));
    ASSERT_FALSE(run.rows.empty());
    const double ratio = 0.2 / second, rate = 1 / (0.1 + 0.4 * ratio * ratio);
    for (std::size_t row = 0; row < run.rows.size(); ++row) {
      const double angle = 0.5 * rate * std::pow(run.times[row], 2);
      EXPECT_NEAR(run.value("a_angle", row), angle, 1e-7);
      EXPECT_NEAR(run.value("b_angle", row), -ratio * angle, 1e-7);
    }
  }
}

class RollingBodies : public testing::TestWithParam<const char*> {};

// On a slope along x, thrown sideways: 5/7 of the acceleration of a body that slides.
TEST_P(RollingBodies, SphereOnASlope) {
  const Memory run = run_text(
      "gravity = [3, 0, -9]\n[[body]]\nname = \"ball\"\nmass = 2\ninertia = [0.008, 0.008, 0.008]\n"
      "at = [0, 0, 0.1]\nvelocity = [0, 0.3, 0]\nangular_velocity = [-3, 0, 0]\n"
      "[[joint]]\ntype = \"rolling-sphere\"\nname = \"floor\"\nbetween = [\"ground\", \"ball\"]\n"
      "points = [[0, 0, 0], [0, 0, 0]]\naxis = [0, 0, 1]\nradius = 0.1\n" +
          analysis(2),
      GetParam());
  ASSERT_FALSE(run.rows.empty());
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double t = run.times[row];
    EXPECT_NEAR(run.value("ball.x", row), 0.5 * 3 * 5.0 / 7 * t * t, 1e-8);
    EXPECT_NEAR(run.value("ball.y", row), 0.3 * t, 1e-8);
    EXPECT_NEAR(run.value("ball.z", row), 0.1, 1e-9);
  }
}

// A thin disc of radius R leans by a while its centre runs on a circle of radius r, where
//   m R g sin a = W^2 cos a (m R r + I r/R + I/2 sin a),  I = m R^2/2,
// and its spin about its own axis is -W (r + R sin a)/R.
TEST_P(RollingBodies, DiscRunsInACircle) {
  const double R = 0.2, r = 1, a = 0.3, g = 9.81, I = 0.5 * R * R;
  const double W =
      std::sqrt(R * g * std::sin(a) / (std::cos(a) * (R * r + I * r / R + 0.5 * I * std::sin(a))));
  const double spin = -W * (r + R * std::sin(a)) / R;
  const Vec<3> e(std::cos(a), 0, std::sin(a)), omega = W * Vec<3>(0, 0, 1) + spin * e;
  const Memory run =
      run_text(fmt::format("gravity = [0, 0, -9.81]\n[[body]]\nname = \"disc\"\nmass = 1\n"
                           "inertia = [{0}, {0}, {1}]\nat = [{2}, 0, {3}]\n"
                           "orientation = {{ z = [{4}, 0, {5}], y = [0, 1, 0] }}\n"
                           "velocity = [0, {6}, 0]\nangular_velocity = [{7}, 0, {8}]\n"
                           "[[joint]]\ntype = \"rolling-disc\"\nname = \"floor\"\n"
                           "between = [\"ground\", \"disc\"]\npoints = [[0, 0, 0], [0, 0, 0]]\n"
                           "axis = [[0, 0, 1], [{4}, 0, {5}]]\nradius = {9}\n",
                           I / 2,
                           I,
                           r,
                           R * std::cos(a),
                           e.x(),
                           e.z(),
                           W * r,
                           omega.x(),
                           omega.z(),
                           R) +
                   analysis(3),
               GetParam());
  ASSERT_FALSE(run.rows.empty());
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    EXPECT_NEAR(run.value("disc.x", row), r * std::cos(W * run.times[row]), 1e-6);
    EXPECT_NEAR(run.value("disc.y", row), r * std::sin(W * run.times[row]), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         RollingBodies,
                         testing::Values("direct", "baumgarte", "projected"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(SpatialRolling, OtherFormulationsAreRefused) {
  Model model = test::model_of(
      "space = \"spatial\"\n[[body]]\nname = \"ball\"\nmass = 2\ninertia = [0.008, 0.008, 0.008]\n"
      "at = [0, 0, 0.1]\n"
      "[[joint]]\ntype = \"rolling-sphere\"\nname = \"floor\"\nbetween = [\"ground\", \"ball\"]\n"
      "points = [[0, 0, 0], [0, 0, 0]]\naxis = [0, 0, 1]\nradius = 0.1\n" +
      analysis(1));
  test::dynamic(model).formulation = "half-explicit";
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "failed");
  ASSERT_FALSE(out.summary.diagnostics.empty());
  EXPECT_EQ(out.summary.diagnostics.back().id, "model.unknown-option");
}

}  // namespace
}  // namespace cardan
