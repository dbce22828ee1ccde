// Friction driven by reactions against closed forms, and all formulations against each other.
#include <cmath>
#include <numbers>

#include "cardan/formulation/formulation.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::model_of;

constexpr double g = 9.81;

Outcome complete(const Model& model, test::Memory& run) {
  Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "complete");
  for (const auto& d : out.summary.diagnostics)
    if (d.severity == Severity::error) ADD_FAILURE() << to_text(d);
  return out;
}

std::string incline(const std::string& joint) {
  return R"toml(
gravity = [0, -9.81]
[parameters]
slope = "30 deg"
[[body]]
name = "block"
at = [0, 0]
angle = "slope"
mass = 2
inertia = 0.1
)toml" + joint +
         R"toml(
[[analysis]]
type = "dynamic"
until = 1
output_step = 0.1
rtol = 1e-9
atol = 1e-11
)toml";
}

TEST(Friction, BlockOnAnIncline) {
  const double slope = std::numbers::pi / 6, mu = 0.25;
  const double a = g * (std::sin(slope) - mu * std::cos(slope));
  test::Memory run;
  const Outcome out = complete(model_of(incline(R"toml(
[[joint]]
type = "translational"
name = "plane"
between = ["ground", "block"]
axis = ["-cos(slope)", "-sin(slope)"]
friction = 0.25
transition_speed = 1e-3
[[initial]]
joint = "plane"
displacement = 0
velocity = 0.1
)toml")),
                               run);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-8);
  EXPECT_NEAR(run.last("plane.friction"), mu * 2 * g * std::cos(slope), 1e-9);
  EXPECT_NEAR(std::hypot(run.last("block.ax"), run.last("block.ay")), a, 1e-9);
  EXPECT_NEAR(std::hypot(run.last("block.vx"), run.last("block.vy")), 0.1 + a, 1e-8);
}

TEST(Friction, HardContactOnAnInclineSticksWhenItIsFlatEnough) {
  for (const double mu : {0.25, 0.8}) {
    test::Memory run;
    const Outcome out = complete(model_of(incline(R"toml(
[[contact]]
type = "disc-line"
name = "a"
between = ["ground", "block"]
points = [[0, 0], [-0.1, 0]]
axis = ["cos(slope)", "sin(slope)"]
friction = )toml" + std::to_string(mu) + R"toml(
[[contact]]
type = "disc-line"
name = "b"
between = ["ground", "block"]
points = [[0, 0], [0.1, 0]]
axis = ["cos(slope)", "sin(slope)"]
friction = )toml" + std::to_string(mu))),
                                 run);
    const double slope = std::numbers::pi / 6;
    EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
    EXPECT_NEAR(run.last("a.normal") + run.last("b.normal"), 2 * g * std::cos(slope), 1e-7);
    const double speed = std::hypot(run.last("block.vx"), run.last("block.vy"));
    if (mu > std::tan(slope)) {
      EXPECT_NEAR(speed, 0, 1e-12);
    } else {
      EXPECT_NEAR(speed, g * (std::sin(slope) - mu * std::cos(slope)), 1e-8);
    }
  }
}

TEST(Friction, FlywheelRunsOut) {
  test::Memory run;
  const Outcome out = complete(model_of(R"toml(
gravity = [0, -9.81]
[[body]]
name = "wheel"
at = [0, 0]
mass = 10
inertia = 0.4
[[joint]]
type = "revolute"
name = "bearing"
between = ["ground", "wheel"]
at = [0, 0]
friction = 0.1
pin_radius = 0.02
[[initial]]
joint = "bearing"
angle = 0
rate = 5
[[analysis]]
type = "dynamic"
until = 8
output_step = 0.1
rtol = 1e-9
atol = 1e-11
)toml"),
                               run);
  const double braking = 0.1 * 0.02 * 10 * g / 0.4;
  EXPECT_NEAR(run.value("wheel.omega", 50), 5 - 5 * braking, 1e-7);
  EXPECT_NEAR(run.value("bearing.friction", 50), 0.1 * 0.02 * 10 * g, 1e-9);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
}

// Force and torque of a guide: a slider pushed beside its axis. Edges a length L apart carry
// F/2 +- T/L.
TEST(Friction, GuideWithATiltingMoment) {
  test::Memory run;
  complete(model_of(R"toml(
gravity = [0, 0]
[[body]]
name = "slider"
at = [0, 0]
mass = 2
inertia = 0.1
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "slider"]
axis = [1, 0]
friction = 0.2
guide_length = 0.1
[[force]]
type = "force"
body = "slider"
point = [0, 0.3]
value = [10, 0]
[[initial]]
joint = "guide"
displacement = 0
velocity = 1
[[analysis]]
type = "dynamic"
until = 0.5
)toml"),
           run);
  // N = 2 T/L with T = 10*0.3, whatever friction does: it acts on the axis.
  EXPECT_NEAR(run.last("guide.friction"), 0.2 * 2 * 3 / 0.1, 1e-8);
  EXPECT_NEAR(run.last("slider.ax"), (10 - 12.0) / 2, 1e-8);
}

