// Friction that holds: closed forms of sticking and sliding, all formulations and integrators, the
// regularised law as an independent check, contradictions, checkpoints.
#include <numbers>

#include "cardan/formulation/formulation.h"
#include "test/verify/random_loops.h"
#include "test/verify/space_runs.h"

namespace cardan {
namespace {

using test::complete;
using test::dynamic_analysis;
using test::Events;
using test::Memory;
using test::model_of;

constexpr double g = 9.81;

// A block on a slope of 20 deg, in a guide or on two feet.
std::string block(const std::string& held, double until = 10) {
  return R"toml(
gravity = [0, -9.81]
[parameters]
slope = "20 deg"
[[body]]
name = "block"
at = [0, 0]
angle = "slope"
mass = 2
inertia = 0.1
)toml" + held +
         dynamic_analysis(until, until / 20, 1e-8);
}

std::string guide(double mu) {
  return fmt::format(R"toml(
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "block"]
at = [0, 0]
axis = ["cos(slope)", "sin(slope)"]
friction = {}
)toml",
                     mu);
}

std::string feet(double mu, const std::string& more = "") {
  std::string text;
  for (const double x : {-0.1, 0.2})
    text += fmt::format(R"toml(
[[contact]]
type = "disc-line"
name = "foot {0}"
between = ["ground", "block"]
points = [["0.1*sin(slope)", "-0.1*cos(slope)"], [{0}, -0.1]]
axis = ["cos(slope)", "sin(slope)"]
friction = {1}
{2}
)toml",
                        x,
                        mu,
                        more);
  return text;
}

double way(const Memory& run, std::size_t row) {
  return std::hypot(run.value("block.x", row), run.value("block.y", row));
}

const double slope = std::numbers::pi / 9;

TEST(Sticking, BlockOnASlopeStaysOrSlides) {
  for (const bool joint : {true, false})
    for (const double mu : {0.25, 0.35, 0.38, 0.6}) {
      Events run;
      const Outcome out = complete(model_of(block(joint ? guide(mu) : feet(mu))), run);
      const std::size_t last = run.rows.size() - 1;
      if (mu > std::tan(slope)) {
        EXPECT_LT(way(run, last), 1e-12) << joint << " " << mu;
        EXPECT_LT(run.largest("block.vx"), 1e-12);
      } else {
        const double a = g * (std::sin(slope) - mu * std::cos(slope));
        EXPECT_NEAR(way(run, last), 0.5 * a * 100, 1e-8 * 100) << joint << " " << mu;
        EXPECT_NEAR(std::hypot(run.last("block.ax"), run.last("block.ay")), a, 1e-10);
      }
      EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
    }
}

class StickingInEveryFormulation : public testing::TestWithParam<std::string> {};

TEST_P(StickingInEveryFormulation, Holds) {
  for (const bool joint : {true, false}) {
    Model model = model_of(block(joint ? guide(0.6) : feet(0.6)));
    DynamicOptions& o = test::dynamic(model);
    o.formulation = GetParam();
    Memory run;
    complete(model, run);
    EXPECT_LT(way(run, run.rows.size() - 1), 1e-12) << joint;
  }
}

// Where nothing but a driver moves, bdf starts with order one and a large step: the work of the
// driver is not under error control, and its balance may be doubted.
void run_through(const Model& model, Memory& run) {
  const Outcome out = run_model(model, run, {});
  EXPECT_NE(out.summary.status, "failed") << to_text(out.summary.diagnostics);
}

// The period of stick and slip, from one slip to the next.
double period_of(const Events& run) {
  const auto slips = run.times_of("slide");
  EXPECT_GE(slips.size(), 3u);
  return slips.size() < 3 ? 0 : slips.back() - slips[slips.size() - 2];
}

double ideal_period() {
  const double v = 0.1, w = 10, d = 0.3 * g / 100;
  return 2 * d / v + 2 / w * (std::numbers::pi - std::atan(d * w / v));
}

