// Steps end on given times, f is seen before and behind the jump there, and no step is longer than
// its bounds.
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/ode/integrator.h"
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

class Landing : public testing::TestWithParam<const char*> {};

// y' = 1000 between 5 and 5.001, otherwise 0: a pulse that a long step does not see.
LambdaProblem pulse() {
  return {1, [](double t, CView, View d) {
            d[0] = t >= 5 && t < 5.001 ? 1000 : 0;
          }};
}

TEST_P(Landing, EndsAStepOnEachTime) {
  for (const double end : {10.0, -10.0}) {
    auto problem = pulse();
    Integrator integrator(make(problem, GetParam()), tolerance(1e-8));
    integrator.land_on({5, 5.001});
    std::vector<double> ends;
    integrator.on_step = [&](const StepRecord& record) {
      ends.push_back(record.t);
      return Flow::go_on;
    };
    ASSERT_EQ(integrator.start(-end, Vector{0}), Eval::ok);
    ASSERT_EQ(integrator.advance(end).why, Stop::Why::end);
    EXPECT_NEAR(integrator.y()[0], end > 0 ? 1 : -1, 1e-9);
    for (const double t : {5.0, 5.001}) {
      double nearest = 1;
      for (const double e : ends) nearest = std::min(nearest, std::abs(e - t));
      EXPECT_LT(nearest, 4e-15);
    }
    EXPECT_EQ(integrator.stats().rejected, 0) << "f is never seen on the other side of a jump";
  }
}

TEST_P(Landing, KeepsToTheBounds) {
  auto problem = pulse();
  Integrator integrator(make(problem, GetParam()), tolerance(1e-3));
  const std::vector<StepBound> bounds{{-10, 100}, {2, 0.01}, {3, 0.5}, {4, 100}};
  for (const double end : {10.0, -10.0}) {
    integrator.bound_steps(bounds);
    integrator.on_step = [&](const StepRecord& record) {
      const double from = std::min(record.t, record.t_old), to = std::max(record.t, record.t_old);
      if (from < 3 && to > 2) {
        EXPECT_LE(std::min(to, 3.0) - std::max(from, 2.0), 0.01 * (1 + 1e-9));
      }
      if (from < 4 && to > 3) {
        EXPECT_LE(std::min(to, 4.0) - std::max(from, 3.0), 0.5 * (1 + 1e-9));
      }
      return Flow::go_on;
    };
    ASSERT_EQ(integrator.start(-end, Vector{0}), Eval::ok);
    ASSERT_EQ(integrator.advance(end).why, Stop::Why::end);
    EXPECT_GT(integrator.stats().steps, 100);
  }
}

// The last step is stretched to the end of the run, but not across a bound.
TEST_P(Landing, KeepsToABoundNextToTheEnd) {
  auto problem = pulse();
  Integrator integrator(make(problem, GetParam()), tolerance(1e-3));
  integrator.bound_steps({{-10, 100}, {9.9, 0.001}});
  integrator.on_step = [&](const StepRecord& record) {
    EXPECT_LE(record.t - std::max(record.t_old, 9.9), 0.001 * (1 + 1e-9));
    return Flow::go_on;
  };
  ASSERT_EQ(integrator.start(6, Vector{0}), Eval::ok);
  ASSERT_EQ(integrator.advance(10).why, Stop::Why::end);
  EXPECT_GE(integrator.stats().steps, 100);
}

INSTANTIATE_TEST_SUITE_P(
    Methods,
    Landing,
    testing::Values("ode23", "ode45", "dop853", "adams", "bdf", "radau5", "rosenbrock"));

TEST(Landing, LeavesGivenStepsAlone) {
  auto problem = pulse();
  IntegratorOptions options;
  options.step = 0.1;
  Integrator integrator(make(problem, "rk4"), tolerance(1e-3), options);
  integrator.land_on({5.05});
  integrator.on_step = [&](const StepRecord& record) {
    EXPECT_NEAR(record.h, 0.1, 1e-12);
    return Flow::go_on;
  };
  ASSERT_EQ(integrator.start(0, Vector{0}), Eval::ok);
  EXPECT_EQ(integrator.advance(10).why, Stop::Why::end);
}

}  // namespace
}  // namespace cardan
