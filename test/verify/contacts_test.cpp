// Stops, contacts, impacts and switching forces against closed forms.
#include <cmath>

#include "test/verify/support.h"

namespace cardan {
namespace {

using test::model_of;

constexpr double g = 9.81;

struct Events : test::Memory {
  std::vector<Event> events;

  Fault event(const Event& e) override {
    events.push_back(e);
    return {};
  }

  std::vector<double> times_of(const std::string& kind) const {
    std::vector<double> list;
    for (const auto& e : events)
      if (e.kind == kind) list.push_back(e.t);
    return list;
  }
};

Outcome expect_complete(const Model& model, Events& run) {
  Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "complete");
  for (const auto& d : out.summary.diagnostics)
    if (d.severity == Severity::error) ADD_FAILURE() << to_text(d);
  return out;
}

std::string ball(const std::string& contact, const std::string& formulation = "projected") {
  return R"toml(
gravity = [0, -9.81]
[[body]]
name = "ball"
at = [0, 1.1]
mass = 2
inertia = 0.008
fixed = ["x", "y", "angle", "vx", "vy", "rate"]
[[contact]]
name = "floor"
type = "disc-line"
between = ["ground", "ball"]
points = [[0, 0], [0, 0]]
axis = [1, 0]
radius = 0.1
)toml" + contact +
         "\n[[analysis]]\ntype = \"dynamic\"\nuntil = 5\noutput_step = 0.01\nrtol = 1e-10\natol = "
         "1e-12\nformulation = \"" +
         formulation + "\"\n";
}

TEST(Impact, BouncingBallIsAGeometricSeries) {
  const double e = 0.8, fall = std::sqrt(2 / g);
  Events run;
  const Outcome out = expect_complete(model_of(ball("restitution = 0.8")), run);
  const auto impacts = run.times_of("impact");
  ASSERT_GT(impacts.size(), 20u);
  double t = fall, flight = 2 * fall;
  for (std::size_t n = 0; n < impacts.size(); ++n) {
    EXPECT_NEAR(impacts[n], t, 2e-9) << n;
    flight *= e;
    t += flight;
  }
  // The bouncing ends with the first rebound slower than 1 mm/s: after n impacts it is e^n sqrt(2
  // g).
  const double expected = std::ceil(std::log(1e-3 / std::sqrt(2 * g)) / std::log(e));
  EXPECT_EQ(static_cast<double>(impacts.size()), expected);
  EXPECT_EQ(run.times_of("rest").size(), 1u);
  EXPECT_EQ(run.times_of("engage").size(), 1u);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-9);
  EXPECT_NEAR(run.last("ball.y"), 0.1, 1e-9);
  EXPECT_NEAR(run.last("floor.normal"), 2 * g, 1e-8);
  EXPECT_EQ(run.last("floor.mode"), 1);
  const std::size_t top = 100;  // at 1 s: in free flight after the first impact
  const double since = 1.0 - impacts[0], up = e * std::sqrt(2 * g);
  EXPECT_NEAR(run.value("ball.y", top), 0.1 + up * since - 0.5 * g * since * since, 1e-8);
}

TEST(Impact, FreeRodStruckAtItsEnd) {
  Events run;
  expect_complete(model_of(R"toml(
gravity = [0, 0]
[[body]]
name = "rod"
at = [0, 1]
mass = 3
inertia = 0.25
fixed = ["x", "y", "angle", "vx", "vy", "rate"]
velocity = [0, -2]
[[contact]]
name = "edge"
type = "disc-line"
between = ["ground", "rod"]
points = [[0, 0], [0.5, 0]]
axis = [1, 0]
restitution = 0.4
[[analysis]]
type = "dynamic"
until = 0.6
)toml"),
                  run);
  ASSERT_EQ(run.times_of("impact").size(), 1u);
  EXPECT_NEAR(run.times_of("impact")[0], 0.5, 1e-12);
  const double p = 1.4 * 2 / (1.0 / 3 + 0.25 / 0.25);
  EXPECT_NEAR(run.last("rod.vy"), -2 + p / 3, 1e-12);
  EXPECT_NEAR(run.last("rod.omega"), p * 0.5 / 0.25, 1e-12);
}

