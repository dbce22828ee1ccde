// Independent coordinates that come to their end: the height of a pendulum at its lowest point,
// twice a swing.
#include <algorithm>
#include <cmath>

#include "test/verify/support.h"

namespace cardan {
namespace {

struct Swing {
  Outcome out;
  double error = 0;  // largest, of the bob's place, over 10 s
};

Swing swing(const std::string& formulation,
            const std::string& integrator,
            double tolerance,
            double step = 0) {
  Model model = test::model_file("pendulum");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = formulation;
  o.integrator = integrator;
  o.rtol = o.atol = tolerance;
  o.step = step;
  test::Memory run;
  Swing got{run_model(model, run, {})};
  auto table = test::read_csv("models/pendulum/reference/pendulum_10s.csv");
  EXPECT_EQ(run.rows.size(), table["t"].size());
  for (std::size_t k = 0; k < run.rows.size(); ++k)
    got.error = std::max({got.error,
                          std::abs(run.value("bob.x", k) - table["x"][k]),
                          std::abs(run.value("bob.y", k) - table["y"][k])});
  return got;
}

TEST(PendulumPartition, HybridFollowsAtAllTolerances) {
  for (const char* integrator : {"dop853", "ode45", "adams", "ode23"})
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12}) {
      if (integrator == std::string("ode23") && tolerance < 1e-7) continue;  // slow
      const Swing got = swing("hybrid", integrator, tolerance);
      EXPECT_EQ(got.out.summary.status, "complete") << integrator << ' ' << tolerance;
      EXPECT_LT(got.error, std::min(0.1, 2000 * tolerance)) << integrator << ' ' << tolerance;
      EXPECT_LT(got.out.summary.energy.max_imbalance, std::min(0.2, 1e4 * tolerance))
          << integrator << ' ' << tolerance;
    }
}

TEST(PendulumPartition, GivenStepsDoNotOverrunIt) {
  for (const char* integrator : {"rk4", "mampc"}) {
    double before = INFINITY;
    for (const double step : {0.1, 0.05, 0.02, 0.01}) {
      const Swing got = swing("partitioned", integrator, 1e-6, step);
      EXPECT_EQ(got.out.summary.status, got.error < 0.3 ? "complete" : "doubtful")
          << integrator << ' ' << step;
      EXPECT_LT(got.error, step <= 0.02 ? 0.02 : 3) << integrator << ' ' << step;
      EXPECT_LT(got.error, before) << integrator << ' ' << step;
      before = got.error;
    }
  }
}

TEST(PendulumPartition, StepsTooLargeAreNamed) {
  Model model = test::model_file("pendulum");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = "partitioned";
  o.integrator = "rk4";
  o.step = 0.2;
  test::Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "failed");
  EXPECT_EQ(out.summary.diagnostics.back().id, "numeric.step-too-large");
}

}  // namespace
}  // namespace cardan
