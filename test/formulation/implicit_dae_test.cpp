// The direct implicit formulations: index3, ggl, extra-multipliers, overdetermined, haug-yen and
// coordinate-splitting.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>

#include <Eigen/SVD>
#include <fmt/format.h>

#include "cardan/analysis/start/assembly.h"
#include "cardan/base/alloc_guard.h"
#include "cardan/formulation/formulation.h"
#include "cardan/formulation/implicit/alpha_method.h"
#include "cardan/formulation/implicit/dae_newton.h"
#include "cardan/formulation/mechanism_equations.h"
#include "cardan/ode/integrator.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

struct Pair {
  const char *formulation, *integrator;
};

constexpr Pair pairs[] = {{"index3", "generalized-alpha"},
                          {"index3", "hht"},
                          {"index3", "newmark"},
                          {"ggl", "bdf"},
                          {"ggl", "radau5"},
                          {"extra-multipliers", "bdf"},
                          {"overdetermined", "bdf"},
                          {"haug-yen", "bdf"},
                          {"coordinate-splitting", "bdf"}};

bool full() {
  return std::getenv("CARDAN_FULL") != nullptr;
}

std::string words(const Pair& pair) {
  return std::string(pair.formulation) + " + " + pair.integrator;
}

Model stiff_model(const std::string& name) {
  auto read = read_model(std::string(test::source_dir) + "/test/reference/analyses/" + name +
                         "/model.toml");
  EXPECT_TRUE(read) << name;
  return read ? std::move(read).value() : Model{};
}

// What a pair says it cannot do.
bool refuses(const std::string& model, const Pair& pair) {
  const System system = test::system_of(test::model_file(model));
  const std::string_view name = pair.formulation;
  for (int row = 0; row < system.joint_rows(); ++row)
    if (system.equations().at_velocity_level(row) && name == "haug-yen") return true;
  if (system.friction().any_sticks() && name == "haug-yen") return true;
  return name == "coordinate-splitting" && system.friction().count() > 0;
}

Outcome run(Model& model, const Pair& pair, double step, double tolerance, Memory& to) {
  DynamicOptions& o = test::dynamic(model);
  o.formulation = pair.formulation;
  o.integrator = pair.integrator;
  o.step = step;
  o.rtol = o.atol = tolerance;
  return run_model(model, to, {});
}

// The largest difference of a channel relative to its range, and at least a thousandth of the
// largest value with its unit. Only motion and forces: works are not under error control.
struct Worst {
  double error = 0;
  std::string channel;
};

Worst difference(const std::vector<std::vector<double>>& rows, const Memory& exact) {
  std::map<std::string, double> size;
  for (const auto& row : exact.rows)
    for (std::size_t k = 0; k < row.size(); ++k) {
      double& largest = size.try_emplace(exact.channels[k].unit, 1e-3).first->second;
      largest = std::max(largest, std::abs(row[k]));
    }
  // A frame may lie where its body rests: other points of the body move.
  size["m/s"] = std::max(size["m/s"], size["m"] * size["rad/s"]);
  size["m/s^2"] = std::max(size["m/s^2"], size["m"] * size["rad/s^2"]);
  size["N*m"] = std::max(size["N*m"], size["N"] * size["m"]);
  Worst worst;
  for (std::size_t k = 0; k < exact.channels.size(); ++k) {
    const Channel& c = exact.channels[k];
    if (c.quantity != "position" && c.quantity != "velocity" && c.quantity != "acceleration" &&
        c.quantity != "reaction")
      continue;
    double low = INFINITY, high = -INFINITY, off = 0;
    for (std::size_t r = 0; r < exact.rows.size(); ++r) {
      low = std::min(low, exact.rows[r][k]);
      high = std::max(high, exact.rows[r][k]);
      off = std::max(off, std::abs(rows[r][k] - exact.rows[r][k]));
    }
    off /= std::max(high - low, 1e-3 * size[c.unit]);
    // Accelerations and reactions need the curvature of curves and constraints too.
    if (c.quantity == "acceleration" || c.quantity == "reaction") off *= 0.2;
    if (!(off <= worst.error)) worst = {off, c.name};
  }
  return worst;
}

struct Scene {
  const char* model;
  double until;
  bool quick = true;
  double step = 0;  // of fixed steps, largest of three; 0: none
};

