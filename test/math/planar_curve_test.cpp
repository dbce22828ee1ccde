#include "cardan/math/planar_curve.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <gtest/gtest.h>

#include "cardan/math/curve.h"
#include "test/math/curve_check.h"

namespace cardan {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double round_off = 1e-13;

// Every derivative against differences of the one before it, away from the knots of splines.
void check_curve(const PlanarCurve& curve, double s, double h) {
  for (int k : {0, 1}) {
    const auto slope = [&](auto member) {
      return difference([&](double u) { return (curve.at(u).*member)(k); }, s, h);
    };
    const PlanarCurve::Point p = curve.at(s);
    expect_slope(p.c_s(k), slope(&PlanarCurve::Point::c), "c_s", s);
    expect_slope(p.c_ss(k), slope(&PlanarCurve::Point::c_s), "c_ss", s);
    expect_slope(p.c_sss(k), slope(&PlanarCurve::Point::c_ss), "c_sss", s);
  }
}

void expect_closed(const PlanarCurve& curve) {
  EXPECT_TRUE(curve.closed());
  for (const double s : {0.0, 0.37, 1.9}) {
    const auto p = curve.at(s), q = curve.at(s + 3 * curve.period()),
               r = curve.at(s - curve.period());
    EXPECT_NEAR((p.c - q.c).norm(), 0, 1e-12);
    EXPECT_NEAR((p.c_s - r.c_s).norm(), 0, 1e-12);
  }
  const double end = curve.period() * (1 - 1e-13);
  EXPECT_NEAR((curve.at(0).c_s - curve.at(end).c_s).norm(), 0, 1e-9);
  EXPECT_NEAR((curve.at(0).c_ss - curve.at(end).c_ss).norm(), 0, 1e-9);
}

TEST(PlanarCurve, CircleAndEllipse) {
  const auto circle = circle_curve(0.5, {0.1, -0.2});
  const auto ellipse = ellipse_curve(2, 1, {0.3, 0}, 0.4);
  for (const double s : {0.0, 0.8, 2.5, 5.9}) {
    EXPECT_NEAR((circle->at(s).c - Vec<2>(0.1, -0.2)).norm(), 0.5, round_off);
    check_curve(*circle, s, 1e-2);
    check_curve(*ellipse, s, 1e-2);
  }
  EXPECT_NEAR(
      (ellipse->at(0).c - Vec<2>(0.3 + 2 * std::cos(0.4), 2 * std::sin(0.4))).norm(), 0, round_off);
  expect_closed(*circle);
  expect_closed(*ellipse);
}

TEST(PlanarCurve, Polar) {
  const auto curve = polar_curve(harmonic(0.2, 3, 0.5, 1));
  for (const double s : {0.4, 2.0, 4.4}) {
    EXPECT_NEAR(curve->at(s).c.norm(), 1 + 0.2 * std::sin(3 * s + 0.5), round_off);
    check_curve(*curve, s, 1e-2);
  }
  expect_closed(*curve);
}

TEST(PlanarCurve, PolarOfAnIntermittentLawStaysInItsRange) {
  std::vector<double> angle, r;
  for (int i = 0; i <= 12; ++i) {
    angle.push_back(2 * pi * i / 12);
    r.push_back(1 + 0.3 * std::cos(angle.back()));
  }
  r.back() = r.front();
  const auto curve = polar_curve(cubic_spline(angle, r, {.ends = SplineEnds::periodic}));
  check_curve(*curve, 1.3, 1e-2);
  EXPECT_TRUE(curve->at(-1e-17).c.allFinite());
  EXPECT_TRUE(curve->at(2 * pi).c.allFinite());
}

TEST(PlanarCurve, ClosedSpline) {
  const std::vector<Vec<2>> points{{1, 0}, {0.2, 0.9}, {-1, 0.1}, {0.1, -1.2}};
  const auto curve = closed_spline_curve(points);
  double s = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR((curve->at(s).c - points[i]).norm(), 0, 1e-12);
    s += (points[(i + 1) % points.size()] - points[i]).norm();
  }
  EXPECT_NEAR(s, curve->period(), 1e-12);
  expect_closed(*curve);
  for (const double u : {0.5, 1.9, 3.4}) check_curve(*curve, u, 1e-2);
  auto repeated_first = points;
  repeated_first.push_back(points[0]);
  EXPECT_EQ(closed_spline_curve(repeated_first)->at(0.7).c, curve->at(0.7).c);
}

TEST(PlanarCurve, ClosedSplineOfACircleConverges) {
  double errors[2];
  for (const int n : {0, 1}) {
    std::vector<Vec<2>> points;
    const int count = n == 0 ? 16 : 32;
    for (int i = 0; i < count; ++i)
      points.push_back({std::cos(2 * pi * i / count), std::sin(2 * pi * i / count)});
    const auto curve = closed_spline_curve(points);
    errors[n] = 0;
    for (int i = 0; i < 500; ++i) {
      const double radius = curve->at(curve->period() * i / 500).c.norm();
      errors[n] = std::max(errors[n], std::abs(radius - 1));
    }
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.2);
}

TEST(PlanarCurve, OpenSplineGoesOnStraight) {
  const auto curve = open_spline_curve({{0, 0}, {1, 0.5}, {2, 0.2}, {3, 1}});
  EXPECT_FALSE(curve->closed());
  const auto end = curve->at(curve->period());
  EXPECT_NEAR((end.c - Vec<2>(3, 1)).norm(), 0, 1e-12);
  EXPECT_NEAR(end.c_ss.norm(), 0, 1e-12);
  EXPECT_NEAR((curve->at(curve->period() + 2).c - (end.c + 2 * end.c_s)).norm(), 0, 1e-12);
  EXPECT_NEAR((curve->at(-1).c + curve->at(0).c_s).norm(), 0, 1e-12);
  check_curve(*curve, 0.6, 1e-2);
}

TEST(PlanarCurve, BadDataIsRefused) {
  EXPECT_THROW(circle_curve(0), std::invalid_argument);
  EXPECT_THROW(ellipse_curve(1, -1), std::invalid_argument);
  EXPECT_THROW(polar_curve(nullptr), std::invalid_argument);
  EXPECT_THROW(polar_curve(polynomial({1, 1})), std::invalid_argument);
  EXPECT_THROW(polar_curve(harmonic(2, 1)), std::invalid_argument);
  EXPECT_THROW(closed_spline_curve({{0, 0}, {1, 0}}), std::invalid_argument);
  EXPECT_THROW(closed_spline_curve({{0, 0}, {1, 0}, {0, 0}}), std::invalid_argument);
  EXPECT_THROW(open_spline_curve({{0, 0}, {0, 0}, {1, 1}}), std::invalid_argument);
  EXPECT_THROW(open_spline_curve({{0, 0}, {NAN, 0}, {1, 1}}), std::invalid_argument);
  EXPECT_NE(fault_in_points({{0, 0}, {1, 1}, {1, 1}}, false).find("2 and 3"), std::string::npos);
}

}  // namespace
}  // namespace cardan
