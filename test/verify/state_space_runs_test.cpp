// The formulation state-space in runs: published iteration counts and largest steps of the stiff
// seven bodies, end states to their digits, orders of the formulas, events, refusals and messages.
#include <cmath>

#include "cardan/study/largest_step.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

Model state_space(const std::string& name, const std::string& integrator, double tolerance = 1e-6) {
  Model model = test::model_file(name);
  DynamicOptions& o = test::dynamic(model);
  o.formulation = "state-space";
  o.integrator = integrator;
  o.rtol = o.atol = tolerance;
  o.step = 0;
  return model;
}

// ---------------------------------------------------------------- the seven bodies of the paper

struct Published {
  const char* jacobian;
  long iterations;
};

class SevenBodies : public testing::TestWithParam<Published> {};

TEST_P(SevenBodies, NeedAsManyIterationsAsPublished) {
  Model model = state_space("andrews-stiff", "newmark");
  DynamicOptions& o = test::dynamic(model);
  o.step = 1e-4;
  o.jacobian = GetParam().jacobian;
  o.predictor = "paper";
  o.newton_tolerance = 1e-8;
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_EQ(out.summary.stats.steps, 350);
  EXPECT_NEAR(static_cast<double>(out.summary.stats.newton_iterations),
              static_cast<double>(GetParam().iterations),
              0.01 * static_cast<double>(GetParam().iterations));
  EXPECT_NEAR(run.last("K1.angle") - 0.28964493459578848, 3.5076e-6, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Jacobians,
                         SevenBodies,
                         testing::Values(Published{"exact", 757}, Published{"fv", 1066}));

LargestStep largest_step_of(const Model& model, double grid) {
  const Checked checked = check_model(model);
  EXPECT_TRUE(checked.system != nullptr && checked.assembly.ok);
  StepSearch search;
  search.grid = grid;
  return find_largest_step(*checked.system,
                           checked.assembly.mobility,
                           checked.assembly.state,
                           std::get<DynamicOptions>(model.analyses.back()),
                           search);
}

TEST(StateSpace, LargestStepsOfFiveIterations) {
  Model model = state_space("andrews-stiff", "newmark");
  DynamicOptions& o = test::dynamic(model);
  o.predictor = "zero";
  o.newton_tolerance = 1e-8;
  o.newton_iterations = 5;
  const LargestStep exact = largest_step_of(model, 1e-4);
  EXPECT_NEAR(exact.step, 0.0011, 1e-9);
  EXPECT_NEAR(exact.failed, 0.0012, 1e-9);
  o.jacobian = "fv";
  EXPECT_NEAR(largest_step_of(model, 1e-4).step, 0.0001, 1e-9);
}

TEST(StateSpace, BisectionFindsTheSameStep) {
  Model model = state_space("andrews-stiff", "newmark");
  DynamicOptions& o = test::dynamic(model);
  o.predictor = "zero";
  o.newton_tolerance = 1e-8;
  o.newton_iterations = 5;
  const LargestStep found = largest_step_of(model, 0);
  EXPECT_GT(found.step, 0.0011);
  EXPECT_LT(found.step, 0.0012);
  EXPECT_LT(found.failed - found.step, 0.011 * found.step);
}

TEST(StateSpace, TheBestPredictorRunsTheStepOfThePaper) {
  Model model = state_space("andrews-stiff", "newmark");
  test::dynamic(model).step = 0.0018;
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.stats.steps, 20);
  EXPECT_NEAR(run.last("K1.angle"), 0.28964493459578848, 2e-3);
}

TEST(StateSpace, AStepThatIsNotSolvedIsNamed) {
  Model model = state_space("andrews-stiff", "newmark");
  DynamicOptions& o = test::dynamic(model);
  o.step = 0.0018;
  o.predictor = "paper";
  o.newton_iterations = 5;
  Memory run;
  const Outcome out = run_model(model, run, {});
  const std::string text = to_text(out.summary.diagnostics);
  EXPECT_NE(text.find("numeric.no-convergence"), std::string::npos) << text;
  EXPECT_NE(text.find("equation of motion of"), std::string::npos) << text;
  EXPECT_NE(text.find("residual"), std::string::npos) << text;
  EXPECT_EQ(text.find("however small"), std::string::npos) << text;
}

// ---------------------------------------------------------------- end states

class Formulas : public testing::TestWithParam<const char*> {};