std::string label(const testing::TestParamInfo<Scene>& info) {
  std::string text = info.param.model;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

class ImplicitDae : public testing::TestWithParam<Scene> {
 protected:
  void SetUp() override {
    if (!GetParam().quick && !full()) GTEST_SKIP() << "only in the full run";
    model_ = test::model_file(GetParam().model);
    test::dynamic(model_).until = GetParam().until;
    test::dynamic(model_).output_step = GetParam().until / 4;
    ASSERT_EQ(run(model_, {"projected", "dop853"}, 0, 1e-12, exact_).summary.status, "complete");
  }

  Model model_;
  Memory exact_;
};

TEST_P(ImplicitDae, EveryPairAgreesWithAnExplicitRun) {
  for (const Pair& pair : pairs) {
    const std::string text = std::string(GetParam().model) + ": " + words(pair);
    if (refuses(GetParam().model, pair)) {
      Memory none;
      const Outcome out = run(model_, pair, 0, 1e-8, none);
      EXPECT_EQ(out.summary.status, "failed") << text;
      EXPECT_EQ(out.summary.diagnostics.back().id, "model.unknown-option") << text;
      continue;
    }
    const double tolerance = std::string_view(pair.integrator) == "bdf" ? 1e-11 : 1e-9;
    Memory found;
    const Outcome out = run(model_, pair, 0, tolerance, found);
    ASSERT_TRUE(ended_well(out.summary)) << text << "\n" << to_text(out.summary.diagnostics);
    ASSERT_EQ(found.rows.size(), exact_.rows.size()) << text;
    const Worst worst = difference(found.rows, exact_);
    // Spin about the vertical hardly changes while the disc rolls so little: its range is small.
    const bool rolls = std::string_view(GetParam().model) == "rolling-disc";
    const bool alpha = std::string_view(pair.formulation) == "index3";
    EXPECT_LT(worst.error, rolls && alpha ? 1e-5 : 1e-6) << text << ", " << worst.channel;
  }
}

// Two fixed steps of a formula of order 2, extrapolated.
TEST_P(ImplicitDae, FixedStepsAgreeAfterExtrapolation) {
  const double h = GetParam().step;
  if (h == 0) GTEST_SKIP() << "no step given";
  for (const Pair& pair : pairs) {
    const std::string text = std::string(GetParam().model) + ": " + words(pair);
    if (std::string_view(pair.integrator) == "radau5" || refuses(GetParam().model, pair)) continue;
    Memory coarse, fine;
    Outcome out = run(model_, pair, h, 1e-9, coarse);
    ASSERT_EQ(out.summary.status, "complete") << text << to_text(out.summary.diagnostics);
    out = run(model_, pair, h / 2, 1e-9, fine);
    ASSERT_EQ(out.summary.status, "complete") << text << to_text(out.summary.diagnostics);
    auto rows = fine.rows;
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t k = 0; k < rows[r].size(); ++k)
        rows[r][k] += (fine.rows[r][k] - coarse.rows[r][k]) / 3;
    const Worst worst = difference(rows, exact_);
    EXPECT_LT(worst.error, 1e-6) << text << ", " << worst.channel;
  }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         ImplicitDae,
                         testing::Values(Scene{"slider-crank", 0.02, true, 5e-5},
                                         Scene{"four-bar", 0.05, true, 1e-4},
                                         Scene{"spatial-slider-crank", 0.02, true, 1e-4},
                                         Scene{"heavy-top", 0.01, true, 1e-5},
                                         Scene{"rolling-disc", 0.05},
                                         Scene{"cart-pole", 0.04},
                                         Scene{"andrews", 0.01, false},
                                         Scene{"bennett", 0.1, false},
                                         Scene{"cam-follower", 0.05, false},
                                         Scene{"delta-robot", 0.1, false},
                                         Scene{"double-pendulum", 0.3, false},
                                         Scene{"excavator-boom", 0.2, false},
                                         Scene{"flyball-governor", 0.1, false},
                                         Scene{"gear-train", 0.2, false},
                                         Scene{"gyroscope", 0.05, false},
                                         Scene{"parallelogram", 0.1, false},
                                         Scene{"quick-return", 0.1, false},
                                         Scene{"spatial-four-bar", 0.2, false},
                                         Scene{"spherical-chain", 0.1, false},
                                         Scene{"stewart-platform", 0.1, false},
                                         Scene{"tumbling-body", 0.5, false},
                                         Scene{"universal-train", 0.05, false},
                                         Scene{"vehicle", 0.02, false}),
                         label);

// ---------------------------------------------------------------- orders

// Errors of positions, velocities and reactions at the end.
struct Errors {
  double position = 0, velocity = 0, reaction = 0;
};

Errors errors(const Memory& found, const Memory& exact) {
  Errors e;
  for (std::size_t k = 0; k < exact.channels.size(); ++k) {
    const std::string& what = exact.channels[k].quantity;
    const double off = std::abs(found.rows.back()[k] - exact.rows.back()[k]);
    if (what == "position") e.position = std::max(e.position, off);
    if (what == "velocity") e.velocity = std::max(e.velocity, off);
    if (what == "reaction") e.reaction = std::max(e.reaction, off);
  }
  return e;
}

struct OrderCase {
  Pair pair;
  const char* model;
  double until, step;
  int order;        // asked for
  double expected;  // of positions and velocities
  double slack = 0.2;
};

class ImplicitDaeOrder : public testing::TestWithParam<OrderCase> {};

TEST_P(ImplicitDaeOrder, IsThatOfTheMethod) {
  const OrderCase& c = GetParam();
  Model model = test::model_file(c.model);
  DynamicOptions& o = test::dynamic(model);
  o.until = c.until;
  o.output_step = c.until;
  Memory exact;
  ASSERT_EQ(run(model, {"projected", "dop853"}, 0, 1e-13, exact).summary.status, "complete");
  test::dynamic(model).order = c.order;
  const auto at = [&](double h) {
    Memory found;
    const Outcome out = run(model, c.pair, h, 1e-9, found);
    EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
    return errors(found, exact);
  };
  const Errors coarse = at(c.step), fine = at(c.step / 2);
  const std::string text = words(c.pair) + ", " + c.model;
  EXPECT_NEAR(std::log2(coarse.position / fine.position), c.expected, c.slack) << text;
  EXPECT_NEAR(std::log2(coarse.velocity / fine.velocity), c.expected, c.slack) << text;
  EXPECT_GT(std::log2(coarse.reaction / fine.reaction), c.expected - c.slack) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Methods,
    ImplicitDaeOrder,
    testing::Values(OrderCase{{"index3", "newmark"}, "slider-crank", 0.1, 2.5e-4, 0, 2},
                    OrderCase{{"index3", "hht"}, "slider-crank", 0.1, 1e-3, 0, 2},
                    OrderCase{{"index3", "generalized-alpha"}, "slider-crank", 0.1, 1e-3, 0, 2},
                    OrderCase{{"index3", "newmark"}, "spatial-slider-crank", 0.2, 2e-3, 0, 2},
                    OrderCase{{"index3", "hht"}, "spatial-slider-crank", 0.2, 2e-3, 0, 2},
                    OrderCase{
                        {"index3", "generalized-alpha"}, "spatial-slider-crank", 0.2, 2e-3, 0, 2},
                    OrderCase{{"ggl", "bdf"}, "slider-crank", 0.1, 1e-3, 2, 2},
                    OrderCase{{"ggl", "bdf"}, "slider-crank", 0.1, 2.5e-4, 3, 3, 0.4},
                    OrderCase{{"ggl", "radau5"}, "slider-crank", 0.1, 4e-3, 0, 5, 0.7},
                    OrderCase{{"ggl", "radau5"}, "spatial-slider-crank", 0.2, 0.01, 0, 5, 0.7},
                    OrderCase{{"extra-multipliers", "bdf"}, "slider-crank", 0.1, 1e-3, 2, 2},
                    OrderCase{{"overdetermined", "bdf"}, "slider-crank", 0.1, 1e-3, 2, 2},
                    OrderCase{{"haug-yen", "bdf"}, "slider-crank", 0.1, 1e-3, 2, 2},
                    OrderCase{{"coordinate-splitting", "bdf"}, "slider-crank", 0.1, 1e-3, 2, 2}));

