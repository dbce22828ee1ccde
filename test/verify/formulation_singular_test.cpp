// Runs through singular poses: the N-four-bar mechanism lies flat twice a turn and has N + 1
// freedoms there.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "test/verify/support.h"

namespace cardan {
namespace {

struct Told : test::Memory {
  std::vector<Event> events;

  Fault event(const Event& e) override {
    events.push_back(e);
    return {};
  }
};

struct Case {
  const char *formulation, *integrator;
  double tolerance;
};

class FlatPoseRun : public testing::TestWithParam<Case> {};

TEST_P(FlatPoseRun, IsPassedOnTheSmoothBranch) {
  Model model = test::model_file("n-four-bar");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = GetParam().formulation;
  o.integrator = GetParam().integrator;
  o.rtol = o.atol = GetParam().tolerance;
  Told run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  auto table = test::read_csv("models/n-four-bar/reference/n2_10s.csv");
  double worst = 0;
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    const double phi = run.value("crank 0.angle", k);
    worst = std::max({worst,
                      std::abs(std::cos(phi) - table["B0x"][k]),
                      std::abs(std::sin(phi) - table["B0y"][k])});
  }
  EXPECT_EQ(run.rows.size(), table["t"].size());
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
  EXPECT_NEAR(run.last("crank 2.angle"), run.last("crank 0.angle"), 1e-8);
  const auto passages = std::count_if(run.events.begin(), run.events.end(), [](const Event& e) {
    return e.kind == "singular-pose";
  });
  EXPECT_EQ(passages, 10);
  EXPECT_TRUE(std::any_of(out.summary.diagnostics.begin(),
                          out.summary.diagnostics.end(),
                          [](const Diagnostic& d) { return d.id == "numeric.singular-passage"; }));
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         FlatPoseRun,
                         testing::Values(Case{"projected", "ode45", 1e-10},
                                         Case{"projected", "dop853", 1e-10},
                                         Case{"projected", "adams", 1e-10},
                                         Case{"partitioned", "ode45", 1e-10},
                                         Case{"partitioned", "dop853", 1e-10},
                                         Case{"partitioned", "adams", 1e-10},
                                         Case{"hybrid", "ode45", 1e-11},
                                         Case{"hybrid", "dop853", 1e-11},
                                         Case{"hybrid", "adams", 1e-11},
                                         Case{"tangent-svd", "dop853", 1e-11},
                                         Case{"tangent-qr", "dop853", 1e-11},
                                         Case{"half-explicit", "auto", 1e-10},
                                         Case{"null-space", "dop853", 1e-10},
                                         Case{"reduced", "ode45", 1e-10},
                                         Case{"reduced", "dop853", 1e-10},
                                         Case{"reduced", "adams", 1e-10}));

long count_passages(const Told& run) {
  return std::count_if(run.events.begin(), run.events.end(), [](const Event& e) {
    return e.kind == "singular-pose";
  });
}

Outcome four_bars(const std::string& formulation,
                  double tolerance,
                  Told& run,
                  const char* integrator = "dop853") {
  Model model = test::model_file("n-four-bar");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = formulation;
  o.integrator = integrator;
  o.rtol = o.atol = tolerance;
  return run_model(model, run, {});
}

// Tighter tolerances give smaller errors, all poses passed, down to what round-off makes of the motion very near
// the pose: some 1e-9 of the energy.
TEST(FlatPose, ErrorFallsWithTheTolerance) {
  for (const char* formulation : {"projected", "partitioned", "hybrid", "null-space", "reduced"}) {
    double before = 1;
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      Told run;
      const Outcome out = four_bars(formulation, tolerance, run);
      ASSERT_EQ(out.summary.status, "complete") << formulation << ' ' << tolerance;
      constexpr double round_off = 3e-7;  // J
      EXPECT_LT(out.summary.energy.max_imbalance,
                std::max(0.3 * before, round_off))  // of all steps
          << formulation << ' ' << tolerance;
      before = out.summary.energy.max_imbalance;
      EXPECT_EQ(count_passages(run), 10) << formulation << ' ' << tolerance;
    }
  }
}

struct ManyLoops {
  int loops;
  std::string formulation, integrator;
  double tolerance, until;
};

void pass_flat_poses(const ManyLoops& of) {
  SCOPED_TRACE(of.formulation + ' ' + std::to_string(of.loops) + " loops, tolerance " +
               std::to_string(-std::log10(of.tolerance)));
  ReadOptions read;
  read.set = {{"n", std::to_string(of.loops)}};
  Model model =
      read_model(std::string(test::source_dir) + "/models/n-four-bar/model.toml", read).value();
  DynamicOptions& o = test::dynamic(model);
  o.formulation = of.formulation;
  o.integrator = of.integrator;
  o.rtol = o.atol = of.tolerance;
  o.until = of.until;
  Told run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  EXPECT_EQ(count_passages(run), std::lround(of.until));  // one in a second
  EXPECT_LT(out.summary.energy.max_imbalance, 1e5 * of.tolerance);
}

