// The direct implicit formulations: index3, ggl, extra-multipliers, overdetermined, haug-yen and
// coordinate-splitting.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "cardan/formulation/formulation.h"
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

// What a pair says it cannot do.
bool refuses(const std::string& model, const Pair& pair) {
  const System system = test::system_of(test::model_file(model));
  const std::string_view name = pair.formulation;
  for (int row = 0; row < system.equations().rows(); ++row)
    if (system.equations().at_velocity_level(row) && name == "haug-yen") return true;
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
    const bool alpha = std::string_view(pair.formulation) == "index3";
    const double tolerance = std::string_view(pair.integrator) == "bdf" ? 1e-11 : 1e-9;
    Memory found;
    const Outcome out = run(model_, pair, 0, tolerance, found);
    if (std::getenv("SHOW"))
      fmt::print("{} {} {} {}\n",
                 text,
                 out.summary.stats.steps,
                 out.summary.stats.rejected,
                 out.summary.stats.newton_iterations),
          std::fflush(stdout);
    ASSERT_EQ(out.summary.status, "complete") << text << "\n" << to_text(out.summary.diagnostics);
    ASSERT_EQ(found.rows.size(), exact_.rows.size()) << text;
    const Worst worst = difference(found.rows, exact_);
    EXPECT_LT(worst.error, alpha ? 1e-3 : 1e-6) << text << ", " << worst.channel;
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
                                         Scene{"cart-pole", 0.2},
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

// ---------------------------------------------------------------- stiff references

Model stiff_model(const std::string& name) {
  auto read = read_model(std::string(test::source_dir) + "/test/reference/analyses/" + name +
                         "/model.toml");
  EXPECT_TRUE(read) << name;
  return read ? std::move(read).value() : Model{};
}

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

}  // namespace
}  // namespace cardan