// A double pendulum on a cart that a driver moves; with `damper` its lower joint is damped. In space
// the same about axes that are not parallel.
Model driven(bool spatial) {
  if (!spatial)
    return test::model_of(
        "gravity = [0, -9.81]\n"
        "[[body]]\nname='cart'\nat=[0,0]\nmass=1\ninertia=0.1\n"
        "[[body]]\nname='upper'\nfrom=[0,0]\nto=[0.3,-0.1]\nmass=0.5\n"
        "[[body]]\nname='lower'\nfrom=[0.3,-0.1]\nto=[0.5,-0.3]\nmass=0.4\n"
        "[[joint]]\ntype='translational'\nname='guide'\nbetween=['ground','cart']\naxis=[1,0]\n"
        "[[joint]]\ntype='revolute'\nname='one'\nbetween=['cart','upper']\nat=[0,0]\n"
        "[[joint]]\ntype='revolute'\nname='two'\nbetween=['upper','lower']\nat=[0.3,-0.1]\n"
        "[[driver]]\njoint='guide'\nname='shaker'\nmotion='0.05*(1-cos(8*t))'\n"
        "[[analysis]]\ntype='dynamic'\nuntil=0.4\noutput_step=0.4\n");
  return test::model_of(
      "space = 'spatial'\ngravity = [0, 0, -9.81]\n"
      "[[body]]\nname='cart'\nat=[0,0,0]\nmass=1\ninertia=[0.1,0.1,0.1]\n"
      "[[body]]\nname='upper'\nat=[0.15,0,-0.05]\nmass=0.5\ninertia=[0.002,0.006,0.005]\n"
      "[[body]]\nname='lower'\nat=[0.4,0,-0.2]\nmass=0.4\ninertia=[0.003,0.001,0.004]\n"
      "[[joint]]\ntype='translational'\nname='guide'\nbetween=['ground','cart']\nat=[0,0,0]\n"
      "axis=[1,0,0]\n"
      "[[joint]]\ntype='revolute'\nname='one'\nbetween=['cart','upper']\nat=[0,0,0]\n"
      "axis=[0,1,0.3]\n"
      "[[joint]]\ntype='spherical'\nname='two'\nbetween=['upper','lower']\nat=[0.3,0,-0.1]\n"
      "[[driver]]\njoint='guide'\nname='shaker'\nmotion='0.05*(1-cos(8*t))'\n"
      "[[analysis]]\ntype='dynamic'\nuntil=0.4\noutput_step=0.4\n");
}

class DrivenOrder : public testing::TestWithParam<std::tuple<const char*, bool>> {};

// Second order of q, v and reactions with constraints that follow time.
TEST_P(DrivenOrder, OfTheIndexThreeMethodsIsTwo) {
  const auto& [integrator, spatial] = GetParam();
  Model model = driven(spatial);
  Memory exact;
  ASSERT_EQ(run(model, {"projected", "dop853"}, 0, 1e-13, exact).summary.status, "complete");
  const auto at = [&](double h) {
    Memory found;
    const Outcome out = run(model, {"index3", integrator}, h, 1e-9, found);
    EXPECT_TRUE(ended_well(out.summary)) << to_text(out.summary.diagnostics);
    return errors(found, exact);
  };
  const Errors coarse = at(1e-3), fine = at(5e-4);
  EXPECT_NEAR(std::log2(coarse.position / fine.position), 2, 0.2);
  EXPECT_NEAR(std::log2(coarse.velocity / fine.velocity), 2, 0.2);
  EXPECT_NEAR(std::log2(coarse.reaction / fine.reaction), 2, 0.3);
}

INSTANTIATE_TEST_SUITE_P(Methods,
                         DrivenOrder,
                         testing::Combine(testing::Values("newmark", "hht", "generalized-alpha"),
                                          testing::Bool()));

// ---------------------------------------------------------------- the iteration matrices

double condition(const Eigen::SparseMatrix<double>& A) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd{Eigen::MatrixXd(A)};
  const auto& values = svd.singularValues();
  return values[0] / values[values.size() - 1];
}