// However many loops lie flat at once.
TEST(FlatPose, ManyLoopsArePassed) {
  for (const char* formulation : {"projected",
                                  "partitioned",
                                  "hybrid",
                                  "tangent-svd",
                                  "tangent-qr",
                                  "null-space",
                                  "reduced",
                                  "half-explicit"})
    for (const double tolerance : {1e-6, 1e-8})
      pass_flat_poses({10,
                       formulation,
                       formulation == std::string("half-explicit") ? "auto" : "dop853",
                       tolerance,
                       5});
  for (const double tolerance : {1e-5, 1e-7, 1e-9})
    pass_flat_poses({40, "projected", "dop853", tolerance, 5});
}

// Steps over a third of a turn, whose stages are found side by side and whose rows are found between them: what is
// expected of a pose comes from the stages around it, and the watch follows the way that they show.
TEST(FlatPose, LongStepsOfManyStagesArePassed) {
  for (const int loops : {2, 5, 7, 10, 20})
    for (const double tolerance : {1e-5, 2e-6, 5e-7, 1e-7, 2e-8, 5e-9})
      pass_flat_poses({loops, "reduced", "gauss-simd", tolerance, 20});
  pass_flat_poses({40, "reduced", "gauss-simd", 5e-7, 20});
}

// Formulations that do not put states onto the constraints pass all poses rightly, or say that they
// cannot; either soon.
TEST(FlatPose, IsPassedOrNamedWithoutProjection) {
  int passed = 0;
  for (const char* formulation : {"direct", "baumgarte"})
    for (const char* integrator : {"dop853", "ode45", "adams"})
      for (const double tolerance : {1e-6, 1e-8, 1e-9}) {
        SCOPED_TRACE(std::string(formulation) + ' ' + integrator + ' ' + std::to_string(tolerance));
        Told run;
        const Outcome out = four_bars(formulation, tolerance, run, integrator);
        EXPECT_LT(out.summary.stats.rhs, 50000);
        EXPECT_FALSE(run.events.empty());
        if (out.summary.status == "complete") {
          ++passed;
          EXPECT_NEAR(run.last("crank 0.angle"), -30.1798, 1e-3);
          EXPECT_EQ(count_passages(run), 10);
        } else {
          EXPECT_EQ(out.summary.diagnostics.back().id, "numeric.singular");
          EXPECT_FALSE(out.summary.diagnostics.back().element.empty());
        }
      }
  EXPECT_GE(passed, 4);
}

// Rows beside a flat pose have the reactions of the smooth branch, whatever formulation finds them: what
// joints do to a bar turns it, J phi'' = M, and every formulation finds the same.
class FlatPoseRows : public testing::TestWithParam<Case> {};

struct Swing {
  Told run;
  Summary summary;
};

// The direct implicit formulations pass flat poses or say that they cannot, as their steps fall: the first tolerance at which
// they pass is taken.
Swing parallelogram(const Case& c, double output_step = 1e-3) {
  const std::string name = c.formulation;
  const bool may_end =
      name == "ggl" || name == "extra-multipliers" || name == "coordinate-splitting";
  double factor = 1.25;
  for (double tolerance = c.tolerance;; tolerance *= factor) {
    if (tolerance > 6 * c.tolerance) {
      factor = 0.8;
      tolerance = factor * c.tolerance;
    }
    Model model = test::model_file("parallelogram");
    DynamicOptions& o = test::dynamic(model);
    o.formulation = c.formulation;
    o.integrator = c.integrator;
    o.rtol = o.atol = tolerance;
    o.output_step = output_step;
    Swing swing;
    swing.summary = run_model(model, swing.run, {}).summary;
    if (swing.summary.status == "complete") return swing;
    EXPECT_EQ(swing.summary.diagnostics.back().id, "numeric.singular");
    if (may_end && tolerance > 0.1 * c.tolerance) continue;
    ADD_FAILURE() << to_text(swing.summary.diagnostics.back());
    return swing;
  }
}

