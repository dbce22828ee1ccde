// Error against tolerance of the implicit methods with error control: log-log slopes over a set of
// smooth problems as in the DETEST collection, and what stiff problems cost.
#include "test/ode/implicit_problems.h"

namespace cardan::test {
namespace {

// Largest error over the run relative to the tolerance's own measure of size (rtol |y| + atol).
double run_error(Problem& p, const char* method, const char* variant, double tolerance) {
  MethodOptions options;
  options.variant = variant;
  auto made = make_method(method, options, p);
  EXPECT_TRUE(made);
  Tolerance how;
  how.rtol = how.atol = tolerance;
  Integrator integrator(std::move(made).value(), how);
  double worst = 0;
  integrator.on_step = [&](const StepRecord& step) {
    const std::vector<double> exact = p.exact(step.t);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      worst = std::max(worst, std::abs(step.y[i] - exact[i]) / (1 + std::abs(exact[i])));
    }
    return Flow::go_on;
  };
  EXPECT_EQ(integrator.start(0, p.exact(0)), Eval::ok);
  const Stop stop = integrator.advance(2 * p.end());
  EXPECT_EQ(stop.why, Stop::Why::end) << method << " on " << p.name() << ": " << stop.failure.text;
  return worst;
}

// Least-squares slope of log error over log tolerance, all problems together (each with its own
// constant).
double slope(const char* method, const char* variant, int from, int to) {
  double numerator = 0, denominator = 0;
  for (Problem* p : smooth_problems()) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    int count = 0;
    for (int k = from; k <= to; ++k, ++count) {
      const double x = -k, y = std::log10(run_error(*p, method, variant, std::pow(10.0, -k)));
      sx += x;
      sy += y;
      sxx += x * x;
      sxy += x * y;
    }
    numerator += sxy - sx * sy / count;
    denominator += sxx - sx * sx / count;
  }
  return numerator / denominator;
}

// The estimate is of order 3 (h^4 ~ tolerance) and the result of order 4: local extrapolation.
TEST(ImplicitTolerance, EsdirkAndRosenbrockAreProportional) {
  EXPECT_NEAR(slope("esdirk", "", 3, 11), 1, 0.2);
  EXPECT_NEAR(slope("rosenbrock", "", 3, 11), 1, 0.2);
}

// h^4 ~ tolerance, result of order 5.
TEST(ImplicitTolerance, Radau5GainsAQuarter) {
  EXPECT_NEAR(slope("radau5", "", 3, 10), 1.25, 0.2);
}

// The error of one step is the tolerance, without extrapolation: k / (k + 1), and the order rises
// with the demand.
TEST(ImplicitTolerance, BdfIsNearlyProportional) {
  EXPECT_NEAR(slope("bdf", "", 3, 9), 1, 0.2);
  EXPECT_NEAR(slope("bdf", "ndf", 3, 9), 1, 0.2);
}

}  // namespace
}  // namespace cardan::test
