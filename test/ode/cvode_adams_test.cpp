// Adams PECE beside CVODE's Adams on the two-body problem: evaluations for the same error.
#include "test/ode/cvode_harness.h"

#ifdef CARDAN_HAS_CVODE

namespace cardan::yardstick {
namespace {

TEST(CvodeAdams, TwoBody) {
  for (const double eccentricity : {0.0, 0.3, 0.6}) {
    Problem p(4, [](double, CView y, View d) {
      const double r = std::hypot(y[0], y[1]), k = 1 / (r * r * r);
      d[0] = y[2];
      d[1] = y[3];
      d[2] = -k * y[0];
      d[3] = -k * y[1];
    });
    const double near = 1 - eccentricity;
    Case c{p, {near, 0, 0, std::sqrt((1 + eccentricity) / near)}, {}, {1, 1, 1, 1}};
    for (int k = 1; k <= 20; ++k) c.times.push_back(1.5 * k);
    const Outcome reference = by_ours(c, 1e-13, "dop853");
    EXPECT_LT(cost_ratio(c, Family::adams, "adams", "", reference, 8, 11), 1.15) << eccentricity;
    const Outcome ours = by_ours(c, 1e-10, "adams"), theirs = by_cvode(c, 1e-10, Family::adams);
    EXPECT_LT(ours.evaluations, 1.15 * static_cast<double>(theirs.evaluations)) << eccentricity;
    EXPECT_LT(error(c, ours, reference), error(c, theirs, reference)) << eccentricity;
  }
}

}  // namespace
}  // namespace cardan::yardstick
#endif