TEST_P(Formulas, SevenBodiesToTheirDigits) {
  Memory run;
  const Outcome out = run_model(state_space("andrews-stiff", GetParam(), 1e-10), run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_NEAR(run.last("K1.angle"), 0.28964493459578848, 1e-9);
  EXPECT_NEAR(run.last("K1.omega"), 5.2104996713394591, 1e-8);
  EXPECT_LT(out.summary.constraint.max_position, 1e-13);
}

TEST_P(Formulas, DoublePendulumToItsDigits) {
  Memory run;
  const Outcome out = run_model(state_space("stiff-double-pendulum", GetParam(), 1e-11), run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  const double turn = 2 * M_PI;
  EXPECT_NEAR(run.last("upper.angle"), 6.06706651303216731 - turn, 1e-10);
  EXPECT_NEAR(run.last("lower.angle"), 5.92364243965994306 - turn, 1e-10);
  EXPECT_NEAR(run.last("upper.omega"), -5.79211236918152312, 1e-9);
  EXPECT_NEAR(run.last("lower.omega"), -4.92927538539687446, 1e-9);
}

Model analysis_case(const std::string& name, const std::string& integrator, double tolerance) {
  auto read = read_model(std::string(test::source_dir) + "/test/reference/analyses/" + name +
                         "/model.toml");
  EXPECT_TRUE(read);
  Model model = std::move(read).value();
  DynamicOptions& o = test::dynamic(model);
  o.formulation = "state-space";
  o.integrator = integrator;
  o.rtol = o.atol = tolerance;
  return model;
}

TEST_P(Formulas, StiffSliderCrank) {
  Memory run;
  const Outcome out = run_model(analysis_case("stiff-slider-crank", GetParam(), 1e-11), run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_NEAR(run.last("crank.angle"), 8.869865750998084, 1e-8);
  EXPECT_NEAR(run.last("follower.x"), 0.3103421320979914, 1e-9);
  EXPECT_NEAR(
      run.last("crank.omega"), 33.607175002702824, 2e-7);  // bdf: 6e-8 to 1e-7, by its steps
  EXPECT_NEAR(run.last("follower.vx"), -1.2611224281571352, 1e-8);
}

TEST_P(Formulas, StiffPendulums) {
  Memory run;
  const Outcome out = run_model(analysis_case("stiff-pendulums", GetParam(), 1e-11), run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_NEAR(run.last("first.angle"), -1.1550374704994404, 1e-8);
  EXPECT_NEAR(run.last("second.angle"), -2.2546129449277124, 1e-8);
  EXPECT_NEAR(run.last("first.omega"), -4.203736214966407, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Integrators, Formulas, testing::Values("bdf", "esdirk", "rosenbrock"));

TEST(StateSpace, FlyballGovernorWithFewEvaluations) {
  Model model = state_space("flyball-governor", "bdf", 2e-7);
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  // Its error scatters up to 6e-6 where the tolerance is changed a little: what Newton's
  // iterations leave adds up. It does so with accelerations to the last bit too.
  EXPECT_NEAR(run.last("slider.z"), 0.6196229171, 1e-5);
  EXPECT_LE(out.summary.stats.rhs + out.summary.stats.jacobians, 6000);
}

// Evaluations of forces and constraints, and of their derivatives.
TEST(ImplicitGovernor, RadauReachesOneMicrometreWithFewEvaluations) {
  Model model = state_space("flyball-governor", "radau5", 6.5e-6);
  test::dynamic(model).formulation = "projected";
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_NEAR(run.last("slider.z"), 0.6196229171, 1e-6);
  EXPECT_LE(out.summary.stats.rhs + out.summary.stats.jacobians, 6000);
}

// In joint coordinates the stiff springs hardly turn: there is room on both sides.
TEST(ImplicitGovernor, ReducedReachesOneMicrometreAtManyTolerances) {
  for (const double tolerance : {4e-5, 2e-5, 1e-5, 5e-6}) {
    Model model = state_space("flyball-governor", "radau5", tolerance);
    test::dynamic(model).formulation = "reduced";
    Memory run;
    const Outcome out = run_model(model, run, {});
    ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
    EXPECT_NEAR(run.last("slider.z"), 0.6196229171, 1e-6) << tolerance;
    EXPECT_LE(out.summary.stats.rhs + out.summary.stats.jacobians, 6000) << tolerance;
  }
}

// ---------------------------------------------------------------- orders

// A pendulum on a rod that is swung by a motor.
const char* const planar_driven = R"(
gravity = [0, -9.81]
[[body]]
name = 'rod'
from = [0, 0]
to = [0.5, 0]
mass = 1
[[body]]
name = 'bob'
from = [0.5, 0]
to = [0.5, -0.4]
mass = 0.7
[[joint]]
type = 'revolute'
name = 'A'
between = ['ground', 'rod']
at = [0, 0]
[[joint]]
type = 'revolute'
name = 'B'
between = ['rod', 'bob']
at = [0.5, 0]
[[driver]]
joint = 'A'
name = 'motor'
motion = '0.4*sin(3*t)'
[[analysis]]
type = 'dynamic'
until = 1
output_step = 1
)";

// The same in space: a bar on a ball joint under an arm that a motor turns about the vertical.
const char* const spatial_driven = R"(
space = 'spatial'
gravity = [0, 0, -9.81]
[[body]]
name = 'rod'
from = [0, 0, 0]
to = [0.5, 0, 0]
width = 0.05
density = 1000
[[body]]
name = 'bob'
from = [0.5, 0, 0]
to = [0.5, 0.1, -0.4]
width = 0.06
density = 1000
[[joint]]
type = 'revolute'
name = 'A'
between = ['ground', 'rod']
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
type = 'spherical'
name = 'B'
between = ['rod', 'bob']
at = [0.5, 0, 0]
[[driver]]
joint = 'A'
name = 'motor'
motion = '0.8*sin(2*t)'
[[analysis]]
type = 'dynamic'
until = 1
output_step = 1
)";

struct OrderCase {
  const char *model, *integrator;
  double step;
  int order;
};

class Orders : public testing::TestWithParam<OrderCase> {};

TEST_P(Orders, AreThoseOfTheFormulas) {
  const OrderCase& which = GetParam();
  const bool spatial = std::string(which.model) == "spatial";
  const auto end = [&](double step) {
    Model model = test::model_of(spatial ? spatial_driven : planar_driven);
    DynamicOptions& o = test::dynamic(model);
    o.formulation = "state-space";
    o.integrator = which.integrator;
    o.step = step;
    if (step == 0) {
      o.formulation = "projected";
      o.integrator = "dop853";
      o.rtol = o.atol = 1e-12;
    }
    Memory run;
    const Outcome out = run_model(model, run, {});
    EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
    return run;
  };
  const Memory exact = end(0), coarse = end(which.step), fine = end(which.step / 2);
  const std::vector<std::string> channels =
      spatial
          ? std::vector<std::string>{"bob.qx", "bob.qy", "bob.omega_x", "bob.omega_z", "B.first.fz"}
          : std::vector<std::string>{"bob.angle", "bob.omega", "B.first.fx", "B.first.fy"};
  for (const auto& channel : channels) {
    const double e1 = std::abs(coarse.last(channel) - exact.last(channel)),
                 e2 = std::abs(fine.last(channel) - exact.last(channel));
    // The finer errors are down to 1e-11, where round-off of accelerations counts.
    EXPECT_GT(std::log2(e1 / e2), which.order - 0.65) << channel << " " << e1 << " " << e2;
  }
}

INSTANTIATE_TEST_SUITE_P(Formulas,
                         Orders,
                         testing::Values(OrderCase{"planar", "newmark", 0.005, 2},
                                         OrderCase{"planar", "esdirk", 0.02, 4},
                                         OrderCase{"planar", "sdirk", 0.02, 4},
                                         OrderCase{"planar", "rosenbrock", 0.01, 4},
                                         OrderCase{"planar", "bdf", 0.002, 2},
                                         OrderCase{"spatial", "newmark", 0.005, 2},
                                         OrderCase{"spatial", "esdirk", 0.02, 4},
                                         OrderCase{"spatial", "sdirk", 0.02, 4},
                                         OrderCase{"spatial", "rosenbrock", 0.01, 4}));

// ---------------------------------------------------------------- together with the rest

struct Agreement {
  const char *model, *integrator, *channel;
  double until;
};

class Agrees : public testing::TestWithParam<Agreement> {};

TEST_P(Agrees, WithAnExplicitMethod) {
  const Agreement& which = GetParam();
  Model model = state_space(which.model, which.integrator, 1e-9);
  test::dynamic(model).until = which.until;
  Model other = model;
  test::dynamic(other).formulation = "projected";
  test::dynamic(other).integrator = "dop853";
  test::dynamic(other).rtol = test::dynamic(other).atol = 1e-11;
  Memory found, expected;
  const Outcome out = run_model(model, found, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  ASSERT_EQ(run_model(other, expected, {}).summary.status, "complete");
  double size = 0, worst = 0;
  ASSERT_EQ(found.rows.size(), expected.rows.size());
  for (std::size_t k = 0; k < found.rows.size(); ++k) {
    size = std::max(size, std::abs(expected.value(which.channel, k)));
    worst =
        std::max(worst, std::abs(found.value(which.channel, k) - expected.value(which.channel, k)));
  }
  EXPECT_LE(worst, 1e-6 * size);
}

INSTANTIATE_TEST_SUITE_P(
    Models,
    Agrees,
    testing::Values(Agreement{"slider-crank", "bdf", "crank.angle", 0.2},
                    Agreement{"cart-pole", "bdf", "pole.angle", 1},
                    Agreement{"motor-slider-crank", "esdirk", "crank.angle", 0.2},
                    Agreement{"heavy-top", "esdirk", "top.omega_x", 0.5},
                    Agreement{"tumbling-body", "rosenbrock", "body.omega_x", 1},
                    Agreement{"spatial-slider-crank", "esdirk", "slider.x", 0.3}));

// Matrices of more than 60 velocities are sparse.
TEST(StateSpace, LongChainAgrees) {
  std::map<std::string, Memory> runs;
  for (const std::string integrator : {"bdf", "esdirk", "newmark", "dop853"}) {
    Model model = test::model_of(test::chain(40));
    DynamicOptions& o = test::dynamic(model);
    o.until = 0.2;
    o.output_step = 0.1;
    o.formulation = integrator == "dop853" ? "projected" : "state-space";
    o.integrator = integrator;
    o.rtol = o.atol = integrator == "newmark" ? 1e-8 : 1e-9;
    const Outcome out = run_model(model, runs[integrator], {});
    ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  }
  for (const std::string channel : {"link0.angle", "link20.omega", "link39.y"}) {
    const double expected = runs["dop853"].last(channel);
    EXPECT_NEAR(runs["bdf"].last(channel), expected, 1e-6) << channel;
    EXPECT_NEAR(runs["esdirk"].last(channel), expected, 1e-6) << channel;
    EXPECT_NEAR(runs["newmark"].last(channel), expected, 1e-4) << channel;
  }
}

std::string refusal(Model model) {
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.exit_code(), 4);
  return to_text(out.summary.diagnostics);
}

TEST(StateSpace, RefusesWhatItCannotDo) {
  Model model = state_space("slider-crank", "bdf");
  test::dynamic(model).jacobian = "fv";
  EXPECT_NE(refusal(model).find("newmark"), std::string::npos);
  EXPECT_NE(refusal(state_space("slider-crank", "ode45")).find("newmark"), std::string::npos);
  EXPECT_NE(refusal(state_space("motor-slider-crank", "newmark")).find("first-order state"),
            std::string::npos);
  EXPECT_NE(refusal(state_space("rolling-disc", "bdf")).find("rolls"), std::string::npos);
  Model other = state_space("slider-crank", "ode45");
  test::dynamic(other).formulation = "projected";
  test::dynamic(other).predictor = "zero";
  EXPECT_NE(refusal(other).find("predictor"), std::string::npos);
}

// ---------------------------------------------------------------- checkpoints

struct Resumed {
  const char *model, *integrator;
  double step, until;
};

class ResumesStateSpace : public testing::TestWithParam<Resumed> {};

TEST_P(ResumesStateSpace, BitForBit) {
  Model model = state_space(GetParam().model, GetParam().integrator);
  test::dynamic(model).step = GetParam().step;
  test::dynamic(model).until = GetParam().until;
  Memory whole, first, rest;
  ASSERT_EQ(run_model(model, whole, {}).summary.status, "complete");
  first.checkpoint_every = 7;
  int left = 60;
  Control control;
  control.cancelled = [&] {
    return --left <= 0;
  };
  ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
  ASSERT_FALSE(first.last_checkpoint.empty());
  ASSERT_EQ(run_model(model, rest, {}, first.last_checkpoint).summary.status, "complete");
  ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
  for (std::size_t k = 0; k < rest.rows.size(); ++k)
    ASSERT_EQ(rest.rows[k], whole.rows[first.rows_at_checkpoint + k]) << "row " << k;
}

INSTANTIATE_TEST_SUITE_P(Models,
                         ResumesStateSpace,
                         testing::Values(Resumed{"andrews-stiff", "newmark", 1e-4, 0.035},
                                         Resumed{"andrews-stiff", "newmark", 0, 0.035},
                                         Resumed{"andrews-stiff", "bdf", 0, 0.035},
                                         Resumed{"slider-crank", "esdirk", 0, 0.5},
                                         Resumed{"slider-crank", "sdirk", 2e-3, 0.5},
                                         Resumed{"flyball-governor", "newmark", 0, 1},
                                         Resumed{"flyball-governor", "bdf", 0, 1},
                                         Resumed{"flyball-governor", "rosenbrock", 0, 1}));

}  // namespace
}  // namespace cardan
