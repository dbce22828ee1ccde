// Figures of the documents that introduced or examined the formulations, as recomputed with exact
// initial values.
#include <cmath>

#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

// ---------------------------------------------------------------- crank-slider with
// predictor-corrector methods

struct CrankSlider {
  std::string status;
  double average = 0, largest = 0;
};

// 2-norm of the three position constraints at every grid point.
CrankSlider crank_slider(const std::string& integrator, int order, double h, double alpha) {
  Model model = test::model_file("doc002-crank-slider");
  DynamicOptions& o = test::dynamic(model);
  o.integrator = integrator;
  o.order = order;
  o.step = o.output_step = h;
  o.alpha = o.beta = alpha;
  Memory run;
  CrankSlider out;
  out.status = run_model(model, run, {}).summary.status;
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    const double theta = run.value("crank.angle", k), phi = run.value("rod.angle", k),
                 x = run.value("rod.x", k), y = run.value("rod.y", k);
    const double norm = std::hypot(0.3 * std::cos(theta) - (x - 0.3 * std::cos(phi)),
                                   0.3 * std::sin(theta) - (y - 0.3 * std::sin(phi)),
                                   0.2 * std::sin(phi) + y);
    out.average += norm / static_cast<double>(run.rows.size());
    out.largest = std::max(out.largest, norm);
  }
  return out;
}

TEST(CrankSliderDocument, AverageConstraintErrors) {
  EXPECT_NEAR(crank_slider("ampc", 3, 0.01, 5).average / 4.676061e-6, 1, 0.02);
  EXPECT_NEAR(crank_slider("mampc", 3, 0.01, 5).average / 9.865134e-7, 1, 0.02);
  EXPECT_NEAR(crank_slider("ampc", 3, 0.001, 5).average / 4.154700e-9, 1, 0.02);
  EXPECT_NEAR(crank_slider("mampc", 3, 0.001, 5).average / 9.725287e-11, 1, 0.02);
}

TEST(CrankSliderDocument, LargestStableFeedback) {
  EXPECT_LT(crank_slider("ampc", 3, 0.01, 167).largest, 5e-3);
  EXPECT_EQ(crank_slider("ampc", 3, 0.01, 168).status, "failed");  // said by the run itself
  EXPECT_LT(crank_slider("mampc", 3, 0.01, 188).largest, 2e-3);
  EXPECT_EQ(crank_slider("mampc", 3, 0.01, 190).status, "failed");
}

// ---------------------------------------------------------------- pendulum in Cartesian
// coordinates

struct Pendulum {
  Outcome out;
  Memory run;

  double phi(double t) const {
    for (std::size_t k = 0; k < run.times.size(); ++k)
      if (std::abs(run.times[k] - t) < 1e-9)
        return std::pow(run.value("bob.x", k), 2) + std::pow(run.value("bob.y", k), 2) - 1;
    ADD_FAILURE() << "no row at " << t;
    return 0;
  }
};

Pendulum pendulum(const std::string& integrator,
                  double until,
                  double omega,
                  double h = 0.01,
                  double g = 9.81,
                  double max_drift = 10) {
  Model model = test::model_file("doc004-pendulum");
  model.gravity[1] = -g;
  DynamicOptions& o = test::dynamic(model);
  o.integrator = integrator;
  o.until = until;
  o.step = h;
  o.max_drift = max_drift;
  if (omega > 0) {
    o.formulation = "baumgarte";
    o.omega = omega;
    o.zeta = 0.1;
  }
  Pendulum p;
  p.out = run_model(model, p.run, {});
  return p;
}

TEST(PendulumDocument, DriftOfTheUnstabilisedScheme) {
  const Pendulum p = pendulum("taylor2", 25, 0);
  ASSERT_EQ(p.out.summary.status, "doubtful");  // two metres off the circle, and it says so
  EXPECT_NEAR(p.phi(1), 0.155469, 1e-6);
  EXPECT_NEAR(p.phi(5), 0.600219, 1e-6);
  EXPECT_NEAR(p.phi(25), 1.99101, 1e-5);
  EXPECT_NEAR(pendulum("euler", 5, 0).phi(5), 0.912633, 1e-6);
}

TEST(PendulumDocument, StabilisedRuns) {
  const Pendulum slow = pendulum("euler", 10, 1);
  EXPECT_NEAR(slow.phi(1), 0.187737, 1e-6);
  EXPECT_NEAR(slow.phi(5), -0.0474885, 1e-6);
  EXPECT_NEAR(slow.phi(10), -0.0844695, 1e-6);
  const Pendulum fast = pendulum("euler", 5, 10);
  EXPECT_NEAR(fast.phi(1), -0.0199686, 1e-6);
  EXPECT_NEAR(fast.phi(5), 0.0199524, 1e-6);
  EXPECT_NEAR(pendulum("taylor2", 25, 1).phi(25), -0.0274608, 1e-6);
  EXPECT_NEAR(pendulum("euler", 25, 10, 0.01, 1).phi(25), 0.000164154, 1e-8);
  EXPECT_NEAR(pendulum("euler", 25, 1, 0.001).phi(25), -0.0039447, 1e-6);
}

// Explicit Euler's energy grows until the run leaves the constraints for good.
TEST(PendulumDocument, DivergenceIsNoticed) {
  EXPECT_EQ(pendulum("euler", 25, 10).out.summary.diagnostics.back().id, "numeric.drift");
  const Pendulum p = pendulum("euler", 25, 10, 0.01, 9.81, 1e30);
  const auto large = [&](std::size_t k) {
    return std::max({std::abs(p.run.value("bob.x", k)),
                     std::abs(p.run.value("bob.y", k)),
                     std::abs(p.run.value("bob.vx", k)),
                     std::abs(p.run.value("bob.vy", k))}) > 1e6;
  };
  std::size_t k = 0;
  while (k < p.run.rows.size() && !large(k)) ++k;
  ASSERT_LT(k, p.run.rows.size());
  EXPECT_NEAR(p.run.times[k], 6.33, 0.011);
}

TEST(PendulumDocument, DriftBeyondItsBoundEndsTheRun) {
  Model model = test::model_file("doc004-pendulum");
  test::dynamic(model).max_drift = 0.1;
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_EQ(out.exit_code(), 6);
  EXPECT_EQ(out.summary.diagnostics.back().id, "numeric.drift");
  EXPECT_LT(out.summary.t_end, 2);
}

}  // namespace
}  // namespace cardan