// Both ends at once, through a joint: two bars in line, hinged in the middle, fall flat.
TEST(Impact, SimultaneousContactsAndJoints) {
  Events run;
  const Outcome out = expect_complete(model_of(R"toml(
gravity = [0, 0]
[[body]]
name = "left"
from = [0, 1]
to = [-1, 1]
mass = 1
[[body]]
name = "right"
from = [0, 1]
to = [1, 1]
mass = 1
[[joint]]
type = "revolute"
between = ["left", "right"]
at = [0, 1]
[[contact]]
type = "disc-line"
name = "a"
between = ["ground", "left"]
points = [[0, 0], [1, 0]]
axis = [1, 0]
restitution = 1
[[contact]]
type = "disc-line"
name = "b"
between = ["ground", "right"]
points = [[0, 0], [1, 0]]
axis = [1, 0]
restitution = 1
[[initial]]
body = "left"
vx = 0
vy = -1
rate = 0
[[initial]]
body = "right"
rate = 0
[[analysis]]
type = "dynamic"
until = 1.000001
)toml"),
                                      run);
  EXPECT_EQ(run.times_of("impact").size(), 2u);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-10);
  EXPECT_NEAR(out.summary.energy.final, out.summary.energy.initial, 1e-10);
  // By symmetry each bar is struck at its end while its hinge can only move up or down, and nothing
  // holds that: it turns about the point at 2/3 of its length.
  EXPECT_NEAR(run.last("left.omega"), -run.last("right.omega"), 1e-10);
  EXPECT_NEAR(run.last("right.omega"), 3.0, 1e-4);
}

// An arm turns to and fro between two posts without losing speed: the violations of velocities that
// `direct` and `baumgarte` carry along make no elastic impact a plastic one.
TEST(Impact, ElasticOnesOfAnArmKeepItsSpeed) {
  for (const char* formulation :
       {"direct", "baumgarte", "projected", "partitioned", "hybrid", "reduced"})
    for (const char* integrator : {"ode45", "dop853", "adams", "bdf"})
      for (const double rate : {-11.8, 3.0, 7.3}) {
        Model model = test::model_of(fmt::format(
            "gravity=[0,0]\n[[body]]\nname='arm'\nfrom=[0,0]\nto=[-0.6,-0.4]\nmass=2\nrate={0}\n"
            "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['ground','arm']\nat=[0,0]\n"
            "[[contact]]\ntype='disc-disc'\nname='post'\nbetween=['ground','arm']\n"
            "points=[[0.7,-0.3],[0.72,0]]\nradii=[0.01,0.06]\nrestitution=1\n"
            "[[contact]]\ntype='disc-disc'\nname='other'\nbetween=['ground','arm']\n"
            "points=[[0.67,-0.32],[0.72,0]]\nradii=[0.01,0.06]\nrestitution=1\n"
            "[[analysis]]\ntype='dynamic'\nuntil=6\nmax_step=1e9\n",
            rate));
        test::dynamic(model).formulation = formulation;
        test::dynamic(model).integrator = integrator;
        test::Memory run;
        const Outcome out = run_model(model, run, {});
        ASSERT_EQ(out.summary.status, "complete") << formulation << ' ' << integrator;
        EXPECT_NEAR(std::abs(run.last("arm.omega")), std::abs(rate), 1e-3 * std::abs(rate))
            << formulation << ' ' << integrator;
      }
}

TEST(Stop, ImpactOfAHingedRod) {
  Model model = test::model_file("pendulum-stops");
  Events run;
  const Outcome out = expect_complete(model, run);
  EXPECT_GT(run.times_of("impact").size(), 4u);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-8);
  for (std::size_t k = 0; k < run.rows.size(); ++k) EXPECT_GT(run.value("buffers.gap", k), -1e-9);
}

TEST(Stop, RodComesToRestOnItAndLeavesIt) {
  // Pressed against the upper stop by a torque that turns its sense at t = 1: N = torque -
  // weight's.
  Events run;
  expect_complete(model_of(R"toml(
gravity = [0, 0]
[[body]]
name = "rod"
from = [0, 0]
to = [1, 0]
mass = 3
[[joint]]
type = "revolute"
name = "hinge"
between = ["ground", "rod"]
at = [0, 0]
[[stop]]
joint = "hinge"
upper = 0.5
[[force]]
type = "torque"
body = "rod"
value = "2 N*m - 1 N*m/s*t"
[[initial]]
joint = "hinge"
angle = 0
rate = 0
[[analysis]]
type = "dynamic"
until = 3
output_step = 0.1
rtol = 1e-10
atol = 1e-12
)toml"),
                  run);
  ASSERT_EQ(run.times_of("engage").size(), 1u);
  ASSERT_EQ(run.times_of("release").size(), 1u);
  EXPECT_NEAR(run.times_of("release")[0], 2.0, 1e-9);
  EXPECT_NEAR(run.value("stop 1.normal", 15), 0.5, 1e-9);
  EXPECT_NEAR(run.last("rod.angle"), 0.5 - 1.0 / 6, 1e-8);  // J = 1: angle'' = -(t - 2)
}

TEST(Contact, CamFollowerLiftsOffWhereTheForceVanishes) {
  Events run;
  const Outcome out = expect_complete(test::model_file("cam-lift-off"), run);
  const auto released = run.times_of("release");
  ASSERT_GT(released.size(), 2u);
  const double m = 0.5, k = 200, e = 0.01, w = 60, p = 0.05;
  const double angle = std::asin((m * g + k * p) / ((m * w * w - k) * e));
  EXPECT_NEAR(released[0] * w, angle, 1e-8);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
}