TEST_P(StickingInEveryFormulation, HasThePeriodOfStickSlip) {
  Model model = test::model_file("stick-slip");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = GetParam();
  if (GetParam() == "index3") o.rtol = o.atol = 1e-8;
  Events run;
  run_through(model, run);
  EXPECT_NEAR(period_of(run), ideal_period(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All,
                         StickingInEveryFormulation,
                         testing::Values("projected",
                                         "direct",
                                         "baumgarte",
                                         "partitioned",
                                         "hybrid",
                                         "tangent-svd",
                                         "tangent-qr",
                                         "null-space",
                                         "reduced",
                                         "half-explicit",
                                         "index3",
                                         "ggl",
                                         "extra-multipliers",
                                         "overdetermined"));

TEST(Sticking, IntegratorsAgreeOnThePeriod) {
  for (const char* name : {"ode23", "dop853", "adams", "bdf", "radau5", "rosenbrock", "esdirk"}) {
    Model model = test::model_file("stick-slip");
    test::dynamic(model).integrator = name;
    Events run;
    run_through(model, run);
    EXPECT_NEAR(period_of(run), ideal_period(), 2e-5) << name;
  }
}

TEST(Sticking, ImplicitIndependentCoordinatesRefuseAndNameOthers) {
  for (const char* name : {"state-space", "haug-yen"}) {
    Model model = model_of(block(guide(0.6)));
    DynamicOptions& o = test::dynamic(model);
    o.formulation = name;
    Memory run;
    const Outcome out = run_model(model, run, {});
    EXPECT_EQ(out.summary.status, "failed");
    const Diagnostic& d = out.summary.diagnostics.back();
    EXPECT_EQ(d.id, "model.unknown-option");
    EXPECT_NE(d.expected.find("projected"), std::string::npos);
    EXPECT_EQ(d.expected.find(name), std::string::npos);
  }
}

// A block on a spring loses 2 mu N/k of its amplitude every half swing, and stops at the first
// turning point where the spring is weaker than friction.
TEST(Sticking, BlockOnASpringStopsAtAKnownPlaceAndTime) {
  const double m = 2, k = 50, mu = 0.2, d = mu * m * g / k, x0 = 0.5, w = std::sqrt(k / m);
  int half = 0;
  double x = x0;
  while (std::abs(x) > d) {
    x = -x + (x > 0 ? 2 * d : -2 * d);
    ++half;
  }
  Events run;
  const Outcome out = complete(model_of(R"toml(
gravity = [0, -9.81]
[[body]]
name = "block"
at = [0.5, 0]
mass = 2
inertia = 0.1
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
friction = 0.2
[[force]]
type = "spring"
between = ["ground", "block"]
points = [[-1, 0], [0, 0]]
stiffness = 50
free_length = 1
)toml" + dynamic_analysis(8, 0.1, 1e-9)),
                               run);
  const auto stops = run.times_of("stick");
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_NEAR(stops[0], half * std::numbers::pi / w, 1e-7);
  EXPECT_NEAR(run.last("block.x"), x, 1e-8);
  EXPECT_EQ(run.last("block.x"), run.value("block.x", run.rows.size() - 10));
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-8);
}

TEST(Sticking, PendulumComesToRestAndStays) {
  Events run;
  const Outcome out = complete(model_of(R"toml(
gravity = [0, -9.81]
[[body]]
name = "bar"
from = [0, 0]
to = [1, 0]
mass = 1
[[joint]]
type = "revolute"
name = "pin"
between = ["ground", "bar"]
at = [0, 0]
friction = 0.3
pin_radius = 0.05
[[initial]]
joint = "pin"
angle = 0
rate = 0
)toml" + dynamic_analysis(60, 0.5, 1e-9)),
                               run);
  const auto stops = run.times_of("stick");
  ASSERT_FALSE(stops.empty());
  ASSERT_LT(stops.back(), 50);
  const std::size_t last = run.rows.size() - 1;
  EXPECT_NEAR(run.value("bar.angle", last), run.value("bar.angle", last - 10), 1e-13);
  // within the range where friction holds the weight: sin(angle) 0.5 m g <= mu radius m g
  EXPECT_LE(std::abs(std::cos(run.last("bar.angle"))), 0.3 * 0.05 / 0.5 * (1 + 1e-9));
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
}

// The lower of two blocks is pulled by c t: both hold, then move together, then the upper slides.
TEST(Sticking, StackedBlocks) {
  const double m1 = 3, m2 = 1, mu1 = 0.2, s1 = 0.3, mu2 = 0.4, s2 = 0.5, c = 8, M = m1 + m2;
  Events run;
  complete(model_of(R"toml(
gravity = [0, -9.81]
[[body]]
name = "lower"
at = [0, 0]
mass = 3
inertia = 0.1
[[body]]
name = "upper"
at = [0, 0.2]
mass = 1
inertia = 0.1
[[joint]]
type = "translational"
name = "floor"
between = ["ground", "lower"]
at = [0, 0]
axis = [1, 0]
friction = 0.2
static_friction = 0.3
[[joint]]
type = "translational"
name = "between"
between = ["lower", "upper"]
at = [0, 0.2]
axis = [1, 0]
friction = 0.4
static_friction = 0.5
[[force]]
type = "force"
body = "lower"
point = [0, 0]
value = ["8*t", 0]
)toml" + dynamic_analysis(5, 0.05, 1e-10)),
           run);
  const auto slides = run.times_of("slide");
  ASSERT_EQ(slides.size(), 2u);
  const double first = s1 * M * g / c, second = (mu1 + s2) * M * g / c;
  EXPECT_NEAR(slides[0], first, 1e-8);
  EXPECT_NEAR(slides[1], second, 1e-7);
  EXPECT_NEAR(run.last("upper.ax"), mu2 * g, 1e-9);
  EXPECT_NEAR(run.last("lower.ax"), (c * 5 - mu1 * M * g - mu2 * m2 * g) / m1, 1e-9);
}

// More feet than carry a block that cannot bend: whatever shares of the weight they are given, it begins
// to slide when the force 6 t reaches mu m g, and m x'' = 6 t - mu m g.
TEST(Sticking, ABlockOnManyFeetBeginsToSlideAtTheLimit) {
  const double m = 2, mu = 0.4, begins = mu * m * g / 6;
  for (int feet = 2; feet <= 6; ++feet) {
    std::string text =
        "gravity = [0, -9.81]\n[[body]]\nname = 'block'\nmass = 2\ninertia = 0.05\nat = [0, 0.1]\n"
        "[[force]]\ntype = 'force'\nbody = 'block'\nvalue = ['6*t', 0]\n";
    for (int k = 0; k < feet; ++k)
      text += fmt::format(
          "[[contact]]\ntype = 'disc-line'\nname = 'foot {0}'\nbetween = ['ground', 'block']\n"
          "points = [[0, 0], [{1}, -0.1]]\naxis = [1, 0]\nfriction = {2}\n",
          k,
          -0.2 + 0.4 * k / (feet - 1),
          mu);
    Events run;
    const Outcome out = run_model(model_of(text + dynamic_analysis(2, 0.1, 1e-8)), run, {});
    ASSERT_EQ(out.summary.status, "complete")
        << feet << " feet: " << to_text(out.summary.diagnostics.back());
    const auto slides = run.times_of("slide");
    ASSERT_FALSE(slides.empty()) << feet;
    EXPECT_NEAR(slides.front(), begins, 1e-6) << feet;
    EXPECT_NEAR(run.last("block.x"), std::pow(2 - begins, 3) / m, 1e-6) << feet;
    EXPECT_LT(run.largest("block.y") - 0.1, 1e-8) << feet;
  }
}

// ---------------------------------------------------------------- space

std::string tripod(const std::string& keys,
                   const std::string& force,
                   double until,
                   double tolerance = 1e-8) {
  std::string text = R"toml(
space = "spatial"
gravity = [0, 0, -9.81]
[[body]]
name = "box"
mass = 3
inertia = [0.02, 0.03, 0.04]
at = [0, 0, 0.1]
)toml";
  for (int k = 0; k < 3; ++k)
    text += fmt::format(
        "\n[[contact]]\ntype = \"sphere-plane\"\nname = \"foot {}\"\nbetween = [\"ground\", "
        "\"box\"]\npoints = [[0, 0, 0], [{}, {}, -0.08]]\naxis = [0, 0, 1]\nradius = 0.02\n{}\n",
        k + 1,
        0.3 * std::cos(2.0943951023931953 * k),
        0.3 * std::sin(2.0943951023931953 * k),
        keys);
  return text +
         "\n[[force]]\ntype = \"force\"\nbody = \"box\"\npoint = [0, 0, -0.1]\nvalue = " + force +
         dynamic_analysis(until, 0.02, tolerance);
}

