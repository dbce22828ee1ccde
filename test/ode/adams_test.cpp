// The variable-order Adams method, and what error-controlled explicit methods make of a tolerance.
#include "cardan/ode/adams/adams.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"
#include "test/ode/exact_problems.h"

namespace cardan {
namespace {

using namespace test;

struct Work {
  double error = 0;  // largest over the output points
  long evaluations = 0;
  double mean_order = 0;
};

// The largest error at 40 points of the run, which the method reaches by interpolation.
Work run(std::string_view name, const ExactCase& problem, double t_end, double tol) {
  const auto owned = problem.make();
  auto made = make_method(name, {}, *owned);
  Tolerance t;
  t.rtol = t.atol = tol;
  Integrator integrator(std::move(made).value(), t);
  Work out;
  integrator.output_every(t_end / 40);
  integrator.on_output = [&](double at, CView y) {
    out.error = std::max(out.error, largest_difference(y, problem.exact(at)));
    return Flow::go_on;
  };
  integrator.on_step = [&](const StepRecord& r) {
    out.mean_order += r.order;
    return Flow::go_on;
  };
  EXPECT_EQ(integrator.start(0, problem.y0), Eval::ok);
  const Stop stop = integrator.advance(t_end);
  EXPECT_EQ(stop.why, Stop::Why::end) << name << ", " << problem.name << ": " << stop.failure.text;
  out.evaluations = integrator.stats().f;
  out.mean_order /= static_cast<double>(integrator.stats().steps);
  return out;
}

ExactCase orbit(double e) {
  return {"orbit",
          20,
          20,
          kepler(e, 0),
          [e](double t) { return kepler(e, t); },
          [] { return std::make_unique<OwnedMotion>(2, kepler_acceleration); },
          true};
}

// Non-stiff problems in the manner of DETEST: one each that decays, grows, is nonlinear,
// oscillates, orbits.
std::vector<ExactCase> detest() {
  std::vector<ExactCase> out = {orbit(0.1), orbit(0.5)};
  for (const ExactCase& c : exact_cases()) {
    if (c.name == "linear" || c.name == "nonlinear" || c.name == "time-dependent" ||
        c.name == "oscillator" || c.name == "driven") {
      out.push_back(c);
    }
  }
  return out;
}

class ToleranceTest : public testing::TestWithParam<std::pair<const char*, double>> {};

// log(error) against log(tolerance), fitted over 1e-3..1e-11 and averaged over the problems.
TEST_P(ToleranceTest, ErrorFollowsTheTolerance) {
  const auto [name, theory] = GetParam();
  double sum = 0;
  int count = 0;
  for (const ExactCase& problem : detest()) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    int n = 0;
    for (int p = 6; p <= 22; ++p) {
      const double tol = std::pow(10, -0.5 * p);
      const Work work = run(name, problem, problem.t_long, tol);
      EXPECT_LT(work.error, std::max(2e4 * std::pow(tol, std::min(theory, 1.0)), 1e-10))
          << name << ", " << problem.name << " at " << tol;
      if (work.error > 0.1 || work.error < 1e-13) continue;
      const double x = std::log10(tol), y = std::log10(work.error);
      sx += x;
      sy += y;
      sxx += x * x;
      sxy += x * y;
      ++n;
    }
    ASSERT_GE(n, 8) << problem.name;
    sum += (n * sxy - sx * sy) / (n * sxx - sx * sx);
    ++count;
  }
  EXPECT_NEAR(sum / count, theory, 0.2 * std::max(theory, 1.0));
}

INSTANTIATE_TEST_SUITE_P(Explicit,
                         ToleranceTest,
                         testing::Values(std::pair{"ode23", 1.0},
                                         std::pair{"ode45", 1.0},
                                         std::pair{"rkf45", 0.8},
                                         std::pair{"dop853", 1.0},
                                         std::pair{"adams", 1.0}),
                         [](const auto& tested) { return std::string(tested.param.first); });

TEST(Adams, RaisesItsOrderWithTheTolerance) {
  double last = 0;
  for (const double tol : {1e-2, 1e-4, 1e-8}) {
    const double order = run("adams", orbit(0.1), 20, tol).mean_order;
    EXPECT_GT(order, last + 1);
    last = order;
  }
  EXPECT_GT(last, 8);
  EXPECT_LE(last, 12);
}

TEST(Adams, KeepsToTheHighestOrderAsked) {
  const auto problem = orbit(0.1).make();
  MethodOptions options;
  options.order = 4;
  auto made = make_method("ode113", options, *problem);
  Tolerance t;
  t.rtol = t.atol = 1e-8;
  Integrator integrator(std::move(made).value(), t);
  int highest = 0;
  integrator.on_step = [&](const StepRecord& r) {
    highest = std::max(highest, r.order);
    return Flow::go_on;
  };
  ASSERT_EQ(integrator.start(0, kepler(0.1, 0)), Eval::ok);
  ASSERT_EQ(integrator.advance(10).why, Stop::Why::end);
  EXPECT_EQ(highest, 4);
  EXPECT_LT(largest_difference(integrator.y(), kepler(0.1, 10)), 1e-5);
}

// Polynomials of degree k are integrated without error once order k is reached, at any steps.
TEST(Adams, IsExactForPolynomialsAtUnequalSteps) {
  LambdaProblem problem(1, [](double t, CView, View d) { d[0] = 5 * std::pow(t - 0.4, 4); });
  MethodOptions options;
  options.order = 5;
  auto made = make_method("adams", options, problem);
  Method& method = *made.value();
  const auto exact = [](double t) {
    return std::pow(t - 0.4, 5);
  };
  Tolerance t;
  t.rtol = t.atol = 1e-2;  // nothing is rejected
  ASSERT_EQ(method.start(0, Vector{exact(0)}, t), Eval::ok);
  const double steps[] = {0.01, 0.01, 0.013, 0.02, 0.02, 0.015, 0.03, 0.04, 0.02, 0.05, 0.03};
  double offset = 0;
  int full = 0;
  for (const double h : steps) {
    const Attempt a = method.attempt(h);
    ASSERT_EQ(a.kind, Attempt::Kind::ok);
    ASSERT_EQ(method.accept(false), Eval::ok);
    (void)method.next(a);
    const double error = method.state()[0] - exact(method.time());
    if (method.order() >= 4) {  // order 4 with its corrector of order 5 reproduces degree 4 of f
      if (full > 0) {
        EXPECT_NEAR(error, offset, 1e-15);
      }
      ++full;
      Vector middle(1);
      ASSERT_EQ(method.interpolate(method.time() - 0.4 * h, middle), Eval::ok);
      EXPECT_NEAR(middle[0] - exact(method.time() - 0.4 * h), error, 1e-15);
    }
    offset = error;
  }
  EXPECT_GE(full, 4);
}

}  // namespace
}  // namespace cardan
