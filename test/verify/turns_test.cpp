// Whole turns of joints in space do not depend on which rows are stored: the channel of a joint's
// angle is what the closed form and a request on the joint say, however far apart the rows are.
#include <cmath>
#include <numbers>

#include "test/verify/support.h"

namespace cardan {
namespace {

std::string rotor(const std::string& type, const std::string& more, double output_step) {
  return "space = 'spatial'\ngravity = [0, 0, 0]\n"
         "[[body]]\nname='rotor'\nat=[0, 0, 0]\nmass=1\ninertia=[1, 1, 1]\n"
         "[[joint]]\ntype='" +
         type +
         "'\nname='hinge'\nbetween=['ground', 'rotor']\nat=[0, 0, 0]\naxis=[0, 0, 1]\n"
         "[[request]]\nname='counted'\ntype='angle'\njoint='hinge'\n" +
         more +
         fmt::format(
             "[[analysis]]\ntype='dynamic'\nuntil=1\nrtol=1e-9\natol=1e-9\noutput_step={}\n",
             output_step);
}

class Turns : public testing::TestWithParam<const char*> {};

TEST_P(Turns, OfAFreeRotorFollowTheClosedForm) {
  for (const char* type : {"revolute", "cylindrical"})
    for (const double step : {1.0, 0.5, 0.25, 0.1, 0.01}) {
      Model model = test::model_of(rotor(
          type,
          "[[force]]\ntype='torque'\nbody='rotor'\nvalue=['0', '0', '100*sin(2*pi*t/(1 s))']\n",
          step));
      test::dynamic(model).formulation = GetParam();
      test::Memory run;
      ASSERT_EQ(run_model(model, run, {}).summary.status, "complete") << GetParam();
      for (std::size_t k = 0; k < run.rows.size(); ++k) {
        const double w = 2 * std::numbers::pi, t = run.times[k];
        const double angle = 100 / w * (t - std::sin(w * t) / w);
        EXPECT_NEAR(run.value("hinge.angle", k), angle, 1e-5) << type << ' ' << step << ' ' << t;
        EXPECT_NEAR(run.value("counted", k), angle, 1e-5) << type << ' ' << step << ' ' << t;
        EXPECT_NEAR(run.value("hinge.angle_rate", k), 100 / w * (1 - std::cos(w * t)), 1e-5);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Formulations,
    Turns,
    testing::Values("projected", "partitioned", "hybrid", "null-space", "reduced"));

TEST(Turns, OfADrivenRotorFollowTheDriver) {
  for (const double step : {0.25, 0.1, 0.05}) {
    const Model model = test::model_of(
        rotor("revolute",
              "[[driver]]\nname='motor'\njoint='hinge'\nmotion='20*sin(2*pi*t/(1 s))'\n",
              step));
    test::Memory run;
    ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
    for (std::size_t k = 0; k < run.rows.size(); ++k)
      EXPECT_NEAR(
          run.value("hinge.angle", k), 20 * std::sin(2 * std::numbers::pi * run.times[k]), 1e-6);
  }
}

}  // namespace
}  // namespace cardan