// Three feet, three motions in the plane: a force that turns in it does not move the box below
// mu N, whatever its direction.
TEST(StickingInSpace, AForceThatTurnsDoesNotMoveTheBox) {
  Events run;
  complete(model_of(tripod("friction = 0.3", "[\"8.5*cos(3*t)\", \"8.5*sin(3*t)\", 0]", 3)), run);
  EXPECT_LT(run.largest("box.x"), 1e-11);
  EXPECT_LT(run.largest("box.y"), 1e-11);
  EXPECT_TRUE(run.times_of("slide").empty());
}

// The same force growing: through the middle of three feet with equal loads it moves all of them at
// once, in its own direction, when it reaches mu m g.
TEST(StickingInSpace, AForceThatTurnsAndGrowsMovesTheBoxWhenItReachesTheLimit) {
  const double mass = 3, mu = 0.3, growth = 5;
  Events run;
  complete(model_of(tripod("friction = 0.3", "[\"5*t*cos(3*t)\", \"5*t*sin(3*t)\", 0]", 2, 1e-7)),
           run);
  const auto slides = run.times_of("slide");
  ASSERT_EQ(slides.size(), 3u);
  for (const double t : slides) EXPECT_NEAR(t, mu * mass * g / growth, 1e-7);
}

// Boxes on three feet anywhere, two of them side by side in some, under forces that grow, turn and
// act anywhere: nothing creeps before something slides, and the energy is balanced.
TEST(StickingInSpace, BoxesOnThreeFeetStickAndSlide) {
  int slid = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    test::Random random(seed);
    const double mass = random.uniform(1, 5), mu = random.uniform(0.1, 0.5);
    std::string text = fmt::format(
        "space = \"spatial\"\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"box\"\nmass = "
        "{0}\ninertia = [{1}, {1}, {2}]\nat = [0, 0, 0.1]\n",
        mass,
        0.02 * mass,
        0.03 * mass);
    for (int k = 0; k < 3; ++k) {
      const double angle = 2.0943951023931953 * (k + random.uniform(-0.2, 0.2)),
                   arm = random.uniform(0.2, 0.4);
      // In every third box the feet 1 and 2 have nearly the same x.
      const bool beside = seed % 3 == 0;
      const double x = !beside ? arm * std::cos(angle)
                       : k < 2 ? 0.2 + 4e-4 * k
                               : -arm,
                   y = !beside ? arm * std::sin(angle)
                       : k < 2 ? 0.5 * k - 0.25
                               : 0.02;
      text += fmt::format(
          "[[contact]]\ntype = \"sphere-plane\"\nname = \"foot {}\"\nbetween = [\"ground\", "
          "\"box\"]\npoints = [[0, 0, 0], [{}, {}, -0.08]]\naxis = [0, 0, 1]\nradius = "
          "0.02\nfriction = {}\nstatic_friction = {}\n",
          k + 1,
          x,
          y,
          mu,
          seed % 2 == 0 ? mu : 1.2 * mu);
    }
    const double growth = random.uniform(1, 1.5) * mu * mass * g, turn = random.uniform(0, 4);
    text += fmt::format(
        "[[force]]\ntype = \"force\"\nbody = \"box\"\npoint = [{0}, {1}, -0.1]\nvalue = "
        "[\"{2}*t*cos({3}*t)\", \"{2}*t*sin({3}*t)\", 0]\n",
        random.uniform(-0.1, 0.1),
        random.uniform(-0.1, 0.1),
        growth,
        turn);
    Events run;
    const Outcome out = run_model(model_of(text + dynamic_analysis(1.2, 0.02, 1e-6)), run, {});
    ASSERT_EQ(out.summary.status, "complete")
        << "box " << seed << ": " << to_text(out.summary.diagnostics.back());
    const auto slides = run.times_of("slide");
    const double first = slides.empty() ? 2 : slides.front();
    slid += slides.empty() ? 0 : 1;
    for (std::size_t r = 0; r < run.rows.size() && run.times[r] < first; ++r)
      EXPECT_LT(std::hypot(run.value("box.x", r), run.value("box.y", r)), 1e-10) << seed;
  }
  EXPECT_GE(slid, 4);
}

