// The stepping loop: output points, callbacks, limits, projection, overshoot, tolerances.
#include "cardan/ode/integrator.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cardan/ode/registry.h"
#include "test/ode/exact_problems.h"

namespace cardan {
namespace {

using namespace test;

std::unique_ptr<Method> make(OdeProblem& problem, std::string_view name) {
  auto made = make_method(name, {}, problem);
  EXPECT_TRUE(bool(made)) << name;
  return std::move(made).value();
}

Tolerance tolerance(double tol) {
  Tolerance t;
  t.rtol = t.atol = tol;
  return t;
}

LambdaProblem growth() {
  return {1, [](double, CView y, View d) {
            d[0] = y[0];
          }};
}

LambdaProblem circle() {
  return {2, [](double, CView y, View d) {
            d[0] = y[1];
            d[1] = -y[0];
          }};
}

TEST(IntegratorOutput, ComesAtTheGridFromStartToEnd) {
  auto problem = growth();
  Integrator integrator(make(problem, "ode45"), tolerance(1e-10));
  integrator.output_every(0.1);
  Vector times;
  integrator.on_output = [&](double t, CView y) {
    times.push_back(t);
    EXPECT_NEAR(y[0], std::exp(t), 1e-8);
    return Flow::go_on;
  };
  ASSERT_EQ(integrator.start(0, Vector{1}), Eval::ok);
  EXPECT_EQ(integrator.advance(0.3).why, Stop::Why::end);
  EXPECT_EQ(times.size(), 4u);
  EXPECT_EQ(integrator.advance(1).why, Stop::Why::end);
  ASSERT_EQ(times.size(), 11u);
  EXPECT_EQ(times.front(), 0);
  EXPECT_EQ(times[3], 0.3);  // the end of the first part, not its neighbour
  EXPECT_EQ(times.back(), 1);
}

TEST(IntegratorOutput, AListOfTimesAndAStopInBetween) {
  auto problem = growth();
  Integrator integrator(make(problem, "ode45"), tolerance(1e-8));
  integrator.output_at({0.25, 0.5, 0.75});
  Vector times;
  integrator.on_output = [&](double t, CView) {
    times.push_back(t);
    return t == 0.5 ? Flow::stop : Flow::go_on;
  };
  ASSERT_EQ(integrator.start(0, Vector{1}), Eval::ok);
  const Stop stop = integrator.advance(1);
  EXPECT_EQ(stop.why, Stop::Why::callback);
  EXPECT_EQ(stop.t, 0.5);
  EXPECT_NEAR(integrator.y()[0], std::exp(0.5), 1e-6);
  EXPECT_EQ(integrator.advance(1).why, Stop::Why::end);
  EXPECT_EQ(times, (Vector{0.25, 0.5, 0.75}));
  EXPECT_EQ(integrator.t(), 1);
}

TEST(IntegratorSteps, RecordsFollowEachOther) {
  auto problem = circle();
  Integrator integrator(make(problem, "adams"), tolerance(1e-8));
  double last = 0;
  long steps = 0;
  integrator.on_step = [&](const StepRecord& r) {
    EXPECT_EQ(r.t_old, last);
    EXPECT_NEAR(r.t - r.t_old, r.h, 1e-14);
    EXPECT_LE(r.error, 1);
    EXPECT_GE(r.order, 1);
    last = r.t;
    ++steps;
    return Flow::go_on;
  };
  ASSERT_EQ(integrator.start(0, Vector{1, 0}), Eval::ok);
  ASSERT_EQ(integrator.advance(5).why, Stop::Why::end);
  EXPECT_EQ(steps, integrator.stats().steps);
  EXPECT_GE(last, 5);
}

TEST(IntegratorSteps, LimitsAreKept) {
  auto problem = growth();
  IntegratorOptions options;
  options.max_step = 0.01;
  Integrator integrator(make(problem, "ode45"), tolerance(1e-3), options);
  integrator.on_step = [&](const StepRecord& r) {
    EXPECT_LE(r.h, 0.01 * (1 + 1e-12));
    return Flow::go_on;
  };
  ASSERT_EQ(integrator.start(0, Vector{1}), Eval::ok);
  ASSERT_EQ(integrator.advance(1).why, Stop::Why::end);
  EXPECT_GE(integrator.stats().steps, 100);

  options = {};
  options.max_steps = 3;
  auto other = growth();
  Integrator limited(make(other, "ode45"), tolerance(1e-10), options);
  ASSERT_EQ(limited.start(0, Vector{1}), Eval::ok);
  const Stop stop = limited.advance(1);
  EXPECT_EQ(stop.why, Stop::Why::failure);
  EXPECT_EQ(stop.failure.cause, Cause::step_limit);
  EXPECT_EQ(to_diagnostic(stop.failure).id, "limit.steps");
  EXPECT_EQ(limited.stats().steps, 3);
}

TEST(IntegratorSteps, CanBeForbiddenToLookPastTheEnd) {
  for (const char* name : {"ode45", "dop853", "adams"}) {
    double latest = 0;
    LambdaProblem problem(1, [&](double t, CView y, View d) {
      latest = std::max(latest, t);
      d[0] = std::cos(t) * y[0];
    });
    IntegratorOptions options;
    options.may_overshoot = false;
    Integrator integrator(make(problem, name), tolerance(1e-8), options);
    ASSERT_EQ(integrator.start(0, Vector{1}), Eval::ok);
    ASSERT_EQ(integrator.advance(2).why, Stop::Why::end);
    EXPECT_LE(latest, 2.0 + 1e-15) << name;
    EXPECT_NEAR(integrator.y()[0], std::exp(std::sin(2.0)), 1e-6) << name;
  }
}

TEST(IntegratorSteps, FixedStepsEndWhereAsked) {
  for (const char* name : {"rk4", "pece"}) {
    auto problem = growth();
    IntegratorOptions options;
    options.step = 0.03;  // does not divide 1
    Integrator integrator(make(problem, name), tolerance(1e-8), options);
    ASSERT_EQ(integrator.start(0, Vector{1}), Eval::ok);
    ASSERT_EQ(integrator.advance(1).why, Stop::Why::end);
    EXPECT_EQ(integrator.t(), 1);
    EXPECT_NEAR(integrator.y()[0], M_E, 1e-6);
    EXPECT_EQ(integrator.stats().steps, 34);
  }
  auto problem = growth();
  EXPECT_THROW(Integrator(make(problem, "rk4"), tolerance(1e-8)), std::invalid_argument);
}

TEST(IntegratorSteps, RetriesSmallerWhereAStageLeavesTheDomain) {
  // y = sin t: too long a step looks beyond y = 1, where the root has no value
  LambdaProblem problem(1, [](double, CView y, View d) { d[0] = std::sqrt(1 - y[0] * y[0]); });
  IntegratorOptions options;
  options.step = 1.56;
  Integrator integrator(make(problem, "dop853"), tolerance(1e-6), options);
  ASSERT_EQ(integrator.start(0, Vector{0}), Eval::ok);
  ASSERT_EQ(integrator.advance(1.56).why, Stop::Why::end);
  EXPECT_GT(integrator.stats().failed_f, 0);
  EXPECT_NEAR(integrator.y()[0], std::sin(1.56), 1e-4);
}

TEST(IntegratorSteps, TurnsRound) {
  for (const char* name : {"ode45", "adams", "rk4"}) {
    auto problem = circle();
    IntegratorOptions options;
    options.step = 0.01;
    Integrator integrator(make(problem, name), tolerance(1e-9), options);
    ASSERT_EQ(integrator.start(0, Vector{1, 0}), Eval::ok);
    ASSERT_EQ(integrator.advance(2).why, Stop::Why::end);
    ASSERT_EQ(integrator.advance(-1).why, Stop::Why::end);
    EXPECT_EQ(integrator.t(), -1);
    EXPECT_NEAR(integrator.y()[0], std::cos(1.0), 1e-7) << name;
    EXPECT_NEAR(integrator.y()[1], std::sin(1.0), 1e-7) << name;
  }
}

// ---------------------------------------------------------------- projection

struct Projected final : OdeProblem {
  int size() const override { return 2; }

