// Friction of contacts in space against closed forms, impacts with friction, all formulations
// against each other, and scenes turned about.
#include <numbers>

#include "test/verify/space_runs.h"

namespace cardan {
namespace {

using test::complete;
using test::dynamic_analysis;
using test::Events;
using test::Memory;
using test::model_of;
using test::sphere;

constexpr double g = 9.81, r = 0.1;

std::string floor_contact(const std::string& more) {
  return "\n[[contact]]\nname = \"floor\"\ntype = \"sphere-plane\"\nbetween = [\"ground\", "
         "\"ball\"]\npoints = [[0, 0, 0], [0, 0, 0]]\naxis = [0, 0, 1]\nradius = 0.1\n" +
         more + "\n";
}

std::string space(const std::string& gravity = "[0, 0, -9.81]") {
  return "space = \"spatial\"\ngravity = " + gravity + "\n";
}

Vec<3> slip_of(const Vec<3>& v, const Vec<3>& omega) {
  return v + omega.cross(Vec<3>(0, 0, -r));
}

// Whatever the spin, the slip s keeps its direction, vanishes after 2 |s|/(7 mu g), and leaves
// v - 2/7 s; where the slip comes near transition_speed it vanishes more slowly.
TEST(SpaceFriction, SphereSlidesThenRolls) {
  const double mu = 0.4;
  for (const auto& [v, omega] : {std::pair<Vec<3>, Vec<3>>{{2, 0, 0}, {0, 0, 0}},
                                 {{1.5, 0, 0}, {0, -30, 0}},
                                 {{1, 0.5, 0}, {12, 9, 4}}}) {
    Memory run;
    const Outcome out = complete(model_of(space() + sphere("ball", {0, 0, r}, v, omega) +
                                          floor_contact("friction = 0.4\ntransition_speed = 2e-4") +
                                          dynamic_analysis(0.45, 0.01, 1e-8)),
                                 run);
    const Vec<3> slip = slip_of(v, omega);
    const double rolls = 2 * slip.norm() / (7 * mu * g);
    ASSERT_LT(rolls, 0.4);
    for (std::size_t k = 0; k < run.rows.size(); ++k) {
      const double t = std::min(run.times[k], rolls);
      const Vec<3> expected = v - mu * g * t * slip.normalized();
      EXPECT_LT((test::vector(run, "ball.v", k) - expected).norm(), 1e-4) << run.times[k];
    }
    const std::size_t last = run.rows.size() - 1;
    EXPECT_LT((test::vector(run, "ball.v", last) - (v - 2.0 / 7 * slip)).norm(), 1e-6);
    EXPECT_LT(
        slip_of(test::vector(run, "ball.v", last), test::vector(run, "ball.omega_", last)).norm(),
        1e-6);
    EXPECT_NEAR(run.value("ball.omega_z", last), omega.z(), 1e-8);  // no friction against boring
    EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
  }
}

// The same on a compliant floor, from the depth at which it carries the weight.
TEST(SpaceFriction, SphereRollsOnACompliantFloor) {
  const Vec<3> v(1, 0.5, 0), omega(12, 9, 4), slip = slip_of(v, omega);
  const double depth = std::sqrt(2 * 2 * g * 1e-4 / 1e6);
  Memory run;
  const Outcome out =
      complete(model_of(space() + sphere("ball", {0, 0, r - depth}, v, omega) +
                        floor_contact("friction = 0.4\nstiffness = 1e6\nonset = 1e-4\ndamping = "
                                      "100\ntransition_speed = 1e-3") +
                        dynamic_analysis(0.3, 0.01, 1e-8)),
               run);
  const std::size_t last = run.rows.size() - 1;
  EXPECT_LT((test::vector(run, "ball.v", last) - (v - 2.0 / 7 * slip)).norm(), 1e-5);
  EXPECT_NEAR(run.value("floor.normal", last), 2 * g, 1e-4);
  const Vec<3> sliding = v - 0.4 * g * 0.05 * slip.normalized();
  EXPECT_LT((test::vector(run, "ball.v", 5) - sliding).norm(), 1e-5);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
}

// A box on four feet, one more than it needs, slides across a slope and stops.
TEST(SpaceFriction, BoxOnFourFeetSlidesAndStops) {
  const double slope = 0.2, mu = 0.5;
  std::string text = space(fmt::format("[{}, 0, {}]", g * std::sin(slope), -g * std::cos(slope))) +
                     R"toml(
[[body]]
name = "box"
mass = 3
inertia = [0.02, 0.03, 0.04]
at = [0, 0, 0.1]
velocity = [0, 1.2, 0]
)toml";
  for (int k = 0; k < 4; ++k)
    text += fmt::format(
        "\n[[contact]]\ntype = \"sphere-plane\"\nname = \"foot {}\"\nbetween = [\"ground\", "
        "\"box\"]\npoints = [[0, 0, 0], [{}, {}, -0.08]]\naxis = [0, 0, 1]\nradius = "
        "0.02\nfriction = {}\n",
        k + 1,
        k % 2 == 0 ? -0.2 : 0.2,
        k < 2 ? -0.15 : 0.15,
        mu);
  Memory run;
  const Outcome out = complete(model_of(text + dynamic_analysis(1, 0.01, 1e-8)), run);
  const std::size_t last = run.rows.size() - 1;
  double normal = 0, resting = 0;
  for (int k = 1; k <= 4; ++k) {
    normal += run.value(fmt::format("foot {}.normal", k), last);
    resting += run.value(fmt::format("foot {}.mode", k), last) == 2 ? 1 : 0;
  }
  EXPECT_NEAR(normal, 3 * g * std::cos(slope), 1e-6);
  EXPECT_EQ(resting, 1);
  EXPECT_LT(test::vector(run, "box.v", last).norm(), 1e-12);  // tan(slope) < mu
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
}

// A sphere with slip s hits at u: friction takes mu (1 + e) u off its speed, or 2/7 s when that is
// less and it sticks.
TEST(SpaceImpact, SphereWithSpinSlipsOrSticks) {
  const Vec<3> v(1.2, -0.7, -2), omega(4, 7, -5);
  const Vec<3> slip = slip_of(Vec<3>(v.x(), v.y(), 0), omega);
  for (const double mu : {0.05, 0.9}) {
    Events run;
    const Outcome out =
        complete(model_of(space("[0, 0, 0]") + sphere("ball", {0, 0, r + 0.2}, v, omega) +
                          floor_contact(fmt::format("restitution = 0.6\nfriction = {}", mu)) +
                          dynamic_analysis(0.2, 0.01)),
                 run);
    ASSERT_EQ(run.times_of("impact").size(), 1u);
    EXPECT_NEAR(run.times_of("impact")[0], 0.1, 1e-12);
    const double take = std::min(mu * 1.6 * 2, 2.0 / 7 * slip.norm());
    const Vec<3> expected = Vec<3>(v.x(), v.y(), 1.2) - take * slip.normalized();
    const std::size_t last = run.rows.size() - 1;
    EXPECT_LT((test::vector(run, "ball.v", last) - expected).norm(), 1e-12);
    const Vec<3> after =
        slip_of(Vec<3>(expected.x(), expected.y(), 0), test::vector(run, "ball.omega_", last));
    if (mu > 0.5) {
      EXPECT_LT(after.norm(), 1e-12);
    } else {
      EXPECT_LT(after.normalized().cross(slip.normalized()).norm(), 1e-12);
    }
    EXPECT_LT(out.summary.energy.max_imbalance, 1e-12);
  }
}

// Three balls fixed to one body hit a plane at once, each with friction: nothing changes when the
// scene is turned about the normal, or moved anywhere.
TEST(SpaceImpact, TurnedAboutTheNormalNothingChanges) {
  std::string text = space() + R"toml(
[[body]]
name = "tripod"
mass = 2
inertia = [0.03, 0.05, 0.07]
at = [0, 0, 0.9]
velocity = [1.5, 0.4, 0]
angular_velocity = [0.3, -2, 1]
)toml";
  for (int k = 0; k < 3; ++k)
    text += fmt::format(
        "\n[[contact]]\ntype = \"sphere-plane\"\nname = \"foot {}\"\nbetween = [\"ground\", "
        "\"tripod\"]\npoints = [[0, 0, 0], [{}, {}, -0.1]]\naxis = [0, 0, 1]\nradius = "
        "0.05\nrestitution = 0.5\nfriction = 0.3\n",
        k + 1,
        0.3 * std::cos(2.1 * k),
        0.3 * std::sin(2.1 * k));
  Model model = model_of(text + dynamic_analysis(0.75, 0.05, 1e-13));
  test::tighten(model, 1e-13, "dop853");
  Events here;
  const Outcome out = complete(model, here);
  EXPECT_GT(here.times_of("impact").size(), 2u);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-9);
  for (const auto& [turn, shift] :
       {std::pair<Quaternion, Vec<3>>{quaternion_about({0, 0, 1}, 0.77), {0, 0, 0}},
        {quaternion_about({1, -2, 0.5}, 1.1), {0.3, -0.7, 0.4}}}) {
    const test::Motion3 m{matrix_of_quaternion(turn), shift};
    Events there;
    complete(test::moved(model, m), there);
    ASSERT_EQ(here.events.size(), there.events.size());
    for (std::size_t k = 0; k < here.rows.size(); ++k) {
      EXPECT_LT(
          (m.A * test::vector(here, "tripod.", k) + m.s - test::vector(there, "tripod.", k)).norm(),
          1e-10)
          << here.times[k];
      EXPECT_LT(
          (m.A * test::vector(here, "tripod.v", k) - test::vector(there, "tripod.v", k)).norm(),
          1e-9);
    }
  }
}