// At any step the condition is about that of the saddle-point matrix.
TEST(IterationMatrix, StaysWellConditionedAsStepsGoToZero) {
  for (const char* name : {"slider-crank", "spatial-slider-crank", "stiff"}) {
    const Model model =
        std::string(name) == "stiff" ? stiff_model("stiff-slider-crank") : test::model_file(name);
    const System system = test::system_of(model);
    const Assembly start = assemble(system, 0, system.given_state());
    MotionSolver motion(system, start.mobility.active);
    motion.use_states(start.state.z);
    MechanismEquations equations(motion);
    const State& s = start.state;
    std::vector<double> a(s.v.size()), lambda(start.mobility.active.size()), d(s.v.size(), 0.0);
    ASSERT_EQ(equations.accelerations(0, s.q, s.v, s.z, a, lambda), Eval::ok);
    equations.linearise(0, s.q, s.v, a, lambda, s.z);
    AlphaNewton newton(equations);
    newton.linearise(0, s.q, s.v, a, lambda, s.z, d);
    double first = 0;
    for (const double h : {1e-3, 1e-5, 1e-8}) {
      ASSERT_TRUE(newton.factor(0.5 * h, 0.25 * h * h));
      const double now = condition(newton.matrix());
      if (first == 0) first = now;
      EXPECT_LT(now, 20 * first) << name << ", h = " << h;
    }
    for (const DaeKind& kind :
         {DaeKind{.name = "ggl"}, DaeKind{.name = "extra-multipliers", .accelerations = true}}) {
      DaeNewton dae(equations, kind, {});
      const DaeLayout at(equations, kind);
      std::vector<double> y(at.size, 0.0);
      std::copy(s.q.begin(), s.q.end(), y.begin());
      std::copy(s.v.begin(), s.v.end(), y.begin() + static_cast<std::ptrdiff_t>(at.at_v));
      std::copy(a.begin(), a.end(), y.begin() + static_cast<std::ptrdiff_t>(at.at_a));
      dae.reserve(1);
      dae.linearise(0, s.q, y, lambda);
      first = 0;
      for (const double h : {1e-3, 1e-5, 1e-8}) {
        ASSERT_TRUE(dae.factor(0, h));
        const double now = condition(dae.matrix(0));
        if (first == 0) first = now;
        EXPECT_LT(now, 20 * first) << name << ", " << kind.name << ", h = " << h;
      }
    }
  }
}

// W of the direct formulations is the derivative of their equations: solves against differences.
class DaeSolves : public testing::TestWithParam<std::tuple<Pair, const char*>> {};