  Eval f(double, CView y, View d) override {
    d[0] = y[1];
    d[1] = -y[0];
    return Eval::ok;
  }

  bool projects() const override { return true; }

  Eval project(double, View y, View error) override {
    const double r = std::hypot(y[0], y[1]);
    if (!error.empty()) {
      const double normal = (error[0] * y[0] + error[1] * y[1]) / r;
      error[0] -= normal * y[0] / r;
      error[1] -= normal * y[1] / r;
    }
    y[0] /= r;
    y[1] /= r;
    return Eval::ok;
  }
};

TEST(Projection, KeepsTheSolutionOnItsManifold) {
  for (const char* name : {"ode23", "ode45", "rkf45", "dop853", "adams"}) {
    Projected problem;
    Integrator integrator(make(problem, name), tolerance(1e-5));
    double worst = 0, jump = 0;
    integrator.on_step = [&](const StepRecord& r) {
      worst = std::max(worst, std::abs(std::hypot(r.y[0], r.y[1]) - 1));
      Vector end(2);  // the interpolant ends at the projected state
      EXPECT_EQ(integrator.method().interpolate(r.t - 1e-12, end), Eval::ok);
      jump = std::max(jump, std::hypot(end[0] - r.y[0], end[1] - r.y[1]));
      return Flow::go_on;
    };
    ASSERT_EQ(integrator.start(0, Vector{1, 0}), Eval::ok);
    ASSERT_EQ(integrator.advance(20).why, Stop::Why::end);
    EXPECT_LT(worst, 1e-15) << name;
    EXPECT_LT(jump, 1e-10) << name;
    EXPECT_NEAR(integrator.y()[0], std::cos(20.0), 3e-3) << name;
    EXPECT_EQ(integrator.stats().projection, integrator.stats().steps);
  }
}

// ---------------------------------------------------------------- error norms

TEST(ErrorNorms, AreWhatTheySay) {
  Tolerance t;
  t.rtol = 0.1;
  t.atol_each = {1, 2};
  ErrorNorm norm;
  norm.prepare(t, 2);
  norm.weigh(Vector{10, 0}, Vector{0, 20});  // scales 1 + 0.1*10 = 2 and 2 + 0.1*20 = 4
  EXPECT_DOUBLE_EQ(norm(Vector{2, 4}), 1);
  EXPECT_DOUBLE_EQ(norm(Vector{2, 0}), std::sqrt(0.5));
  EXPECT_EQ(norm.worst(Vector{1, 3}), 1);
  t.norm = Tolerance::Norm::max;
  norm.prepare(t, 2);
  norm.weigh(Vector{10, 20});
  EXPECT_DOUBLE_EQ(norm(Vector{2, -12}), 3);
  t.ignored = {false, true};
  norm.prepare(t, 2);
  norm.weigh(Vector{10, 20});
  EXPECT_DOUBLE_EQ(norm(Vector{2, 1e9}), 1);
  t = {};
  t.rtol = 0.5;
  t.atol = 0;
  t.norm_control = true;
  norm.prepare(t, 2);
  norm.weigh(Vector{3, 4});
  EXPECT_DOUBLE_EQ(norm(Vector{3, 4}), 2);
  EXPECT_DOUBLE_EQ(norm(Vector{5, 0}), 2);
  EXPECT_TRUE(std::isnan(norm(Vector{std::nan(""), 0})));
  t.rtol = -1;
  EXPECT_THROW(norm.prepare(t, 2), std::invalid_argument);
  t = {};
  t.atol_each = {1};
  EXPECT_THROW(norm.prepare(t, 2), std::invalid_argument);
}

TEST(ErrorNorms, UncontrolledComponentsDoNotShortenSteps) {
  const auto steps = [](bool ignore) {
    LambdaProblem problem(2, [](double t, CView y, View d) {
      d[0] = -y[0];
      d[1] = 40 * std::cos(40 * t);
    });
    Tolerance t = tolerance(1e-6);
    if (ignore) t.ignored = {false, true};
    Integrator integrator(make(problem, "ode45"), t);
    EXPECT_EQ(integrator.start(0, Vector{1, 0}), Eval::ok);
    EXPECT_EQ(integrator.advance(3).why, Stop::Why::end);
    EXPECT_NEAR(integrator.y()[0], std::exp(-3.0), 1e-5);
    return integrator.stats().steps;
  };
  EXPECT_LT(3 * steps(true), steps(false));
}

// ---------------------------------------------------------------- names

TEST(Registry, KnowsEveryNameOnceAndSuggestsTheNearest) {
  std::vector<std::string_view> names;
  for (const MethodEntry* entry : list_methods()) {
    for (const std::string_view other : names) EXPECT_NE(other, entry->name);
    names.push_back(entry->name);
    EXPECT_FALSE(entry->summary.empty());
    EXPECT_EQ(entry->traits({}).name, entry->name);
  }
  for (const char* name : {"euler",  "taylor2", "heun",  "rk2",    "midpoint", "rk3",   "rk4",
                           "euler2", "ab",      "am",    "pece",   "ampc",     "mampc", "verlet",
                           "ode23",  "ode45",   "rkf45", "dop853", "adams",    "ode113"}) {
    EXPECT_NE(find_method(name), nullptr) << name;
  }
  auto problem = growth();
  const auto unknown = make_method("dop835", {}, problem);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.why()[0].id, "model.unknown-option");
  EXPECT_NE(unknown.why()[0].hint.find("dop853"), std::string::npos);
  EXPECT_FALSE(make_method("verlet", {}, problem));  // a first-order problem
  MethodOptions options;
  options.order = 13;
  EXPECT_FALSE(make_method("ab", options, problem));
  options.order = 3;
  EXPECT_FALSE(make_method("ode45", options, problem));
}

}  // namespace
}  // namespace cardan