TEST(SpaceFriction, PainleveParadoxIsNamed) {
  Memory run;
  const Model planar = model_of(R"toml(
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
)toml");
  const Outcome out = run_model(test::embedded(planar), run, {});
  EXPECT_EQ(out.summary.status, "failed");
  ASSERT_FALSE(out.summary.diagnostics.empty());
  EXPECT_EQ(out.summary.diagnostics.back().id, "numeric.friction-paradox");
  EXPECT_NE(out.summary.diagnostics.back().element.find("tip"), std::string::npos);
}

// ---------------------------------------------------------------- formulations

std::string arm_on_a_ball() {
  return space() + R"toml(
[[body]]
name = "arm"
mass = 1
inertia = [0.01, 0.02, 0.025]
at = [0, 0, 0]
centre = [0.25, 0, 0]
angular_velocity = [0, 0, 1]
[[joint]]
type = "spherical"
name = "socket"
between = ["ground", "arm"]
at = [0, 0, 0]
friction = 0.1
transition_speed = 1e-3
ball_radius = 0.02
[[contact]]
type = "sphere-plane"
name = "floor"
between = ["ground", "arm"]
points = [[0, 0, -0.2], [0.5, 0, 0]]
axis = [0, 0, 1]
radius = 0.05
restitution = 0.5
friction = 0.2
transition_speed = 1e-3
)toml" + dynamic_analysis(0.8, 0.02, 1e-9);
}

