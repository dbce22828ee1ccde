// Comparison of methods: norms on trajectories that are known, the reference, ranking, failures.
#include "cardan/study/comparison.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "cardan/study/comparison_report.h"
#include "test/mechanisms.h"

namespace cardan {
namespace {

Trajectory trajectory(double scale) {
  Trajectory out;
  out.channels = {{"a.x", "m", "body a", "position"}, {"a.angle", "rad", "body a", "position"}};
  for (int k = 0; k <= 10; ++k) {
    out.times.push_back(0.1 * k);
    out.rows.push_back({scale * k, 5.0});
  }
  return out;
}

TEST(ErrorNorms, OfTheWorstVariable) {
  const ErrorNorms e = error_norms(trajectory(1), trajectory(1.01), 1);
  EXPECT_EQ(e.channel, "a.x");
  EXPECT_NEAR(e.sup, 0.1, 1e-12);
  EXPECT_NEAR(e.at, 1.0, 1e-12);
  EXPECT_NEAR(e.percent, 1, 1e-9);
  EXPECT_NEAR(e.two_norm, 0.01 * std::sqrt(385.0), 1e-12);
  EXPECT_NEAR(e.relative, 0.01, 1e-12);
}

TEST(ErrorNorms, MatchByTime) {
  Trajectory more = trajectory(1);  // a sample that the reference does not have, as of an event
  more.times.insert(more.times.begin() + 3, 0.25);
  more.rows.insert(more.rows.begin() + 3, {77.0, 77.0});
  EXPECT_EQ(error_norms(trajectory(1), more, 1).sup, 0);
}

const char* const swing = R"(
gravity = [0, -9.81]
[[body]]
name = "rod"
from = [0, 0]
to = [1, 0]
mass = 1
[[joint]]
type = "revolute"
name = "pivot"
between = ["ground", "rod"]
at = [0, 0]
[[analysis]]
type = "dynamic"
until = 1
)";

TEST(Comparison, FindsTheLargestStepsOfImplicitMethods) {
  Model model = test::model_file("andrews-stiff");
  const Checked checked = check_model(model);
  ComparisonOptions asked;
  asked.formulations = {"state-space"};
  asked.integrators = {"newmark"};
  DynamicOptions options = *compared_analysis(model);
  options.newton_iterations = 5;
  options.predictor = "zero";
  options.formulation = "state-space";
  const auto limits = find_step_limits(checked, options, asked, [] { return false; });
  ASSERT_EQ(limits.size(), 2U);
  EXPECT_EQ(limits[0].method, "state-space + newmark");
  EXPECT_EQ(limits[1].method, "state-space + newmark, jacobian fv");
  for (const StepLimit& limit : limits) {
    EXPECT_GT(limit.found.failed, limit.found.step);
    EXPECT_LE(limit.iterations(), 5);
    EXPECT_GE(limit.iterations(), 1);
  }
  EXPECT_GT(limits[0].found.step, 5 * limits[1].found.step);
}

TEST(Comparison, RanksAndRecommends) {
  ComparisonOptions options;
  options.accuracy = 1e-5;
  options.budget = 30;
  options.formulations = {"projected", "partitioned", "direct", "half-explicit"};
  options.integrators = {"ode45", "dop853", "rk4"};
  const Model model = test::model_of(swing);
  std::size_t told = 0;
  ComparisonControl control;
  control.progress = [&](const std::string&, std::size_t, std::size_t) {
    ++told;
  };
  auto result = compare_methods(model, options, control);
  ASSERT_TRUE(result) << to_text(result.why().front());
  const Comparison& c = result.value();
  EXPECT_TRUE(c.reference.converged) << c.reference.agreement;
  EXPECT_GT(told, c.trials.size());
  ASSERT_EQ(c.ranking.size(), 10U);  // three formulations with three integrators, and one alone
  EXPECT_GT(c.winners, 3U);
  for (std::size_t k = 0; k < c.ranking.size(); ++k)
    EXPECT_EQ(c.trials[c.ranking[k]].error.relative <= 1e-5, k < c.winners);
  for (std::size_t k = 2; k < c.winners; ++k)
    EXPECT_LE(c.trials[c.ranking[k - 1]].stats.cpu_seconds,
              c.trials[c.ranking[k]].stats.cpu_seconds);
  // Tighter tolerances are more exact, and cost more evaluations.
  const Trial *coarse = nullptr, *fine = nullptr;
  for (const Trial& t : c.trials) {
    if (t.method.name() != "projected + ode45") continue;
    if (t.method.setting == 1e-4) coarse = &t;
    if (t.method.setting == 1e-10) fine = &t;
  }
  ASSERT_TRUE(coarse != nullptr && fine != nullptr);
  EXPECT_LT(fine->error.relative, 1e-3 * coarse->error.relative);
  EXPECT_GT(fine->stats.rhs, coarse->stats.rhs);
  EXPECT_LT(fine->drift, 1e-10);
  EXPECT_EQ(fine->drifts.size(), fine->times.size());
  EXPECT_NE(c.advice.find("For an accuracy of 1e-05 use "), std::string::npos) << c.advice;
  const auto json = comparison_json(c);
  EXPECT_EQ(json["trials"].size(), c.trials.size());
  EXPECT_TRUE(json["reference"]["converged"].get<bool>());
  const std::string drawn = svg(work_precision_plot(c, "Swing"));
  EXPECT_NE(drawn.find("projected + dop853"), std::string::npos);
  EXPECT_NE(svg(drift_plot(c, "Swing")).find("half-explicit"), std::string::npos);
}

TEST(Comparison, OneFailureDoesNotStopTheRest) {
  Model model = test::model_of(swing);
  std::get<DynamicOptions>(model.analyses.back()).max_drift = 1e-9;
  ComparisonOptions options;
  options.formulations = {"direct", "projected"};
  options.integrators = {"rk4"};
  options.steps = {0.1, 0.05};
  auto result = compare_methods(model, options, {});
  ASSERT_TRUE(result);
  int failed = 0, complete = 0;
  for (const Trial& t : result.value().trials) {
    if (t.state == Trial::State::failed) {
      ++failed;
      EXPECT_EQ(t.method.formulation, "direct");
      EXPECT_NE(t.reason.find("numeric.drift"), std::string::npos) << t.reason;
    } else {
      ++complete;
    }
  }
  EXPECT_EQ(failed, 2);
  EXPECT_EQ(complete, 2);
  EXPECT_NE(comparison_text(result.value()).find("Failed or not run"), std::string::npos);
}

TEST(Comparison, ABudgetIsKept) {
  ComparisonOptions options;
  options.budget = 0.3;
  Model model = test::model_of(swing);
  std::get<DynamicOptions>(model.analyses.back()).until = 20;
  const std::clock_t start = std::clock();
  auto result = compare_methods(model, options, {});
  EXPECT_LT(std::clock() - start, 10 * options.budget * CLOCKS_PER_SEC);
  if (!result) return;  // not even a reference in this time
  EXPECT_FALSE(result.value().complete);
  EXPECT_NE(result.value().advice.find("The time was up"), std::string::npos);
}

TEST(Comparison, AModelWithoutDynamicAnalysisIsRefused) {
  Model model = test::model_of(swing);
  model.analyses.clear();
  const auto result = compare_methods(model, {}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.why().back().id, "model.missing-key");
}

}  // namespace
}  // namespace cardan