TEST_P(DaeSolves, WithTheDerivativeOfF) {
  const auto& [pair, name] = GetParam();
  const System system = test::system_of(test::model_file(name));
  const Assembly start = assemble(system, 0, system.given_state());
  DynamicOptions options;
  options.formulation = pair.formulation;
  options.integrator = pair.integrator;
  auto made = make_formulation({system, start.mobility.active, options});
  ASSERT_TRUE(made);
  Formulation& of = *made.value();
  Eigen::VectorXd y(of.size()), f(of.size()), plus(of.size()), minus(of.size());
  const auto view = [](Eigen::VectorXd& x) {
    return View{x.data(), static_cast<std::size_t>(x.size())};
  };
  of.parametrize(start.state, view(y));
  of.reserve(2);
  ASSERT_EQ(of.complete(0, view(y)), Eval::ok);
  const Shift shifts[] = {{0.01, 0}, {0.01, 0.02}};
  ASSERT_EQ(of.setup(0, view(y), view(f), shifts, Reuse::nothing), Eval::ok);
  std::mt19937 random(5);
  std::uniform_real_distribution<> spread(-1, 1);
  const auto algebraic = of.algebraic();
  const auto along = [&](Eigen::VectorXd x) {  // f_y x
    const double h = 1e-6 / x.cwiseAbs().maxCoeff();
    Eigen::VectorXd there = y + h * x;
    EXPECT_EQ(of.evaluate(0, view(there), view(plus)), Eval::ok);
    there = y - h * x;
    EXPECT_EQ(of.evaluate(0, view(there), view(minus)), Eval::ok);
    return Eigen::VectorXd((plus - minus) / (2 * h));
  };
  const Eigen::Index turns = system.q_size() - system.turn_count();
  const auto left = [&](const Eigen::VectorXd& x) {  // D x
    Eigen::VectorXd out = x;
    for (std::size_t i = 0; i < algebraic.size(); ++i)
      if (algebraic[i] != 0) out[static_cast<Eigen::Index>(i)] = 0;
    return out;
  };
  for (int repeat = 0; repeat < 3; ++repeat) {
    // A right side that belongs to a solution whose parts are of the size of the state's.
    Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(y.size(), [&] { return spread(random); });
    x = x.cwiseProduct(y.cwiseAbs().cwiseMax(1e-3 * y.cwiseAbs().maxCoeff()));
    x.segment(turns, system.turn_count()).setZero();
    for (std::size_t r = 0; r < start.mobility.active.size(); ++r) {
      const auto at = static_cast<Eigen::Index>(r) + system.q_size() + 2 * system.v_size();
      const auto rows = static_cast<Eigen::Index>(start.mobility.active.size());
      if (system.equations().at_velocity_level(static_cast<int>(r))) x[at + rows] = 0;  // no mu
      if (start.mobility.active[r] != 0) continue;
      for (Eigen::Index k = at; k < y.size() - system.states().size(); k += rows) x[k] = 0;
    }
    // mu and eta are 0 here, and their columns those of B.
    Eigen::VectorXd b = left(x) - shifts[0].re * along(x);
    ASSERT_EQ(of.solve(0, view(b), {}), Eval::ok);
    const Eigen::VectorXd scale = x.cwiseAbs().cwiseMax(1e-2 * x.cwiseAbs().maxCoeff());
    Eigen::VectorXd off = (b - x).cwiseQuotient(scale);
    off.segment(turns, system.turn_count()).setZero();
    EXPECT_LT(off.cwiseAbs().maxCoeff(), 1e-4) << words(pair) << ", " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pairs,
    DaeSolves,
    testing::Combine(
        testing::Values(Pair{"ggl", "bdf"}, Pair{"extra-multipliers", "bdf"}),
        testing::Values("slider-crank", "spatial-slider-crank", "cart-pole", "rolling-disc")));

// ---------------------------------------------------------------- stiff references

class StiffReference : public testing::TestWithParam<Pair> {};

// The figures of test/reference/analyses; eigenvalues of -1e5 and -8.5e4 1/s.
TEST_P(StiffReference, IsReachedWithLargeSteps) {
  const Pair& pair = GetParam();
  const bool alpha = std::string_view(pair.formulation) == "index3";
  const double tolerance = alpha ? 1e-8 : 1e-11, digits = alpha ? 3e-4 : 2e-8;
  Model crank = stiff_model("stiff-slider-crank");
  Memory found;
  Outcome out = run(crank, pair, 0, tolerance, found);
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_NEAR(found.last("crank.angle"), 8.869865750998084, 10 * digits);
  EXPECT_NEAR(found.last("follower.x"), 0.3103421320979914, digits);
  EXPECT_NEAR(found.last("crank.omega"), 33.607175002702824, 100 * digits);
  EXPECT_NEAR(found.last("follower.vx"), -1.2611224281571352, 10 * digits);
  Model pendulums = stiff_model("stiff-pendulums");
  Memory other;
  out = run(pendulums, pair, 0, tolerance, other);
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_NEAR(other.last("first.angle"), -1.15503747049944, 10 * digits);
  EXPECT_NEAR(other.last("second.angle"), -2.25461294492771, 10 * digits);
  EXPECT_NEAR(other.last("first.omega"), -4.20373621496641, 10 * digits);
  EXPECT_NEAR(other.last("second.omega"), -4.20346127577653, 10 * digits);
  if (!alpha) {
    EXPECT_LT(out.summary.stats.steps, 5000);
  }
}

// A crank that a motor turns moves a slider, and a stiff spring-damper a light follower with it. Both have the same
// acceleration but for m/k of its second derivative, 1e-9 of it, once exp(-k t/c) has decayed; the follower's is the
// force over its mass: a velocity that is off by e makes 1e8 e 1/s of it.
TEST(StiffFollower, IsAcceleratedAsWhatItFollows) {
  Model model = test::model_of(
      "gravity=[0,-9.81]\n"
      "[[body]]\nname='crank'\nfrom=[0,0]\nto=[0.1,0]\nmass=1\n"
      "[[body]]\nname='rod'\nfrom=[0.1,0]\nto=[0.4,0]\nmass=0.8\n"
      "[[body]]\nname='slider'\nat=[0.4,0]\nmass=1.2\ninertia=1e-3\n"
      "[[body]]\nname='follower'\nat=[0.5,0]\nmass=0.001\ninertia=1e-5\n"
      "[[joint]]\ntype='revolute'\nname='A'\nbetween=['ground','crank']\nat=[0,0]\n"
      "[[joint]]\ntype='revolute'\nname='B'\nbetween=['crank','rod']\nat=[0.1,0]\n"
      "[[joint]]\ntype='revolute'\nname='C'\nbetween=['rod','slider']\nat=[0.4,0]\n"
      "[[joint]]\ntype='translational'\nname='D'\nbetween=['ground','slider']\n"
      "points=[[0,0],[0,0]]\naxis=[1,0]\n"
      "[[joint]]\ntype='translational'\nname='E'\nbetween=['ground','follower']\n"
      "points=[[0,0],[0,0]]\naxis=[1,0]\n"
      "[[force]]\ntype='spring'\nname='stiff'\nbetween=['slider','follower']\n"
      "points=[[0,0],[0,0]]\nstiffness=1e8\ndamping=1e5\nfree_length=0.1\n"
      "[[driver]]\njoint='A'\nname='motor'\nmotion='12*t+0.3*sin(5*t)'\n"
      "[[analysis]]\ntype='dynamic'\nuntil=0.5\noutput_step=0.025\n");
  std::vector<Pair> all;
  for (const Pair& pair : pairs)
    if (std::string_view(pair.formulation) != "index3") all.push_back(pair);
  for (const Pair& pair : {Pair{"projected", "radau5"},
                           Pair{"projected", "bdf"},
                           Pair{"projected", "rosenbrock"},
                           Pair{"reduced", "radau5"},
                           Pair{"reduced", "bdf"},
                           Pair{"state-space", "bdf"}})
    all.push_back(pair);
  for (const double tolerance : {1e-6, 1e-8})
    for (const Pair& pair : all) {
      // In these the driven bodies are no unknowns that would be interpolated with the follower.
      const std::string_view name = pair.formulation;
      if (tolerance > 1e-7 && (name == "reduced" || name == "state-space")) continue;
      Memory found;
      const Outcome out = run(model, pair, 0, tolerance, found);
      const std::string text = words(pair) + fmt::format(", {}", tolerance);
      ASSERT_EQ(out.summary.status, "complete") << text << to_text(out.summary.diagnostics);
      double size = 0, off = 0;
      for (std::size_t r = 2; r < found.rows.size(); ++r) {
        size = std::max(size, std::abs(found.value("slider.ax", r)));
        off = std::max(off, std::abs(found.value("slider.ax", r) - found.value("follower.ax", r)));
      }
      EXPECT_LT(off, (name == "reduced" || name == "state-space" ? 0.1 : 0.02) * size) << text;
      EXPECT_LT(out.summary.stats.steps, 2000) << text;
    }
}

std::string pair_label(const testing::TestParamInfo<Pair>& info) {
  std::string text = std::string(info.param.formulation) + "_" + info.param.integrator;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

INSTANTIATE_TEST_SUITE_P(Pairs, StiffReference, testing::ValuesIn(pairs), pair_label);

// Andrews' mechanism with a spring of 30,000 N/m and a damper of 100,000 N s/m, at 0.035 s.
TEST(AndrewsStiff, IsMetByRadauOnTheIndexTwoEquations) {
  std::ifstream file(std::string(test::source_dir) + "/models/andrews/model.toml");
  std::stringstream given;
  given << file.rdbuf();
  std::string text = given.str();
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  replace("4530 N/m", "30000 N/m");
  replace("stiffness   = \"c0\"", "stiffness   = \"c0\"\ndamping = 100000");
  Model model = test::model_of(text);
  test::dynamic(model).until = 0.035;
  test::dynamic(model).output_step = 0.035;
  Memory found;
  const Outcome out = run(model, {"ggl", "radau5"}, 0, 1e-12, found);
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_NEAR(found.last("K1.angle"), 0.28964493459578848, 1e-9);
  EXPECT_NEAR(found.last("K1.omega"), 5.2104996713394591, 1e-8);
}

// ---------------------------------------------------------------- resume, refusals, messages

class ResumeDae : public testing::TestWithParam<std::tuple<Pair, const char*, bool>> {};

TEST_P(ResumeDae, IsBitForBit) {
  const auto& [pair, name, fixed] = GetParam();
  Model model = test::model_file(name);
  test::dynamic(model).until = 0.1;
  test::dynamic(model).output_step = 0.004;
  const double step = fixed ? 1e-3 : 0;
  Memory whole;
  const Outcome out = run(model, pair, step, 1e-6, whole);
  ASSERT_TRUE(ended_well(out.summary)) << to_text(out.summary.diagnostics);
  Memory first;
  long left = out.summary.stats.steps / 2;
  Control control;
  control.cancelled = [&] {
    return --left <= 0;
  };
  ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
  Memory rest;
  ASSERT_TRUE(ended_well(run_model(model, rest, {}, first.last_checkpoint).summary));
  ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
  for (std::size_t k = first.rows_at_checkpoint; k < whole.rows.size(); ++k)
    ASSERT_EQ(std::memcmp(rest.rows[k - first.rows_at_checkpoint].data(),
                          whole.rows[k].data(),
                          whole.rows[k].size() * sizeof(double)),
              0)
        << words(pair) << ", " << name << ", row " << k;
}

INSTANTIATE_TEST_SUITE_P(Pairs,
                         ResumeDae,
                         testing::Combine(testing::ValuesIn(pairs),
                                          testing::Values("slider-crank", "spatial-slider-crank"),
                                          testing::Bool()));

// Friction that reads the reaction of the guide, and a stop that the pendulum meets.
std::string rubbing(const char* more) {
  return std::string(
             "gravity = [0, -9.81]\n"
             "[[body]]\nname='block'\nat=[0,0]\nmass=1\ninertia=0.1\nvelocity=[1,0]\n"
             "[[body]]\nname='bar'\nfrom=[0,0]\nto=[0.3,-0.1]\nmass=0.5\nvelocity=[1,0]\n"
             "[[joint]]\ntype='translational'\nname='guide'\nbetween=['ground','block']\naxis=[1,0]"
             "\n"
             "friction=0.2\ntransition_speed=0.05\n"
             "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['block','bar']\nat=[0,0]\n") +
         more + "[[analysis]]\ntype='dynamic'\nuntil=0.4\noutput_step=0.1\n";
}

TEST(ImplicitDaeFriction, IsThatOfAnExplicitRun) {
  Model model = test::model_of(rubbing(""));
  Memory exact;
  ASSERT_EQ(run(model, {"projected", "dop853"}, 0, 1e-11, exact).summary.status, "complete");
  for (const Pair& pair : pairs) {
    Memory found;
    const Outcome out = run(model, pair, 0, 1e-9, found);
    if (std::string_view(pair.formulation) == "coordinate-splitting") {
      EXPECT_EQ(out.summary.diagnostics.back().id, "model.unknown-option");
      continue;
    }
    ASSERT_EQ(out.summary.status, "complete") << words(pair) << to_text(out.summary.diagnostics);
    const Worst worst = difference(found.rows, exact);
    const bool alpha = std::string_view(pair.formulation) == "index3";
    EXPECT_LT(worst.error, alpha ? 1e-3 : 1e-5) << words(pair) << ", " << worst.channel;
  }
}

// Where drivers leave no freedom nothing but the multipliers is iterated for: they must not grow from step
// to step, which the works of the drivers show.
TEST(ImplicitDaeDriven, WorksOfDriversAreRight) {
  Model model = test::model_file("four-bar");
  test::dynamic(model).until = 0.3;
  test::dynamic(model).output_step = 0.05;
  for (const double tolerance : {1e-5, 1e-6, 1e-8})
    for (const Pair& pair : pairs) {
      Memory found;
      const Outcome out = run(model, pair, 0, tolerance, found);
      EXPECT_EQ(out.summary.status, "complete") << words(pair) << ", " << tolerance << "\n"
                                                << to_text(out.summary.diagnostics);
      EXPECT_LT(out.summary.energy.max_imbalance, 1e-4) << words(pair) << ", " << tolerance;
    }
}

// Under friction that sticks the motion is a straight line at times and restarts often: formulas of bdf need
// no order for it then, but the work of the drive does.
TEST(ImplicitDaeDriven, WorksOfBdfAreRightWhereTheMotionNeedsNoOrder) {
  for (const char* name : {"stick-slip", "press", "four-cylinder-engine"}) {
    Model model = test::model_file(name);
    for (const Pair& pair : {Pair{"ggl", "bdf"},
                             Pair{"extra-multipliers", "bdf"},
                             Pair{"overdetermined", "bdf"},
                             Pair{"haug-yen", "bdf"},
                             Pair{"projected", "bdf"},
                             Pair{"state-space", "bdf"}}) {
      Memory found;
      const Outcome out = run(model, pair, 0, 1e-7, found);
      if (out.summary.diagnostics.size() > 0 && out.exit_code() == 4) continue;  // refused
      EXPECT_EQ(out.summary.status, "complete") << words(pair) << ", " << name << "\n"
                                                << to_text(out.summary.diagnostics);
      double moved = 0;
      for (std::size_t r = 0; r < found.rows.size(); ++r)
        moved = std::max(moved, std::abs(found.value("energy.drivers", r)));
      EXPECT_LT(out.summary.energy.max_imbalance, 3e-5 * moved) << words(pair) << ", " << name;
    }
  }
}

TEST(ImplicitDaeEvents, StopsAreMetByAll) {
  Model model = test::model_file("pendulum-stops");
  test::dynamic(model).until = 1.2;
  test::dynamic(model).output_step = 0.3;
  Memory exact;
  ASSERT_TRUE(ended_well(run(model, {"projected", "dop853"}, 0, 1e-11, exact).summary));
  for (const Pair& pair : pairs) {
    if (refuses("pendulum-stops", pair)) continue;
    Memory found;
    const Outcome out = run(model, pair, 0, 1e-9, found);
    ASSERT_TRUE(ended_well(out.summary)) << words(pair) << to_text(out.summary.diagnostics);
    const Worst worst = difference(found.rows, exact);
    EXPECT_LT(worst.error, 1e-3) << words(pair) << ", " << worst.channel;
  }
}

// The vehicle, 3 s: its bushings and tyres are stiff for explicit methods.
TEST(ImplicitDaeVehicle, TakesFarFewerStepsThanExplicitMethods) {
  if (!full()) GTEST_SKIP() << "only in the full run";
  Model model = test::model_file("vehicle");
  const auto stats = [&](const Pair& pair) {
    Memory found;
    const Outcome out = run(model, pair, 0, 1e-5, found);
    EXPECT_TRUE(ended_well(out.summary)) << words(pair) << to_text(out.summary.diagnostics);
    const RunStatistics& s = out.summary.stats;
    fmt::print("{:30} {:6} steps, {:6} rejected, {:6} iterations, {:5} derivatives, {:.2f} s\n",
               words(pair),
               s.steps,
               s.rejected,
               s.newton_iterations,
               s.jacobians,
               s.cpu_seconds);
    std::fflush(stdout);
    return s;
  };
  // adams is the explicit method that takes the least time here.
  const long explicit_steps = stats({"projected", "adams"}).steps;
  long fewest = explicit_steps;
  for (const Pair& pair : pairs) fewest = std::min(fewest, stats(pair).steps);
  EXPECT_LE(4 * fewest, explicit_steps);
  EXPECT_LE(4 * stats({"projected", "esdirk"}).steps, explicit_steps);  // the quickest of few steps
}

TEST(ImplicitDaeAllocation, NothingIsAllocatedWhileStepping) {
  if (!AllocationGuard::active()) GTEST_SKIP() << "allocations are not counted in this build";
  for (const char* name : {"slider-crank", "spatial-slider-crank"}) {
    const System system = test::system_of(test::model_file(name));
    const Assembly start = assemble(system, 0, system.given_state());
    for (const Pair& pair : pairs)
      for (const double step : {0.0, 1e-3}) {
        DynamicOptions options;
        options.formulation = pair.formulation;
        options.integrator = pair.integrator;
        options.step = step;
        auto made = make_formulation({system, start.mobility.active, options});
        ASSERT_TRUE(made) << words(pair);
        Formulation& of = *made.value();
        std::vector<double> y(static_cast<std::size_t>(of.size()));
        of.parametrize(start.state, y);
        IntegratorOptions steps;
        steps.step = step;
        Integrator integrator(of.own_method(options), of.tolerance(options), steps);
        ASSERT_EQ(integrator.start(0, y), Eval::ok);
        ASSERT_EQ(integrator.advance(0.01).why, Stop::Why::end) << words(pair);
        const AllocationGuard guard;
        const Stop stop = integrator.advance(0.02);
        EXPECT_EQ(guard.count(), 0) << words(pair) << ", " << name << ", step " << step;
        EXPECT_EQ(stop.why, Stop::Why::end) << words(pair);
      }
  }
}

// Chains of pins: the work of a step grows with the number of bodies.
TEST(ImplicitDaeChain, CostsInProportionToItsBodies) {
  if (!full()) GTEST_SKIP() << "only in the full run";

  struct Cost {
    double seconds;
    long iterations, derivatives;
  };

  const auto cost = [](const Pair& pair, int n) -> Cost {
    const Model model = test::model_of(test::chain(n));
    const System system = test::system_of(model);
    const Assembly start = assemble(system, 0, system.given_state());
    DynamicOptions options;
    options.formulation = pair.formulation;
    options.integrator = pair.integrator;
    options.step = 1e-3;
    auto made = make_formulation({system, start.mobility.active, options});
    EXPECT_TRUE(made);
    Formulation& of = *made.value();
    std::vector<double> y(static_cast<std::size_t>(of.size()));
    of.parametrize(start.state, y);
    IntegratorOptions steps;
    steps.step = options.step;
    Integrator integrator(of.own_method(options), of.tolerance(options), steps);
    EXPECT_EQ(integrator.start(0, y), Eval::ok);
    Stop stop = integrator.advance(0.003);
    EXPECT_EQ(stop.why, Stop::Why::end) << words(pair) << ": " << stop.failure.text;
    const Stats begun = integrator.stats();
    const std::clock_t before = std::clock();
    stop = integrator.advance(0.013);
    EXPECT_EQ(stop.why, Stop::Why::end) << words(pair) << ": " << stop.failure.text;
    const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    const Stats& ended = integrator.stats();
    return {seconds, ended.newton - begun.newton, ended.jacobian - begun.jacobian};
  };
  std::vector<Pair> all(std::begin(pairs), std::end(pairs));
  all.push_back({"state-space", "newmark"});
  all.push_back({"state-space", "bdf"});
  for (const Pair& pair : all) {
    const Cost few = cost(pair, 1000), many = cost(pair, 10000);
    fmt::print(
        "{:30} {:.4f} s and {:.4f} s for 10 steps, iterations {} and {}, derivatives {} and {}\n",
        words(pair),
        few.seconds,
        many.seconds,
        few.iterations,
        many.iterations,
        few.derivatives,
        many.derivatives);
    std::fflush(stdout);
    EXPECT_LT(many.seconds, 25 * few.seconds) << words(pair);
    EXPECT_LE(many.iterations, 2 * few.iterations) << words(pair);
  }
}

TEST(ImplicitDaeRefusals, NameWhatDoesWork) {
  Model model = test::model_file("slider-crank");
  Memory none;
  Outcome out = run(model, {"ggl", "rk4"}, 0, 1e-6, none);
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_NE(out.summary.diagnostics.back().expected.find("radau5"), std::string::npos);
  test::dynamic(model).integrator_settings.alpha = 0.5;
  Memory other;
  out = run(model, {"index3", "hht"}, 0, 1e-6, other);
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_NE(to_text(out.summary.diagnostics.back()).find("alpha"), std::string::npos);
}

// Whatever is refused for what the mechanism has, the formulations that are told instead do take it.
TEST(ImplicitDaeRefusals, ToldInsteadAreThoseThatWork) {
  std::vector<Model> models;
  for (const char* name :
       {"stick-slip", "rolling-disc", "motor-slider-crank", "cart-pole", "sleigh"})
    models.push_back(test::model_file(name));
  models.push_back(test::model_of(rubbing("")));
  int refused = 0;
  for (const Model& model : models) {
    const System system = test::system_of(model);
    const Assembly start = assemble(system, 0, system.given_state());
    const auto fault = [&](std::string_view name) -> std::optional<Diagnostic> {
      const FormulationEntry* entry = find_formulation(name);
      DynamicOptions options;
      options.formulation = name;
      options.integrator = entry->built_in_integrator
                               ? (entry->integrators.empty() ? "auto" : entry->integrators.front())
                               : "ode45";
      auto made = make_formulation({system, start.mobility.active, options});
      if (made) return {};
      return made.why().front();
    };
    for (const FormulationEntry& entry : formulations()) {
      const auto told = fault(entry.name);
      if (!told || entry.name == "rattle") continue;
      ++refused;
      EXPECT_EQ(told->id, "model.unknown-option") << entry.name;
      std::string rest = told->expected;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(", "), rest.size());
        const std::string name = rest.substr(0, end);
        rest.erase(0, std::min(end + 2, rest.size()));
        ASSERT_NE(find_formulation(name), nullptr) << entry.name << ": " << told->expected;
        const auto why = fault(name);
        EXPECT_FALSE(why) << entry.name << " tells " << name << ": " << to_text(*why);
      }
    }
  }
  EXPECT_GE(refused, 8);
}

