// Points on curves in space, and planar elements between bodies of space.
#include <numbers>

#include <gtest/gtest.h>

#include "cardan/element/feature.h"
#include "cardan/element/spatial/space_curve_foot.h"
#include "test/element/derivatives.h"

namespace cardan::test {
namespace {

using Eigen::VectorXd;
constexpr double pi = std::numbers::pi;

ElementSpec plain(int i, int j) {  // frames along the body axes
  ElementSpec spec;
  spec.ends[0] = {i, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  spec.ends[1] = {j, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  return spec;
}

const std::vector<double> pose{
    0.1, -0.2, 0.3, 0.8, 0.36, 0.48, 0, -0.6, 0.7, 0.2, 0.48, 0, 0.6, 0.64};

TEST(SpatialCurve, derivatives_and_place) {
  ConstraintSet set(3);
  ElementSpec spec = plain(0, 1);
  spec.curves = {{"curve", ellipse_curve(0.8, 0.5)}};
  ASSERT_TRUE(set.add_joint("point-on-curve", spec, pose));
  VectorXd q(14);
  q << 0, 0, 0, 1, 0, 0, 0, 0.8 * std::cos(0.7), 0.5 * std::sin(0.7), 0, 0.8, 0.36, 0.48, 0;
  double phi = 1;
  set.pool(0).phi({0, {q.data(), 14}}, {&phi, 1});
  EXPECT_NEAR(phi, 0, 1e-14);
  check_constraints_near(set, q, 0.05);
}

SpaceCurvePtr knot(bool closed) {
  std::vector<Vec<3>> points;
  for (int k = 0; k < 24; ++k) {
    const double a = 2 * pi * k / 24;
    points.emplace_back((2 + std::cos(3 * a)) * std::cos(2 * a) / 3,
                        (2 + std::cos(3 * a)) * std::sin(2 * a) / 3,
                        std::sin(3 * a) / 3);
  }
  return space_spline(std::move(points), closed);
}

// The frame along the curve is orthonormal, does not turn about the tangent, and the curvatures are
// those of the curve.
TEST(SpaceCurveFoot, frames_do_not_turn_about_the_tangent) {
  const SpaceCurvePtr curve = knot(true);
  const SpaceCurveFoot feet(curve);
  const double e = 1e-5 * curve->period();
  for (int k = 1; k < 200; ++k) {
    const double s = curve->period() * (k + 0.37) / 201;
    const auto p = curve->at(s);
    const auto at = feet.of(p.c), before = feet.of(curve->at(s - e).c),
               after = feet.of(curve->at(s + e).c);
    EXPECT_LT((at.c - p.c).norm(), 1e-14);
    EXPECT_NEAR(at.m[0].dot(at.m[1]), 0, 1e-14);
    EXPECT_NEAR(at.m[0].dot(at.t), 0, 1e-14);
    EXPECT_NEAR(at.m[1].norm(), 1, 1e-14);
    const double length = 2 * e * p.c_s.norm();
    const Vec<3> m_rate = (after.m[0] - before.m[0]) / length;
    EXPECT_NEAR(m_rate.dot(at.m[1]), 0, 1e-6);
    EXPECT_NEAR(m_rate.dot(at.t), -at.kappa[0], 1e-6);
    EXPECT_NEAR((after.kappa[1] - before.kappa[1]) / length, at.kappa_s[1], 1e-3);
  }
}

class OnSpaceCurve : public testing::TestWithParam<bool> {};

TEST_P(OnSpaceCurve, derivatives_and_place) {
  ConstraintSet set(3);
  ElementSpec spec = plain(0, 1);
  const SpaceCurvePtr curve = knot(GetParam());
  spec.space_curves = {{"curve", curve}};
  ASSERT_TRUE(set.add_joint("point-on-curve", spec, pose));
  const std::vector<double>& knots = curve->pieces();
  for (const std::size_t piece : {3, 11, 19}) {  // third derivatives jump at the knots
    const Vec<3> c = curve->at(0.5 * (knots[piece] + knots[piece + 1])).c;
    VectorXd q(14);
    q << 0, 0, 0, 1, 0, 0, 0, c, 0.8, 0.36, 0.48, 0;
    Vec<2> phi;
    set.pool(0).phi({0, {q.data(), 14}}, {phi.data(), 2});
    EXPECT_LT(phi.norm(), 1e-14);
    check_constraints_near(set, q, 0.02);
  }
}

INSTANTIATE_TEST_SUITE_P(ClosedOrOpen, OnSpaceCurve, testing::Bool());

// Planar elements between bodies that move in a plane of space.
TEST(EmbeddedJoints, derivatives) {
  ElementSpec spec;
  spec.ends[0] = {0, {0.1, 0.05, 0}, {1, 0, 0}, {0, 1, 0}};
  spec.ends[1] = {1, {-0.2, 0.1, 0}, {0.8, 0.6, 0}, {0, 0, 1}};
  spec.curves = {{"curve", ellipse_curve(0.5, 0.3)},
                 {"curve_i", ellipse_curve(0.5, 0.3)},
                 {"curve_j", circle_curve(0.4, {0.1, 0})}};
  spec.numbers = {{"radius", {0.3}}};
  VectorXd q(14);
  const double a = 0.35, b = -0.6;
  q << 0, 0, 0, std::cos(a), 0, 0, std::sin(a), 0.9, 0.4, 0, std::cos(b), 0, 0, std::sin(b);
  for (const std::string_view type : {"cam-flat", "cam-cam", "rolling"}) {
    ElementSpec own = spec;
    if (type == "rolling") {
      own.ends[0].across = {0, 1, 0};
      own.ends[1].axis = {0, 0, 1};
      own.ends[1].across = {1, 0, 0};
    }
    ConstraintSet set(3);
    ASSERT_TRUE(set.add_joint(type, own, {q.data(), 14})) << type;
    check_constraints_near(set, q, 0.05);
  }
}

}  // namespace
}  // namespace cardan::test
