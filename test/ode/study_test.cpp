// Step halving on document 003's mass, spring and damper: D_n, the order it shows and the round-off
// branch; work against precision.
#include "cardan/ode/study.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cardan/ode/second_order/second_order.h"
#include "test/ode/sources.h"

namespace cardan {
namespace {

using test::number, test::sources;

class MassSpringDamper final : public SecondOrderProblem {
 public:
  int velocities() const override { return 1; }

  Eval acceleration(double, CView q, CView v, View a) override {
    a[0] = 9.81 - 4 * q[0] - 0.2 * v[0];
    return Eval::ok;
  }
};

class Study : public ::testing::Test {
 protected:
  MassSpringDamper mechanics;
  FirstOrderForm form{mechanics};

  StudySetup setup() {
    return {.problem = form, .end = 8, .y0 = {0, 0}, .component = 0, .exact = {}};
  }
};

TEST_F(Study, DifferencesOfDocument003) {
  const auto& example = sources()["003"]["v_curve_example"]["D"];
  for (const auto& [theirs, ours] : {std::pair{"euler", "euler"},
                                     std::pair{"heun", "heun"},
                                     std::pair{"rk4", "rk4"},
                                     std::pair{"euler2", "euler2"},
                                     std::pair{"beuler", "backward-euler"}}) {
    const auto study = halving_study(setup(), ours, {}, 4, 13);
    ASSERT_TRUE(study);
    for (const HalvingPoint& p : study.value().points) {
      const std::string n = std::to_string(p.n);
      EXPECT_NEAR(p.y[0], number(example[theirs]["x"][n]), 1e-11 * (1 + std::abs(p.y[0])))
          << ours << n;
      if (p.n == 4) continue;
      const double expected = number(example[theirs]["D"][n]);
      EXPECT_NEAR(p.difference, expected, 1e-6 * expected + 2e-13) << ours << " " << n;
    }
  }
}

TEST_F(Study, FindsTheOrder) {
  struct Case {
    const char* method;
    int order, to;
    double expected;
  };

  for (const Case& c : {Case{"euler", 0, 15, 1},
                        {"heun", 0, 14, 2},
                        {"rk4", 0, 14, 4},
                        {"euler2", 0, 15, 1},
                        {"backward-euler", 0, 15, 1},
                        {"newmark", 0, 13, 2},
                        {"gauss", 6, 12, 6},
                        {"ab", 3, 13, 3}}) {
    MethodOptions options;
    options.order = c.order;
    const auto study = halving_study(setup(), c.method, options, 4, c.to);
    ASSERT_TRUE(study);
    EXPECT_NEAR(study.value().order, c.expected, 0.1) << c.method;
  }
}

TEST_F(Study, SeesTheRoundOffBranch) {
  const auto study = halving_study(setup(), "rk4", {}, 4, 17);
  ASSERT_TRUE(study);
  EXPECT_NEAR(study.value().order, 4, 0.05);
  EXPECT_GE(study.value().round_off_from, 15);
  EXPECT_LE(study.value().round_off_from, 17);
  const auto smooth = halving_study(setup(), "heun", {}, 4, 14);
  EXPECT_EQ(smooth.value().round_off_from, 0);
}

TEST_F(Study, EstimatesTheError) {
  StudySetup s = setup();
  s.exact = {{number(sources()["003"]["v_curve_example"]["exact"]), 0}};
  const auto heun = halving_study(s, "heun", {}, 4, 10);
  const HalvingPoint& p = heun.value().points.back();
  EXPECT_NEAR(p.difference / 3, 2.44e-4, 1e-6);
  EXPECT_NEAR(p.error, 2.54e-4, 1e-6);
}

TEST_F(Study, ComparesWorkAndPrecision) {
  const auto fixed = work_precision(setup(), "rk4", {}, 4, 10);
  ASSERT_TRUE(fixed);
  ASSERT_EQ(fixed.value().size(), 7u);
  EXPECT_EQ(fixed.value().back().evaluations, 4 * 1024 + 1);
  EXPECT_NEAR(fixed.value().back().error, 3.89e-9, 1e-10);
  for (const char* method : {"ode45", "dop853", "adams", "bdf", "radau5"}) {
    const auto adaptive = work_precision(setup(), method, {}, 4, 10);
    ASSERT_TRUE(adaptive) << method;
    ASSERT_EQ(adaptive.value().size(), 17u) << method;
    EXPECT_LT(adaptive.value().back().error, 1e-5 * adaptive.value().front().error) << method;
    EXPECT_GT(adaptive.value().back().evaluations, adaptive.value().front().evaluations) << method;
  }
}

TEST_F(Study, RefusesWhatTheMethodCannot) {
  MethodOptions options;
  options.order = 7;
  EXPECT_FALSE(halving_study(setup(), "gauss", options, 4, 6));
  EXPECT_FALSE(work_precision(setup(), "no-such-method", {}, 4, 6));
}

}  // namespace
}  // namespace cardan
