#include "cardan/math/smoothing_spline.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "test/math/curve_check.h"

namespace cardan {
namespace {

struct Samples {
  std::vector<double> x, y;
};

// Unevenly spaced.
template <class F> Samples sampled(F f, int n, double length) {
  Samples s;
  for (int i = 0; i < n; ++i) {
    const double u = i / (n - 1.0);
    s.x.push_back(length * (u + 0.05 * std::sin(7 * u) * u * (1 - u)));
    s.y.push_back(f(s.x.back()));
  }
  return s;
}

TEST(SmoothingSpline, WithoutNoisePassesThroughThePoints) {
  const Samples s = sampled([](double x) { return std::sin(3 * x); }, 40, 2);
  const FunctionPtr f = smoothing_spline(s.x, s.y, 0);
  for (std::size_t i = 0; i < s.x.size(); ++i) EXPECT_NEAR(f->at(s.x[i]).f, s.y[i], 1e-13);
}

// The third derivative of a parabola is zero: it costs nothing, whatever the weight.
TEST(SmoothingSpline, LeavesAParabolaAsItIs) {
  const auto parabola = [](double x) {
    return 2 - 3 * x + 0.7 * x * x;
  };
  const Samples s = sampled(parabola, 25, 3);
  for (const double deviation : {0.0, 1e-3, 10.0}) {
    const FunctionPtr f = smoothing_spline(s.x, s.y, deviation);
    for (const double x : {0.0, 0.4, 1.7, 2.9, 3.0}) {
      EXPECT_NEAR(f->at(x).f, parabola(x), 1e-9);
      EXPECT_NEAR(f->at(x).d, -3 + 1.4 * x, 1e-8);
      EXPECT_NEAR(f->at(x).dd, 1.4, 1e-7);
    }
  }
}

// An interpolating quintic spline: errors of order h^6 inside, of accelerations h^4.
TEST(SmoothingSpline, ConvergesWithItsAccelerations) {
  const auto worst = [](int n) {
    const Samples s = sampled([](double x) { return std::sin(3 * x); }, n, 2);
    const FunctionPtr f = smoothing_spline(s.x, s.y, 0);
    double error = 0;
    for (double x = 0.5; x < 1.5; x += 0.003)
      error = std::max(error, std::abs(f->at(x).dd + 9 * std::sin(3 * x)));
    return error;
  };
  const double coarse = worst(20), fine = worst(40);
  EXPECT_LT(fine, 5e-4);
  EXPECT_GT(std::log2(coarse / fine), 3.5);
}

TEST(SmoothingSpline, DerivativesAgreeWithDifferencesAndAreSmoothAcrossThePoints) {
  const Samples s = sampled([](double x) { return std::exp(std::sin(2 * x)); }, 12, 3);
  const FunctionPtr f = smoothing_spline(s.x, s.y, 0.02);
  for (std::size_t i = 0; i + 1 < s.x.size(); ++i) check_derivatives(*f, (s.x[i] + s.x[i + 1]) / 2);
  for (std::size_t i = 1; i + 1 < s.x.size(); ++i) {
    const double e = 1e-12;
    const Jet before = f->at(s.x[i] - e), after = f->at(s.x[i] + e);
    EXPECT_NEAR(before.f, after.f, 1e-10);
    EXPECT_NEAR(before.d, after.d, 1e-9);
    EXPECT_NEAR(before.dd, after.dd, 1e-8);
    EXPECT_NEAR(f->third(s.x[i] - e), f->third(s.x[i] + e), 1e-7);
  }
}

// Of all curves that miss the points by as much the one with the least third derivative: any change
// that vanishes at the points makes it larger.
TEST(SmoothingSpline, IsTheSmoothestOfItsKind) {
  const Samples s = sampled([](double x) { return std::cos(4 * x); }, 15, 2);
  const FunctionPtr f = smoothing_spline(s.x, s.y, 0.05);
  double cross = 0, own = 0, other = 0;  // int f''' g''' dx with g = prod of three intervals, ...
  const double a = s.x[4], b = s.x[5], h = (b - a) / 2000;
  for (int k = 0; k < 2000; ++k) {
    const double u = (k + 0.5) / 2000;  // g = u^4 (1-u)^4: zero with three derivatives at both ends
    const double g3 =
        (24 * u - 240 * u * u + 720 * u * u * u - 840 * u * u * u * u + 336 * u * u * u * u * u) /
        std::pow(b - a, 3);
    const double f3 = f->third(a + (b - a) * u);
    cross += h * f3 * g3;
    own += h * f3 * f3;
    other += h * g3 * g3;
  }
  EXPECT_NEAR(cross / std::sqrt(own * other), 0, 1e-5);
}

TEST(SmoothingSpline, TakesTheNoiseOutOfAMeasurement) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.01);
  const auto motion = [](double x) {
    return std::sin(2 * std::numbers::pi * x);
  };
  Samples s = sampled(motion, 400, 2);
  for (double& y : s.y) y += noise(random);
  const FunctionPtr smooth = smoothing_spline(s.x, s.y, 0.01),
                    rough = smoothing_spline(s.x, s.y, 0);
  double missed = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i) missed += std::pow(smooth->at(s.x[i]).f - s.y[i], 2);
  EXPECT_NEAR(std::sqrt(missed / 400), 0.01, 1e-6);
  double with = 0, without = 0;
  for (double x = 0.2; x < 1.8; x += 0.01) {
    const double exact = -4 * std::pow(std::numbers::pi, 2) * motion(x);
    with = std::max(with, std::abs(smooth->at(x).dd - exact));
    without = std::max(without, std::abs(rough->at(x).dd - exact));
  }
  EXPECT_LT(with, 4);       // of 39
  EXPECT_GT(without, 400);  // noise alone
}

TEST(SmoothingSpline, EnclosesItsValues) {
  const Samples s = sampled([](double x) { return std::sin(9 * x) + x; }, 30, 2);
  const FunctionPtr f = smoothing_spline(s.x, s.y, 0.01, Outside::hold);
  for (const Interval part : {Interval{0.1, 0.3}, Interval{0.5, 1.9}, Interval{-1, 4}}) {
    const Interval values = f->over(part).values;
    for (int k = 0; k <= 100; ++k)
      EXPECT_TRUE(values.contains(f->at(part.lo + part.width() * k / 100).f));
  }
}

TEST(SmoothingSpline, TellsWhatIsWrongWithATable) {
  EXPECT_NE(fault_in_smoothing({0, 1, 2}, {0, 1, 2}, 0), "");
  EXPECT_NE(fault_in_smoothing({0, 1, 1, 2}, {0, 1, 2, 3}, 0), "");
  EXPECT_NE(fault_in_smoothing({0, 1, 2, 3}, {0, 1, 2, 3}, -1), "");
  EXPECT_EQ(fault_in_smoothing({0, 1, 2, 3}, {0, 1, 2, 3}, 0.1), "");
}

}  // namespace
}  // namespace cardan
