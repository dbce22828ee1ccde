// The symplectic method in space: its order, its energy over long times, what it keeps exactly and
// what it refuses.
#include <algorithm>
#include <cmath>

#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

Memory rattle(const std::string& name, int order, double step, double until, double output) {
  Model model = test::model_file(name);
  DynamicOptions& o = test::dynamic(model);
  o.formulation = "rattle";
  o.integrator = "auto";
  o.order = order;
  o.step = step;
  o.until = until;
  o.output_step = output;
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  return run;
}

double energy(const Memory& run, std::size_t row) {
  return run.value("energy.kinetic", row) + run.value("energy.potential", row);
}

// Halving the step, with the orders of the composition: on a fast top and on a closed loop.
TEST(SpatialRattle, HasItsOrder) {
  const auto error =
      [](const std::string& name, const char* channel, int order, double h, double end) {
        Model model = test::model_file(name);
        test::tighten(model, 1e-13, "dop853");
        test::dynamic(model).until = end;
        test::dynamic(model).output_step = end;
        Memory exact;
        EXPECT_EQ(run_model(model, exact, {}).summary.status, "complete");
        return std::abs(rattle(name, order, h, end, end).last(channel) - exact.last(channel));
      };
  EXPECT_NEAR(std::log2(error("heavy-top", "centre.x", 2, 1e-3, 0.1) /
                        error("heavy-top", "centre.x", 2, 5e-4, 0.1)),
              2,
              0.2);
  EXPECT_NEAR(std::log2(error("heavy-top", "centre.x", 4, 2e-3, 0.1) /
                        error("heavy-top", "centre.x", 4, 1e-3, 0.1)),
              4,
              0.5);
  EXPECT_NEAR(std::log2(error("spatial-slider-crank", "slider.x", 2, 4e-3, 0.2) /
                        error("spatial-slider-crank", "slider.x", 2, 2e-3, 0.2)),
              2,
              0.2);
  EXPECT_NEAR(std::log2(error("spatial-slider-crank", "slider.x", 6, 4e-3, 0.2) /
                        error("spatial-slider-crank", "slider.x", 6, 2e-3, 0.2)),
              6,
              1);
}

// The energy of the top swings within a band that does not grow; with a projected Runge-Kutta
// method of the same order and step it runs away.
TEST(SpatialRattle, EnergyStaysInItsBand) {
  const Memory run = rattle("heavy-top", 2, 1e-3, 20, 0.01);
  const double start = energy(run, 0);
  double first = 0, last = 0, mean_first = 0, mean_last = 0;
  const std::size_t part = run.rows.size() / 4;
  for (std::size_t k = 0; k < part; ++k) {
    const double early = energy(run, k) - start,
                 late = energy(run, run.rows.size() - 1 - k) - start;
    first = std::max(first, std::abs(early));
    last = std::max(last, std::abs(late));
    mean_first += early / static_cast<double>(part);
    mean_last += late / static_cast<double>(part);
  }
  EXPECT_LT(first, 0.01 * start);
  EXPECT_LT(last, 1.2 * first);
  EXPECT_LT(std::abs(mean_last - mean_first), 0.1 * first);

  Model model = test::model_file("heavy-top");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = "projected";
  o.integrator = "heun";
  o.step = 1e-3;
  o.until = 2;
  Memory other;
  ASSERT_EQ(run_model(model, other, {}).summary.status, "complete");
  EXPECT_GT(std::abs(energy(other, other.rows.size() - 1) - start), 10 * first);
}

// Of a free body the angular momentum in space is kept to round-off at any step.
TEST(SpatialRattle, KeepsAngularMomentum) {
  Model model = test::model_of(
      "space='spatial'\n[[body]]\nname='box'\nat=[0,0,0]\nmass=2\ninertia=[1,2,2.5]\nangular_"
      "velocity_body=[0.3,2,-"
      "0.4]\n"
      "[[analysis]]\ntype='dynamic'\nuntil=20\noutput_step=1\nformulation='rattle'\nstep=0.05\n");
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  const auto momentum = [&](std::size_t row) -> Vec<3> {
    const Mat<3, 3> A = matrix_of_quaternion(test::quaternion(run, "box", row));
    const Vec<3> omega = A.transpose() * test::vector(run, "box.omega_", row);
    return A * Vec<3>(1 * omega.x(), 2 * omega.y(), 2.5 * omega.z());
  };
  for (std::size_t row = 1; row < run.rows.size(); ++row)
    EXPECT_LT((momentum(row) - momentum(0)).norm(), 1e-12) << row;
}

TEST(SpatialRattle, DampersAreRefused) {
  Model model = test::model_file("flyball-governor");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = "rattle";
  o.integrator = "auto";
  o.step = 1e-4;
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_EQ(out.summary.diagnostics.back().id, "model.unknown-option");
  EXPECT_NE(out.summary.diagnostics.back().found.find("velocities"), std::string::npos);
}

}  // namespace
}  // namespace cardan
