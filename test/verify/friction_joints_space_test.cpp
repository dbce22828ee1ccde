// Friction of joints in space against closed forms and the reactions that are recorded.
#include "test/verify/space_runs.h"

namespace cardan {
namespace {

using test::complete;
using test::dynamic_analysis;
using test::Memory;
using test::model_of;

constexpr double g = 9.81;

std::string space(const std::string& gravity = "[0, 0, -9.81]") {
  return "space = \"spatial\"\ngravity = " + gravity + "\n";
}

std::string flywheel(const std::string& gravity, const std::string& keys) {
  return space(gravity) + R"toml(
[[body]]
name = "wheel"
mass = 10
inertia = [0.3, 0.3, 0.4]
at = [0, 0, 0.5]
[[joint]]
type = "revolute"
name = "bearing"
between = ["ground", "wheel"]
at = [0, 0, 0]
axis = [0, 0, 1]
friction = 0.1
)toml" + keys +
         "\n[[initial]]\njoint = \"bearing\"\nangle = 0\nrate = 5\n" +
         dynamic_analysis(1, 0.1, 1e-9);
}

TEST(SpaceJointFriction, HingeWithRadialLoadThrustAndBending) {
  struct Case {
    const char *gravity, *keys;
    double torque;
  };

  const double W = 10 * g;
  for (const Case& c :
       {Case{"[0, -9.81, 0]", "pin_radius = 0.02", 0.1 * 0.02 * W},
        Case{"[0, 0, -9.81]", "pin_radius = 0.02", 0},
        Case{"[0, 0, -9.81]", "pin_radius = 0.02\ncollar_radius = 0.05", 0.1 * 0.05 * W},
        Case{"[0, 0, -9.81]", "collar_radius = 0.05", 0.1 * 0.05 * W},
        // F/2 +- W 0.5/0.2
        Case{"[0, -9.81, 0]", "pin_radius = 0.02\nbearing_length = 0.2", 0.1 * 0.02 * 5 * W},
        Case{"[0, -6, -8]",
             "pin_radius = 0.02\ncollar_radius = 0.03",
             0.1 * (0.02 * 60 + 0.03 * 80)}}) {
    Memory run;
    const Outcome out = complete(model_of(flywheel(c.gravity, c.keys)), run);
    EXPECT_NEAR(run.last("bearing.angle_rate"), 5 - c.torque / 0.4, 1e-7) << c.keys;
    EXPECT_NEAR(run.last("bearing.friction"), c.torque, 1e-8) << c.keys;
    EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
  }
}

double hypot3(const Memory& run, const std::string& name, std::size_t row) {
  return test::vector(run, name, row).norm();
}

// The loads are what the recorded reactions of the joints say.
TEST(SpaceJointFriction, LoadsAreThoseOfTheRecordedReactions) {
  Memory run;
  const Outcome out = complete(model_of(space() + R"toml(
[[body]]
name = "frame"
mass = 2
inertia = [0.05, 0.04, 0.03]
at = [0.2, 0.1, 0]
orientation = { axis = [1, 1, 0], angle = "40 deg" }
[[body]]
name = "rod"
mass = 1.5
inertia = [0.03, 0.03, 0.01]
at = [0.4, 0.3, -0.2]
[[body]]
name = "slider"
mass = 1
inertia = [0.02, 0.01, 0.015]
at = [0.5, 0.3, -0.5]
[[body]]
name = "sleeve"
mass = 0.7
inertia = [0.01, 0.02, 0.015]
at = [0.45, 0.1, 0.1]
[[joint]]
type = "revolute"
name = "hinge"
between = ["ground", "frame"]
at = [0, 0, 0]
axis = [1, 2, 0.5]
friction = 0.15
transition_speed = 1e-3
pin_radius = 0.03
bearing_length = 0.08
[[joint]]
type = "spherical"
name = "ball"
between = ["frame", "rod"]
at = [0.35, 0.25, -0.1]
friction = 0.2
transition_speed = 1e-3
ball_radius = 0.04
[[joint]]
type = "translational"
name = "guide"
between = ["rod", "slider"]
at = [0.5, 0.35, -0.4]
axis = [0.2, 0.1, 1]
friction = 0.1
transition_speed = 1e-3
guide_length = 0.15
guide_width = 0.05
[[joint]]
type = "cylindrical"
name = "pin"
between = ["frame", "sleeve"]
at = [0.4, 0.15, 0.05]
axis = [1, -0.3, 0.2]
friction = 0.12
transition_speed = 1e-3
pin_radius = 0.02
bearing_length = 0.1
[[force]]
type = "spring"
between = ["rod", "slider"]
points = [[0, 0, 0], [0, 0, 0]]
stiffness = 100
[[force]]
type = "spring"
between = ["frame", "sleeve"]
points = [[0, 0, 0], [0, 0, 0]]
stiffness = 50
)toml" + dynamic_analysis(0.5, 0.05, 1e-9)),
                               run);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
  const auto edges = [&](const std::string& joint, double length, std::size_t row) {
    const Vec<3> F = test::vector(run, joint + ".second.local.f", row),
                 M = test::vector(run, joint + ".second.local.m", row);
    const Vec<3> across(F.x(), F.y(), 0), tilt = M.cross(Vec<3>(0, 0, 1)) / length;
    return (0.5 * across + tilt).norm() + (0.5 * across - tilt).norm();
  };
  const auto law = [](double mu, double speed) {
    return mu * std::tanh(std::abs(speed) / 1e-3);
  };
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    const double rate = run.value("hinge.angle_rate", k);
    EXPECT_NEAR(std::abs(run.value("hinge.friction", k)),
                law(0.15, 0.03 * rate) * 0.03 * edges("hinge", 0.08, k),
                1e-8);
    const Vec<3> spin = test::vector(run, "rod.omega_", k) - test::vector(run, "frame.omega_", k);
    EXPECT_NEAR(run.value("ball.friction", k),
                law(0.2, 0.04 * spin.norm()) * 0.04 * hypot3(run, "ball.second.f", k),
                1e-8);
    const double torsion = 2 * std::abs(run.value("guide.second.local.mz", k)) / 0.05;
    EXPECT_NEAR(
        std::abs(run.value("guide.friction", k)),
        law(0.1, run.value("guide.displacement_rate", k)) * (edges("guide", 0.15, k) + torsion),
        1e-7);
    const double slide =
        std::hypot(run.value("pin.displacement_rate", k), 0.02 * run.value("pin.angle_rate", k));
    EXPECT_NEAR(run.value("pin.friction", k), law(0.12, slide) * edges("pin", 0.1, k), 1e-8);
  }
}