TEST(Contact, CompliantOneReachesTheDepthOfItsEnergy) {
  Events run;
  const Outcome out = expect_complete(model_of(ball("stiffness = 1e5\nonset = 1e-3")), run);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
  EXPECT_GE(run.times_of("contact").size(), 2u);
  EXPECT_NEAR(run.times_of("contact")[0], std::sqrt(2 / g), 1e-9);
  EXPECT_EQ(run.times_of("contact").size(), run.times_of("separation").size());
  double deepest = 0;
  Model fine = model_of(ball("stiffness = 1e5\nonset = 1e-3"));
  test::dynamic(fine).output_step = 2e-5;
  test::dynamic(fine).until = 0.48;
  Events close;
  expect_complete(fine, close);
  for (std::size_t k = 0; k < close.rows.size(); ++k)
    deepest = std::max(deepest, -close.value("floor.gap", k));
  const double x = deepest, d = 1e-3, energy = 0.5e5 * (x * (x - d) + d * d / 3);
  EXPECT_NEAR(energy, 2 * g * (1 + x), 1e-4 * energy);
}

TEST(Contact, BallInARingStaysInside) {
  Events run;
  const Outcome out = expect_complete(model_of(R"toml(
gravity = [0, -9.81]
[[body]]
name = "ball"
at = [0.5, 0]
mass = 1
inertia = 0
fixed = ["x", "y", "vx", "vy"]
[[joint]]
type = "angle"
body = "ball"
[[contact]]
type = "disc-in-ring"
name = "ring"
between = ["ground", "ball"]
points = [[0, 0], [0, 0]]
radii = [1, 0.1]
restitution = 0.5
[[analysis]]
type = "dynamic"
until = 4
output_step = 0.01
rtol = 1e-9
atol = 1e-11
)toml"),
                                      run);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
  for (std::size_t k = 0; k < run.rows.size(); ++k) EXPECT_GT(run.value("ring.gap", k), -1e-8);
  EXPECT_EQ(run.last("ring.mode"), 1);  // slides to and fro on the ring without friction
}

TEST(Switch, ForceThatJumpsIsMetExactly) {
  // x'' = 1 until x = 1 (t = sqrt 2), then -1.
  Events run;
  const Outcome out = expect_complete(model_of(R"toml(
gravity = [0, 0]
[[body]]
name = "mass"
at = [0, 0]
mass = 1
inertia = 1
fixed = ["x", "y", "angle", "vx", "vy", "rate"]
[[request]]
type = "x"
name = "way"
body = "mass"
[[force]]
type = "force"
name = "push"
body = "mass"
point = [0, 0]
value = ["if(way < 1 m, 1 N, -1 N)", 0]
[[analysis]]
type = "dynamic"
until = 2
rtol = 1e-9
atol = 1e-11
)toml"),
                                      run);
  const auto times = run.times_of("switch");
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(times[0], std::sqrt(2.0), 1e-11);
  const double since = 2 - std::sqrt(2.0);
  EXPECT_NEAR(run.last("mass.x"), 1 + std::sqrt(2.0) * since - 0.5 * since * since, 1e-10);
  EXPECT_LE(out.summary.stats.rejected, 2);
}

TEST(Switch, SlidingOnAConditionIsNamed) {
  Events run;
  const Outcome out = run_model(model_of(R"toml(
gravity = [0, 0]
[[body]]
name = "mass"
at = [0, 0]
mass = 1
inertia = 1
fixed = ["x", "y", "angle", "vx", "vy", "rate"]
velocity = [1, 0]
[[request]]
type = "x"
name = "way"
body = "mass"
[[force]]
type = "force"
body = "mass"
point = [0, 0]
value = ["-1 N*sign(rate(way))", 0]
[[analysis]]
type = "dynamic"
until = 2
)toml"),
                                run,
                                {});
  EXPECT_EQ(out.summary.status, "failed");
  ASSERT_FALSE(out.summary.diagnostics.empty());
  EXPECT_EQ(out.summary.diagnostics.back().id, "numeric.chatter");
  EXPECT_NEAR(out.summary.t_end, 1.0, 1e-6);
}

TEST(Refused, PenetrationAndBackwardTime) {
  Events run;
  Model deep = model_of(ball("restitution = 0.5"));
  deep.bodies[0].at[1] = 0.05;
  for (auto& e : deep.initial)
    if (e.type == "y")
      for (auto& [key, value] : e.settings)
        if (key == "value") value = 0.05;
  Outcome out = run_model(deep, run, {});
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_EQ(out.summary.diagnostics.back().id, "assembly.penetration");
  Model back = model_of(ball("restitution = 0.5"));
  test::dynamic(back).until = -1;
  out = run_model(back, run, {});
  EXPECT_EQ(out.summary.diagnostics.back().id, "model.backward-impact");
  Model soft = model_of(ball("stiffness = 1e4"));
  soft.bodies[0].velocity[1] = 3;
  test::dynamic(soft).until = -1;
  out = run_model(soft, run, {});
  EXPECT_EQ(out.summary.status, "complete");
}

}  // namespace
}  // namespace cardan