class EveryFormulationInSpace : public testing::TestWithParam<std::string> {};

TEST_P(EveryFormulationInSpace, AgreesOnContactsAndFriction) {
  Model model = model_of(arm_on_a_ball());
  Events reference, run;
  complete(model, reference);
  EXPECT_GT(reference.times_of("impact").size(), 3u);
  test::dynamic(model).formulation = GetParam();
  const Outcome out = complete(model, run);
  ASSERT_EQ(run.rows.size(), reference.rows.size());
  for (std::size_t k = 0; k < run.rows.size(); ++k)
    EXPECT_LT(
        (test::vector(run, "arm.omega_", k) - test::vector(reference, "arm.omega_", k)).norm(),
        GetParam() == "half-explicit" ? 1e-4 : 1e-5)
        << run.times[k];
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All,
                         EveryFormulationInSpace,
                         testing::Values("direct",
                                         "baumgarte",
                                         "partitioned",
                                         "hybrid",
                                         "tangent-svd",
                                         "tangent-qr",
                                         "null-space",
                                         "reduced",
                                         "half-explicit"));

// A run continued from a checkpoint between impacts gives the same bits.
TEST(SpaceFriction, ContinuedRunsGiveTheSame) {
  const Model model = model_of(arm_on_a_ball());
  Memory whole, first, rest;
  complete(model, whole);
  first.checkpoint_every = 7;
  int left = 90;
  Control control;
  control.cancelled = [&] {
    return --left <= 0;
  };
  ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
  ASSERT_EQ(run_model(model, rest, {}, first.last_checkpoint).summary.status, "complete");
  ASSERT_FALSE(rest.rows.empty());
  ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
  for (std::size_t k = 0; k < rest.rows.size(); ++k)
    EXPECT_EQ(rest.rows[k], whole.rows[first.rows_at_checkpoint + k]) << rest.times[k];
}

}  // namespace
}  // namespace cardan