// A sleeve on a level pin turns and slides: both slow down together, at mu g in the plane
// (axial speed, radius times rate), where turning weighs J/(m radius^2).
TEST(SpaceJointFriction, SleeveSlidesAndTurnsAtOnce) {
  Memory run;
  const double mu = 0.1;
  const Outcome out = complete(model_of(space() + R"toml(
[[body]]
name = "sleeve"
mass = 2
inertia = [0.005, 0.02, 0.02]
at = [0, 0, 0]
[[joint]]
type = "cylindrical"
name = "pin"
between = ["ground", "sleeve"]
at = [0, 0, 0]
axis = [1, 0, 0]
friction = 0.1
pin_radius = 0.05
transition_speed = 1e-4
[[initial]]
joint = "pin"
displacement = 0
velocity = 0.6
[[initial]]
joint = "pin"
angle = 0
rate = 16
)toml" + dynamic_analysis(1.2, 0.01)),
                               run);
  // J = m radius^2: both parts decay in proportion, |s| = 1 m/s at mu g.
  EXPECT_NEAR(run.value("pin.displacement_rate", 50), 0.6 * (1 - mu * g * 0.5), 1e-8);
  EXPECT_NEAR(run.value("pin.angle_rate", 50), 16 * (1 - mu * g * 0.5), 1e-7);
  EXPECT_NEAR(run.value("pin.friction", 50), mu * 2 * g, 1e-9);
  EXPECT_NEAR(run.last("pin.displacement_rate"), 0, 1e-5);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
}

TEST(SpaceJointFriction, BallJointSlowsSpinAndSwing) {
  const auto text = [](const char* rates) {
    return space() + R"toml(
[[body]]
name = "bob"
mass = 3
inertia = [0.02, 0.02, 0.01]
at = [0, 0, 0]
centre = [0, 0, -0.4]
angular_velocity = )toml" +
           rates + R"toml(
[[joint]]
type = "spherical"
name = "socket"
between = ["ground", "bob"]
at = [0, 0, 0]
friction = 0.05
ball_radius = 0.02
)toml" + dynamic_analysis(2, 0.01, 1e-9);
  };
  Memory spin, swing;
  complete(model_of(text("[0, 0, 20]")), spin);
  const double torque = 0.05 * 0.02 * 3 * g;
  EXPECT_NEAR(spin.value("bob.omega_z", 100), 20 - torque / 0.01, 1e-7);
  EXPECT_NEAR(spin.value("socket.friction", 100), torque, 1e-9);
  const Outcome out = complete(model_of(text("[2, 1, 5]")), swing);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
  double before = 1e300;
  for (std::size_t k = 0; k < swing.rows.size(); ++k) {
    const double energy = swing.value("energy.kinetic", k) + swing.value("energy.potential", k);
    EXPECT_LE(energy, before + 1e-9);
    before = energy;
  }
}

}  // namespace
}  // namespace cardan
