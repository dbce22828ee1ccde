// BDF beside CVODE's BDF: evaluations for the same error on stiff problems.
#include "test/ode/cvode_harness.h"

#ifdef CARDAN_HAS_CVODE

namespace cardan::yardstick {
namespace {

constexpr double bound = 1.3;

void expect_competitive(const Case& c) {
  const Outcome reference = by_ours(c, 1e-11, "radau5");
  EXPECT_LT(error(c, by_ours(c, 1e-10, "radau5"), reference), 1e-10);
  for (const char* variant : {"bdf", "ndf"}) {
    const double ratio = cost_ratio(c, Family::bdf, "bdf", variant, reference, 3, 9);
    EXPECT_LT(ratio, bound) << variant;
    ::testing::Test::RecordProperty(variant, std::to_string(ratio));
  }
}

TEST(CvodeBdf, VanDerPol) {
  Problem p(2, [](double, CView y, View d) {
    d[0] = y[1];
    d[1] = 1000 * (1 - y[0] * y[0]) * y[1] - y[0];
  });
  Case c{p, {2, 0}, {}, {1e-2, 1e-4}};
  for (int k = 1; k <= 20; ++k) c.times.push_back(100.0 * k);
  expect_competitive(c);
}

TEST(CvodeBdf, Robertson) {
  Problem p(3, [](double, CView y, View d) {
    d[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    d[2] = 3e7 * y[1] * y[1];
    d[1] = -d[0] - d[2];
  });
  Case c{p, {1, 0, 0}, {}, {1e-2, 1e-6, 1e-2}};
  for (int k = 0; k <= 15; ++k) c.times.push_back(4 * std::pow(10.0, 0.5 * k));
  expect_competitive(c);
}

// A slow oscillation that carries a fast, strongly damped follower.
TEST(CvodeBdf, StiffOscillator) {
  Problem p(3, [](double t, CView y, View d) {
    d[0] = y[1];
    d[1] = -y[0] - 0.01 * y[1] + 0.1 * y[2];
    d[2] = -1e4 * (y[2] - std::sin(0.5 * t) * y[0]);
  });
  Case c{p, {1, 0, 0}, {}, {0.1, 0.1, 0.1}};
  for (int k = 1; k <= 20; ++k) c.times.push_back(2.0 * k);
  expect_competitive(c);
}

}  // namespace
}  // namespace cardan::yardstick
#endif
