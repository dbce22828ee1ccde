// Variable-order BDF: orders, reference solutions of stiff problems, what a step costs.
#include "test/ode/implicit_problems.h"

namespace cardan::test {
namespace {

Problem stiff(std::string name, Rhs rhs, std::vector<double> y0, double end) {
  return {std::move(name), std::move(rhs), [y0](double) { return y0; }, end};
}

Problem van_der_pol() {
  return stiff(
      "van der Pol 1e3",
      [](double, CView y, View d) {
        d[0] = y[1];
        d[1] = 1000 * (1 - y[0] * y[0]) * y[1] - y[0];
      },
      {2, 0},
      2000);
}

Problem robertson() {
  return stiff(
      "Robertson",
      [](double, CView y, View d) {
        d[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
        d[2] = 3e7 * y[1] * y[1];
        d[1] = -d[0] - d[2];
      },
      {1, 0, 0},
      1e11);
}

struct Case {
  const char* method;
  const char* variant;
};

const Case cases[] = {
    {"bdf", ""}, {"bdf", "ndf"}, {"radau5", ""}, {"esdirk", ""}, {"rosenbrock", ""}};

MethodOptions options_of(const Case& c) {
  MethodOptions o;
  o.variant = c.variant;
  return o;
}

// Reference solutions of the test set for initial value problem solvers.
TEST(Bdf, SolvesVanDerPol) {
  for (const Case& c : cases) {
    Problem p = van_der_pol();
    Tolerance tolerance;
    tolerance.rtol = 1e-7;
    tolerance.atol = 1e-9;
    const Finished run = integrate(p, c.method, options_of(c), p.exact(0), p.end(), 0, tolerance);
    EXPECT_NEAR(run.y[0], 1.706167732170469, 3e-5) << c.method << c.variant;
    EXPECT_NEAR(run.y[1], -0.8928097010248125e-3, 3e-7) << c.method << c.variant;
  }
}

TEST(Bdf, SolvesRobertsonOverElevenDecades) {
  for (const Case& c : cases) {
    Problem p = robertson();
    Tolerance tolerance;
    tolerance.rtol = 1e-7;
    tolerance.atol_each = {1e-14, 1e-18, 1e-14};
    const Finished run = integrate(p, c.method, options_of(c), p.exact(0), p.end(), 0, tolerance);
    EXPECT_NEAR(run.y[0] / 0.2083340149701255e-7, 1, 2e-3) << c.method << c.variant;
    EXPECT_NEAR(run.y[1] / 0.8333360770334713e-13, 1, 2e-3) << c.method << c.variant;
    EXPECT_NEAR(run.y[2], 0.9999999791665050, 1e-6) << c.method << c.variant;
  }
}

TEST(Bdf, RaisesItsOrderToTheHighestAllowed) {
  for (const int highest : {1, 2, 3, 5}) {
    Problem p = oscillator();
    MethodOptions options;
    options.order = highest;
    Tolerance tolerance;
    tolerance.rtol = tolerance.atol = highest == 1 ? 1e-4 : 1e-9;
    Integrator integrator(std::move(make_method("bdf", options, p)).value(), tolerance);
    int most = 0;
    integrator.on_step = [&](const StepRecord& step) {
      most = std::max(most, step.order);
      return Flow::go_on;
    };
    ASSERT_EQ(integrator.start(0, p.exact(0)), Eval::ok);
    ASSERT_EQ(integrator.advance(10).why, Stop::Why::end);
    EXPECT_EQ(most, highest);
  }
}

// The oscillator x'' = -x in (x, v) or in (exp(x), v + x), changed many times on the way: order and
// step are kept.
TEST(Bdf, TakesItsPastAlongToOtherVariables) {
  bool bent = false;
  const auto run = [&](int every) {
    bent = false;
    Problem p(
        "changing variables",
        [&](double, CView y, View d) {
          const double x = bent ? std::log(y[0]) : y[0], v = bent ? y[1] - x : y[1];
          d[0] = bent ? y[0] * v : v;
          d[1] = bent ? v - x : -x;
        },
        [](double t) {
          return std::vector{std::sin(t), std::cos(t)};
        },
        20);
    Tolerance tolerance;
    tolerance.rtol = tolerance.atol = 1e-8;
    Integrator integrator(std::move(make_method("bdf", {}, p)).value(), tolerance);
    int count = 0, least = 5;
    integrator.on_step = [&](const StepRecord& step) {
      if (++count > 60) least = std::min(least, step.order);
      return every > 0 && count % every == 0 ? Flow::stop : Flow::go_on;
    };
    EXPECT_EQ(integrator.start(0, p.exact(0)), Eval::ok);
    while (integrator.advance(20).why == Stop::Why::callback) {
      const auto translate = [&](double, CView y, View now) {
        now[0] = bent ? std::log(y[0]) : std::exp(y[0]);
        now[1] = bent ? y[1] - now[0] : y[1] + y[0];
        return true;
      };
      EXPECT_TRUE(integrator.change_variables(translate));
      bent = !bent;
    }
    const double x = bent ? std::log(integrator.y()[0]) : integrator.y()[0];
    EXPECT_NEAR(x, std::sin(20.0), 2e-5) << every;
    EXPECT_GE(least, every > 0 ? 3 : 4) << every;
    return integrator.stats().steps;
  };
  const long plain = run(0);
  EXPECT_LE(run(15), 2 * plain);
}

// Works and losses beside a motion that is a straight line, a decay or an oscillation: their formula does not
// follow the order that the motion needs, at the steps and between them, after many restarts too.
TEST(Bdf, IntegralsAreExactBesideMotionsThatNeedNoOrder) {
  class WithWork final : public Problem {
   public:
    explicit WithWork(double rate)
        : Problem(
              "motion with work",
              [rate](double t, CView y, View d) {
                d[0] = y[1];
                d[1] = -rate * y[1];
                d[2] = std::cos(3 * t) + y[0];
              },
              [rate](double t) {
                const double part = rate > 0 ? -std::expm1(-rate * t) / rate : t;
                const double sum = rate > 0 ? (t - part) / rate : t * t / 2;
                return std::vector{
                    part, rate > 0 ? std::exp(-rate * t) : 1, std::sin(3 * t) / 3 + sum};
              },
              4) {}

    bool is_integral(int i) override { return i == 2; }
  };

  for (const double rate : {0.0, 1.0, 1000.0})
    for (const int restarts : {0, 4}) {
      WithWork p(rate);
      Tolerance tolerance;
      tolerance.rtol = tolerance.atol = 1e-6;
      tolerance.ignored = {false, false, true};
      IntegratorOptions options;
      options.max_step = 0.02;
      Integrator integrator(std::move(make_method("bdf", {}, p)).value(), tolerance, options);
      double between = 0;
      integrator.output_every(0.007);
      integrator.on_output = [&](double t, CView y) {
        between = std::max(between, std::abs(y[2] - p.exact(t)[2]));
        return Flow::go_on;
      };
      ASSERT_EQ(integrator.start(0, p.exact(0)), Eval::ok);
      for (int k = 1; k <= restarts; ++k) {
        ASSERT_EQ(integrator.advance(4.0 * k / (restarts + 1)).why, Stop::Why::end);
        const std::vector<double> here(integrator.y().begin(), integrator.y().end());
        ASSERT_EQ(integrator.restart(integrator.t(), here, true), Eval::ok);
      }
      ASSERT_EQ(integrator.advance(4).why, Stop::Why::end);
      EXPECT_NEAR(integrator.y()[2], p.exact(4)[2], 2e-5) << rate << ", " << restarts;
      EXPECT_LT(between, 2e-5) << rate << ", " << restarts;
    }
}

TEST(Bdf, RefusesOrdersItHasNot) {
  Problem p = decay();
  for (const int order : {-1, 6, 7}) {
    MethodOptions options;
    options.order = order;
    EXPECT_FALSE(make_method("bdf", options, p)) << order;
    EXPECT_EQ(static_cast<bool>(make_method("bdf-fixed", options, p)), order == 6) << order;
  }
  MethodOptions odd;
  odd.variant = "nordsieck";
  EXPECT_FALSE(make_method("bdf", odd, p));
  EXPECT_EQ(find_method("ode15s"), find_method("bdf"));
}

// A stiff problem after its transient costs about one evaluation and a bit a step, and few
// Jacobians.
TEST(Bdf, KeepsItsJacobians) {
  Problem p = robertson();
  Tolerance tolerance;
  tolerance.rtol = 1e-6;
  tolerance.atol_each = {1e-10, 1e-14, 1e-10};
  const Finished run = integrate(p, "bdf", {}, p.exact(0), 1e4, 0, tolerance);
  EXPECT_LT(run.stats.newton, 1.7 * static_cast<double>(run.stats.steps));
  EXPECT_LT(run.stats.jacobian, run.stats.steps / 25);
  EXPECT_LT(run.stats.factorization, run.stats.steps / 4);
}

// Between the steps the polynomial is as good as at them.
TEST(Bdf, InterpolantFollowsTheTolerance) {
  Problem p = forced();
  Tolerance tolerance;
  tolerance.rtol = tolerance.atol = 1e-7;
  Integrator integrator(std::move(make_method("bdf", {}, p)).value(), tolerance);
  double between = 0, at = 0;
  integrator.output_every(0.0007);
  integrator.on_output = [&](double t, CView y) {
    between = std::max(between, std::abs(y[0] - p.exact(t)[0]));
    return Flow::go_on;
  };
  integrator.on_step = [&](const StepRecord& s) {
    at = std::max(at, std::abs(s.y[0] - p.exact(s.t)[0]));
    return Flow::go_on;
  };
  ASSERT_EQ(integrator.start(0, p.exact(0)), Eval::ok);
  ASSERT_EQ(integrator.advance(4).why, Stop::Why::end);
  EXPECT_LT(between, 2 * at);
  EXPECT_LT(at, 1e-5);
}

// Self-starting BDF keeps the order of its first steps.
TEST(Bdf, SelfStartKeepsTheOrderOfTheFirstSteps) {
  Problem p = reciprocal();
  for (const int k : {3, 5}) {
    MethodOptions options;
    options.order = k;
    options.start = "self";
    const auto error = [&](int n) {
      return mean_error(p, "bdf-fixed", options, n);
    };
    EXPECT_NEAR(measured_order(error, 200, 1500, 1e-11).last, 2, 0.15);
  }
}

}  // namespace
}  // namespace cardan::test