TEST_P(FlatPoseRows, HaveTheReactionsOfTheMotion) {
  static const Told reference = parallelogram({"projected", "dop853", 1e-11}).run;
  const Told run = parallelogram(GetParam()).run;
  ASSERT_EQ(run.rows.size(), reference.rows.size());
  EXPECT_EQ(count_passages(run), 2);
  for (const char* channel : {"lower pin 0.first.fx",
                              "lower pin 0.first.fy",
                              "upper pin 2.second.fy",
                              "crank 1.joints.torque"}) {
    double low = INFINITY, high = -INFINITY, worst = 0;
    for (std::size_t k = 0; k < run.rows.size(); ++k) {
      const double right = reference.value(channel, k);
      low = std::min(low, right);
      high = std::max(high, right);
      worst = std::max(worst, std::abs(run.value(channel, k) - right));
    }
    EXPECT_LT(worst, 1e-4 * (high - low)) << channel;
  }
  for (const auto& [bar, mass, length] : {std::tuple{"crank 0", 1.0, 0.3},
                                          {"crank 1", 1.0, 0.3},
                                          {"crank 2", 1.0, 0.3},
                                          {"platform", 4.0, 1.0}}) {
    const std::string name = bar;
    double worst = 0;
    for (std::size_t k = 0; k < run.rows.size(); ++k)
      worst = std::max(worst,
                       std::abs(run.value(name + ".joints.torque", k) -
                                mass * length * length / 12 * run.value(name + ".alpha", k)));
    EXPECT_LT(worst, 1e-5) << name;  // N m, of 0.3
  }
}

// Peaks come from looks between rows as well, wherever those fall.
TEST_P(FlatPoseRows, HavePeaksOfTheMotionBetweenThem) {
  const Summary summary = parallelogram(GetParam(), 0.05).summary;
  const auto found =
      std::find_if(summary.channels.begin(), summary.channels.end(), [](const auto& c) {
        return c.channel == "crank 1.joints.torque";
      });
  ASSERT_NE(found, summary.channels.end());
  // m l^2 / 12 times the largest acceleration, that of the flat poses: three cranks of 1 kg and a platform
  // of 4 kg have the inertia 5 l^2 and the moment 5.5 g l.
  const double l = 0.3, largest = l * l / 12 * 5.5 * 9.81 / (5 * l);
  EXPECT_NEAR(found->least, -largest, 1e-4 * largest);
  EXPECT_NEAR(found->largest, largest, 1e-4 * largest);
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         FlatPoseRows,
                         testing::Values(Case{"projected", "ode45", 1e-8},
                                         Case{"partitioned", "ode45", 1e-8},
                                         Case{"reduced", "dop853", 1e-8},
                                         Case{"state-space", "bdf", 1e-8},
                                         Case{"state-space", "esdirk", 1e-8},
                                         Case{"state-space", "rosenbrock", 1e-8},
                                         Case{"ggl", "radau5", 1e-8},
                                         Case{"extra-multipliers", "bdf", 1e-8},
                                         Case{"coordinate-splitting", "bdf", 1e-8}));

TEST(FlatPose, BackInTime) {
  Model model = test::model_file("n-four-bar");
  DynamicOptions& o = test::dynamic(model);
  o.until = -5;
  Told run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
  EXPECT_NEAR(run.last("crank 2.angle"), run.last("crank 0.angle"), 1e-8);
}

TEST(FlatPose, WithFixedSteps) {
  double before = 0;
  for (const double h : {1e-2, 5e-3}) {
    Model model = test::model_file("n-four-bar");
    DynamicOptions& o = test::dynamic(model);
    o.formulation = "projected";
    o.integrator = "rk4";
    o.step = h;
    Told run;
    const Outcome out = run_model(model, run, {});
    ASSERT_EQ(out.summary.status, "complete") << h;
    EXPECT_LT(out.summary.energy.max_imbalance, before > 0 ? before / 10 : 1e-2);
    before = out.summary.energy.max_imbalance;
  }
}

// A light link under a heavy one makes the pivots of phi_q M^-1 phi_q^T small in every pose; that
// is no singular pose.
TEST(FlatPose, IsNotSeenInUnequalMasses) {
  for (const char* light : {"1", "1e-4", "1e-8"}) {
    auto model = read_model_text(std::string(R"(gravity = [0, -9.81]
[[body]]
name = "light"
from = [0, 0]
to = [1, 0]
mass = )") + light + R"(
[[body]]
name = "heavy"
from = [1, 0]
to = [2, 0]
mass = 100
[[joint]]
type = "revolute"
between = ["ground", "light"]
at = [0, 0]
[[joint]]
type = "revolute"
between = ["light", "heavy"]
at = [1, 0]
[[analysis]]
type = "dynamic"
until = 2
rtol = 1e-10
atol = 1e-10
)",
                                 "unequal.toml");
    ASSERT_TRUE(model);
    Told run;
    const Outcome out = run_model(model.value(), run, {});
    EXPECT_EQ(out.summary.status, "complete") << light;
    EXPECT_TRUE(run.events.empty()) << light;
    EXPECT_LT(out.summary.energy.max_imbalance, 1e-7) << light;
  }
}

}  // namespace
}  // namespace cardan
