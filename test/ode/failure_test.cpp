// What an integration says when it gives up.
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"
#include "test/ode/exact_problems.h"

namespace cardan {
namespace {

using namespace test;

struct Case {
  const char* name;
  Cause cause;
  double t_end, t_fail;
  int component;
  Vector y0;
  LambdaProblem::F f;
};

class FailureTest : public testing::TestWithParam<const char*> {};

TEST_P(FailureTest, IsNamed) {
  const std::vector<Case> cases = {
      {"escape",
       Cause::escape,
       3,
       1,
       1,
       {0, 1},
       [](double, CView y, View d) {
         d[0] = 1;
         d[1] = y[1] * y[1];
       }},
      {"singularity",
       Cause::singularity,
       3,
       1,
       0,
       {1, 0},
       [](double, CView y, View d) {
         d[0] = -1 / (2 * y[0]);
         d[1] = 1;
       }},
      {"no value",
       Cause::bad_value,
       3,
       1,
       1,
       {1, 0},
       [](double t, CView, View d) {
         d[0] = 1;
         d[1] = t < 1 ? 1 : std::nan("");
       }},
  };
  for (const Case& c : cases) {
    LambdaProblem problem(2, c.f);
    auto made = make_method(GetParam(), {}, problem);
    Integrator integrator(std::move(made).value(), {});
    ASSERT_EQ(integrator.start(0, c.y0), Eval::ok);
    const Stop stop = integrator.advance(c.t_end);
    ASSERT_EQ(stop.why, Stop::Why::failure) << c.name;
    EXPECT_EQ(stop.failure.cause, c.cause) << c.name << ": " << stop.failure.text;
    EXPECT_NEAR(stop.t, c.t_fail, 1e-3) << c.name;
    EXPECT_EQ(stop.failure.component, c.component) << c.name;
    const std::string component = "y[" + std::to_string(c.component) + "]";
    EXPECT_NE(stop.failure.text.find(component), std::string::npos) << stop.failure.text;
    const Diagnostic d = to_diagnostic(stop.failure);
    EXPECT_EQ(exit_code(d), 6) << d.id;
    EXPECT_FALSE(d.hint.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Explicit,
                         FailureTest,
                         testing::Values("ode23", "ode45", "rkf45", "dop853", "adams"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(Stiffness, IsSeenByExplicitMethods) {
  for (const char* name : {"ode45", "dop853", "rkf45", "ode23"}) {
    LambdaProblem problem(1, [](double t, CView y, View d) { d[0] = -1e5 * (y[0] - std::cos(t)); });
    auto made = make_method(name, {}, problem);
    IntegratorOptions options;
    options.max_steps = 4000;
    Integrator integrator(std::move(made).value(), {}, options);
    ASSERT_EQ(integrator.start(0, Vector{1}), Eval::ok);
    const Stop stop = integrator.advance(10);
    ASSERT_EQ(stop.why, Stop::Why::failure) << name;
    EXPECT_EQ(stop.failure.cause, Cause::stiffness) << name << ": " << stop.failure.text;
    EXPECT_EQ(to_diagnostic(stop.failure).id, "limit.steps");
    EXPECT_NE(to_diagnostic(stop.failure).hint.find("radau5"), std::string::npos);
  }
}

TEST(Stiffness, IsNotSeenWhereThereIsNone) {
  for (const char* name : {"ode45", "dop853", "rkf45", "ode23"}) {
    OwnedMotion problem(2, kepler_acceleration);
    auto made = make_method(name, {}, problem);
    Integrator integrator(std::move(made).value(), {});
    bool seen = false;
    integrator.on_step = [&](const StepRecord&) {
      seen = seen || integrator.method().looks_stiff();
      return Flow::go_on;
    };
    ASSERT_EQ(integrator.start(0, kepler(0.6, 0)), Eval::ok);
    ASSERT_EQ(integrator.advance(20).why, Stop::Why::end);
    EXPECT_FALSE(seen) << name;
  }
}

TEST(Discontinuity, IsNamedWhereASlidingMotionStalls) {
  LambdaProblem problem(1, [](double, CView y, View d) { d[0] = y[0] > 0 ? -1 : 1; });
  auto made = make_method("ode45", {}, problem);
  IntegratorOptions options;
  options.max_steps = 3000;
  Tolerance tolerance;
  tolerance.rtol = tolerance.atol = 1e-9;
  Integrator integrator(std::move(made).value(), tolerance, options);
  ASSERT_EQ(integrator.start(0, Vector{1}), Eval::ok);
  const Stop stop = integrator.advance(3);
  ASSERT_EQ(stop.why, Stop::Why::failure);
  EXPECT_EQ(stop.failure.cause, Cause::discontinuity) << stop.failure.text;
  EXPECT_NEAR(stop.t, 1, 1e-2);
}

}  // namespace
}  // namespace cardan