// Boxes on four feet and more on slopes that fall in any direction: friction holds them or not.
TEST(StickingInSpace, BoxesOnManyFeetHoldOrSlideDownSlopes) {
  const double mu = 0.5;
  for (const int feet : {4, 5, 8})
    for (const double slope : {0.0, 5.0, 25.0, 40.0})
      for (const double towards : {0.0, 30.0, 45.0}) {
        const double s = slope * std::numbers::pi / 180, t = towards * std::numbers::pi / 180;
        std::string text = fmt::format(
            "space = 'spatial'\ngravity = [{:.17g}, {:.17g}, {:.17g}]\n[[body]]\nname = 'box'\n"
            "mass = 2\ninertia = [0.02, 0.03, 0.04]\nat = [0, 0, 0.1]\n",
            g * std::sin(s) * std::cos(t),
            g * std::sin(s) * std::sin(t),
            -g * std::cos(s));
        for (int k = 0; k < feet; ++k) {
          const double angle = 2 * std::numbers::pi * (k + 0.5) / feet;
          text += fmt::format(
              "[[contact]]\ntype = 'sphere-plane'\nname = 'foot {}'\nbetween = ['ground', 'box']\n"
              "points = [[0, 0, 0], [{:.17g}, {:.17g}, -0.08]]\naxis = [0, 0, 1]\nradius = 0.02\n"
              "friction = {}\n",
              k,
              0.3 * std::cos(angle),
              0.3 * std::sin(angle),
              mu);
        }
        Events run;
        const Outcome out = run_model(model_of(text + dynamic_analysis(1, 0.1, 1e-8)), run, {});
        ASSERT_EQ(out.summary.status, "complete")
            << feet << ' ' << slope << ' ' << towards << to_text(out.summary.diagnostics.back());
        const double a = std::max(0.0, g * (std::sin(s) - mu * std::cos(s)));
        EXPECT_NEAR(run.last("box.x"), 0.5 * a * std::cos(t), a > 0 ? 1e-6 : 1e-12) << feet;
        EXPECT_NEAR(run.last("box.y"), 0.5 * a * std::sin(t), a > 0 ? 1e-6 : 1e-12) << feet;
      }
}