double stick_slip_period(double scale) {  // of the speeds that regularise friction
  Model model = test::model_file("stick-slip");
  for (auto& joint : model.joints)
    if (joint.name == "contact") {
      joint.settings.emplace_back("transition_speed", 1e-3 * scale);
      joint.settings.emplace_back("stribeck_speed", 20e-3 * scale);
    }
  test::Memory run;
  complete(model, run);
  const double middle = 0.45 * g / 100;  // between friction at rest and sliding
  std::vector<double> slips;
  for (std::size_t i = 1; i < run.rows.size(); ++i) {
    const double a = run.value("travel", i - 1) - middle, b = run.value("travel", i) - middle;
    if (a > 0 && b <= 0) slips.push_back(run.times[i - 1] + 5e-3 * a / (a - b));
  }
  EXPECT_GE(slips.size(), 3u);
  return slips.back() - slips[slips.size() - 2];
}

TEST(Friction, RegularisedStickSlipComesNearThePeriodOfIdealFriction) {
  const double v = 0.1, w = 10, d = 0.3 * g / 100;
  const double ideal = 2 * d / v + 2 / w * (std::numbers::pi - std::atan(d * w / v));
  const double rough = stick_slip_period(1) / ideal - 1, fine = stick_slip_period(0.25) / ideal - 1;
  EXPECT_LT(rough, 0.05);
  EXPECT_LT(std::abs(fine), 0.3 * rough);
}

// A rod sliding on its tip under an angle, pushed forwards: mu > 4/3 is needed for the paradox of a
// uniform rod.
TEST(Friction, PainleveParadoxIsNamed) {
  test::Memory run;
  const Outcome out = run_model(model_of(R"toml(
gravity = [0, -9.81]
[parameters]
lean = "60 deg"
[[body]]
name = "rod"
from = [0, 0]
to = ["cos(lean)", "sin(lean)"]
mass = 1
velocity = [-10, 0]
fixed = ["x", "y", "angle", "vx", "vy", "rate"]
[[contact]]
type = "disc-line"
name = "tip"
between = ["ground", "rod"]
points = [[0, 0], [0, 0]]
axis = [1, 0]
friction = 3
[[analysis]]
type = "dynamic"
until = 1
)toml"),
                                run,
                                {});
  EXPECT_EQ(out.summary.status, "failed");
  ASSERT_FALSE(out.summary.diagnostics.empty());
  EXPECT_EQ(out.summary.diagnostics.back().id, "numeric.friction-paradox");
  EXPECT_NE(out.summary.diagnostics.back().element.find("tip"), std::string::npos);
}

class EveryFormulation : public testing::TestWithParam<std::string> {};

TEST_P(EveryFormulation, AgreesOnStopsAndFriction) {
  Model model = test::model_file("pendulum-stops");
  DynamicOptions& o = test::dynamic(model);
  o.until = 1.5;
  o.rtol = o.atol = 1e-9;
  test::Memory reference, run;
  complete(model, reference);
  o.formulation = GetParam();
  const Outcome out = complete(model, run);
  ASSERT_EQ(run.rows.size(), reference.rows.size());
  for (std::size_t k = 0; k < run.rows.size(); k += 30)
    EXPECT_NEAR(run.value("bar.angle", k), reference.value("bar.angle", k), 2e-6) << run.times[k];
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All,
                         EveryFormulation,
                         testing::Values("direct",
                                         "baumgarte",
                                         "partitioned",
                                         "hybrid",
                                         "tangent-svd",
                                         "tangent-qr",
                                         "null-space",
                                         "reduced",
                                         "half-explicit"));

TEST(Rattle, TakesStopsAndRefusesFriction) {
  Model model = test::model_file("pendulum-stops");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = "rattle";
  o.step = 1e-3;
  test::Memory run;
  Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_EQ(out.summary.diagnostics.back().id, "model.unknown-option");
  for (auto& joint : model.joints)
    std::erase_if(joint.settings, [](const auto& s) { return s.first == "friction"; });
  o.order = 4;
  test::Memory reference;
  out = complete(model, run);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
  o.formulation = "projected";
  o.step = 0;
  o.order = 0;
  complete(model, reference);
  EXPECT_NEAR(run.last("bar.angle"), reference.last("bar.angle"), 1e-5);
}

}  // namespace
}  // namespace cardan