// A mechanism that locks: the message names the joint that is open, and by how much.
TEST(ImplicitDaeMessages, NameTheEquationAndItsResidual) {
  Model model = stiff_model("offset-slider-crank-lock-up");
  test::dynamic(model).until = 0.6;
  Memory none;
  const Outcome out = run(model, {"index3", "hht"}, 0.05, 1e-6, none);
  ASSERT_EQ(out.summary.status, "failed");
  const std::string text = to_text(out.summary.diagnostics.back());
  EXPECT_NE(text.find("residual"), std::string::npos) << text;
}

// Loops that lie flat on the way: a formulation goes through, or says that it does not and which do.
TEST(ImplicitDaeMessages, ASingularPoseIsNoLockUp) {
  for (const char* name : {"n-four-bar", "parallelogram"}) {
    Model model = test::model_file(name);
    test::dynamic(model).until = 0.8;
    test::dynamic(model).output_step = 0.4;
    Memory exact;
    ASSERT_TRUE(ended_well(run(model, {"projected", "dop853"}, 0, 1e-10, exact).summary));
    for (const Pair& pair : pairs) {
      Memory found;
      const Outcome out = run(model, pair, 0, 1e-6, found);
      const std::string text = to_text(out.summary.diagnostics);
      if (out.summary.status == "failed") {
        EXPECT_EQ(out.summary.diagnostics.back().id, "numeric.singular") << words(pair) << text;
        EXPECT_NE(text.find("\"projected\""), std::string::npos) << words(pair) << text;
        continue;
      }
      const Worst worst = difference(found.rows, exact);
      EXPECT_LT(worst.error, 1e-3) << name << ", " << words(pair) << ", " << worst.channel;
    }
  }
}

}  // namespace
}  // namespace cardan