// A sphere slides until it rolls, and then rolls on without loss.
TEST(StickingInSpace, ASphereRollsOnWithoutLoss) {
  const Vec<3> v(1, 0.5, 0), omega(12, 9, 4);
  const Vec<3> slip = v + omega.cross(Vec<3>(0, 0, -0.1));
  Events run;
  const Outcome out = complete(
      model_of("space = \"spatial\"\ngravity = [0, 0, -9.81]\n" +
               test::sphere("ball", {0, 0, 0.1}, v, omega) +
               "\n[[contact]]\nname = \"floor\"\ntype = \"sphere-plane\"\nbetween = [\"ground\", "
               "\"ball\"]\npoints = [[0, 0, 0], [0, 0, 0]]\naxis = [0, 0, 1]\nradius = "
               "0.1\nfriction = 0.4\n" +
               dynamic_analysis(1, 0.01, 1e-9)),
      run);
  const auto stops = run.times_of("stick");
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_NEAR(stops[0], 2 * slip.norm() / (7 * 0.4 * g), 1e-8);
  const std::size_t last = run.rows.size() - 1;
  EXPECT_LT((test::vector(run, "ball.v", last) - (v - 2.0 / 7 * slip)).norm(), 1e-9);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-8);
}

// ---------------------------------------------------------------- contradictions, checkpoints

TEST(Sticking, PainlevesRodIsNamedWhateverItDoes) {
  for (const double lift : {0.0, 20.0}) {  // none, or several solutions
    Memory run;
    const Outcome out = run_model(model_of(fmt::format(R"toml(
gravity = [0, {}]
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
)toml",
                                                       lift - 9.81)),
                                  run,
                                  {});
    EXPECT_EQ(out.summary.status, "failed") << lift;
    const Diagnostic& d = out.summary.diagnostics.back();
    EXPECT_EQ(d.id, "numeric.friction-paradox");
    EXPECT_NE(d.element.find("tip"), std::string::npos);
    EXPECT_GE(d.t, 0);
  }
}

TEST(Sticking, ContinuedRunsGiveTheSameBits) {
  for (const char* name : {"projected", "partitioned", "index3"}) {
    Model model = test::model_file("stick-slip");
    DynamicOptions& o = test::dynamic(model);
    o.formulation = name;
    o.until = 2.5;
    for (const int steps : {40, 90, 170}) {
      Memory whole, first, rest;
      complete(model, whole);
      first.checkpoint_every = 7;
      int left = steps;
      Control control;
      control.cancelled = [&] {
        return --left <= 0;
      };
      ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
      ASSERT_EQ(run_model(model, rest, {}, first.last_checkpoint).summary.status, "complete");
      ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
      for (std::size_t k = 0; k < rest.rows.size(); ++k)
        ASSERT_EQ(rest.rows[k], whole.rows[first.rows_at_checkpoint + k]) << name << rest.times[k];
    }
  }
}

}  // namespace
}  // namespace cardan
