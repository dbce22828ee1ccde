// Runs through singular poses: the N-four-bar mechanism lies flat twice a turn and has N + 1
// freedoms there.
#include <algorithm>
#include <cmath>

#include "test/verify/support.h"

namespace cardan {
namespace {

struct Told : test::Memory {
  std::vector<Event> events;

  Fault event(const Event& e) override {
    events.push_back(e);
    return {};
  }
};

struct Case {
  const char *formulation, *integrator;
  double tolerance;
};

class FlatPoseRun : public testing::TestWithParam<Case> {};

TEST_P(FlatPoseRun, IsPassedOnTheSmoothBranch) {
  Model model = test::model_file("n-four-bar");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = GetParam().formulation;
  o.integrator = GetParam().integrator;
  o.rtol = o.atol = GetParam().tolerance;
  Told run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  auto table = test::read_csv("models/n-four-bar/reference/n2_10s.csv");
  double worst = 0;
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    const double phi = run.value("crank 0.angle", k);
    worst = std::max({worst,
                      std::abs(std::cos(phi) - table["B0x"][k]),
                      std::abs(std::sin(phi) - table["B0y"][k])});
  }
  EXPECT_EQ(run.rows.size(), table["t"].size());
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
  EXPECT_NEAR(run.last("crank 2.angle"), run.last("crank 0.angle"), 1e-8);
  const auto passages = std::count_if(run.events.begin(), run.events.end(), [](const Event& e) {
    return e.kind == "singular-pose";
  });
  EXPECT_EQ(passages, 10);
  EXPECT_TRUE(std::any_of(out.summary.diagnostics.begin(),
                          out.summary.diagnostics.end(),
                          [](const Diagnostic& d) { return d.id == "numeric.singular-passage"; }));
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         FlatPoseRun,
                         testing::Values(Case{"projected", "ode45", 1e-10},
                                         Case{"projected", "dop853", 1e-10},
                                         Case{"projected", "adams", 1e-10},
                                         Case{"partitioned", "ode45", 1e-10},
                                         Case{"partitioned", "dop853", 1e-10},
                                         Case{"partitioned", "adams", 1e-10},
                                         Case{"hybrid", "ode45", 1e-11},
                                         Case{"hybrid", "dop853", 1e-11},
                                         Case{"hybrid", "adams", 1e-11},
                                         Case{"tangent-svd", "dop853", 1e-11},
                                         Case{"tangent-qr", "dop853", 1e-11},
                                         Case{"half-explicit", "auto", 1e-10},
                                         Case{"null-space", "dop853", 1e-10}));

Outcome four_bars(const std::string& formulation, double tolerance, Told& run) {
  Model model = test::model_file("n-four-bar");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = formulation;
  o.integrator = "dop853";
  o.rtol = o.atol = tolerance;
  return run_model(model, run, {});
}

// The passages do not set a floor: tighter tolerances give smaller errors, all of them passed.
TEST(FlatPose, ErrorFallsWithTheTolerance) {
  for (const char* formulation : {"projected", "partitioned", "hybrid", "null-space"}) {
    double before = 1;
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      Told run;
      const Outcome out = four_bars(formulation, tolerance, run);
      ASSERT_EQ(out.summary.status, "complete") << formulation << ' ' << tolerance;
      EXPECT_LT(out.summary.energy.max_imbalance, 0.2 * before) << formulation << ' ' << tolerance;
      before = out.summary.energy.max_imbalance;
      EXPECT_EQ(std::count_if(run.events.begin(),
                              run.events.end(),
                              [](const Event& e) { return e.kind == "singular-pose"; }),
                10)
          << formulation << ' ' << tolerance;
    }
  }
}

TEST(FlatPose, BackInTime) {
  Model model = test::model_file("n-four-bar");
  DynamicOptions& o = test::dynamic(model);
  o.until = -5;
  Told run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
  EXPECT_NEAR(run.last("crank 2.angle"), run.last("crank 0.angle"), 1e-8);
}

TEST(FlatPose, WithFixedSteps) {
  double before = 0;
  for (const double h : {1e-2, 5e-3}) {
    Model model = test::model_file("n-four-bar");
    DynamicOptions& o = test::dynamic(model);
    o.formulation = "projected";
    o.integrator = "rk4";
    o.step = h;
    Told run;
    const Outcome out = run_model(model, run, {});
    ASSERT_EQ(out.summary.status, "complete") << h;
    EXPECT_LT(out.summary.energy.max_imbalance, before > 0 ? before / 10 : 1e-2);
    before = out.summary.energy.max_imbalance;
  }
}

}  // namespace
}  // namespace cardan
