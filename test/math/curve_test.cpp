#include "cardan/math/curve.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "test/math/curve_check.h"

namespace cardan {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double round_off = 1e-13;

using Law = FunctionPtr (*)(double, double, double, double);

// Largest velocity and acceleration of the unit rise, as the literature on cams lists them.
struct LawCase {
  const char* name;
  Law law;
  double velocity, acceleration;
};

class MotionLaw : public testing::TestWithParam<LawCase> {};

TEST_P(MotionLaw, RisesFromRestToRest) {
  const FunctionPtr f = GetParam().law(1, 3, -2, 5);
  EXPECT_EQ(f->at(0.5).f, -2);
  EXPECT_EQ(f->at(1).f, -2);
  EXPECT_EQ(f->at(3).f, 5);
  EXPECT_EQ(f->at(7).f, 5);
  EXPECT_EQ(f->at(7).d, 0);
  EXPECT_NEAR(f->at(2).f, 1.5, round_off);  // symmetric
  EXPECT_NEAR(f->at(1 + 1e-9).f, -2, 1e-12);
  EXPECT_NEAR(f->at(3 - 1e-9).f, 5, 1e-12);
  EXPECT_NEAR(f->at(3 - 1e-9).d, 0, 1e-7);
}

TEST_P(MotionLaw, DerivativesAgreeWithDifferences) {
  const FunctionPtr f = GetParam().law(1, 3, -2, 5);
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    double x = std::uniform_real_distribution(1.01, 2.99)(random);
    const bool joint =
        std::abs(x - 1.25) < 4e-3 || std::abs(x - 2.75) < 4e-3;  // modified sine changes piece
    if (!joint) check_derivatives(*f, x);
  }
}

TEST_P(MotionLaw, PeaksAsListed) {
  const FunctionPtr f = GetParam().law(0, 1, 0, 1);
  double velocity = 0, acceleration = 0;
  for (int i = 1; i < 100000; ++i) {
    const Jet j = f->at(i / 100000.0);
    velocity = std::max(velocity, j.d);
    acceleration = std::max(acceleration, j.dd);
  }
  EXPECT_NEAR(velocity, GetParam().velocity, 1e-3);
  EXPECT_NEAR(acceleration, GetParam().acceleration, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Curve,
                         MotionLaw,
                         testing::Values(LawCase{"cubic", cubic_step, 1.5, 6},
                                         LawCase{
                                             "quintic", quintic_step, 1.875, 10 / std::sqrt(3.0)},
                                         LawCase{"cycloidal", cycloidal, 2, 2 * pi},
                                         LawCase{"modified_sine", modified_sine, 1.7596, 5.5280}),
                         [](const auto& law) { return std::string(law.param.name); });

TEST(Curve, ModifiedSineIsSmoothWhereItsPiecesMeet) {
  const FunctionPtr f = modified_sine(0, 1, 0, 1);
  for (const double u : {0.125, 0.875}) {
    const Jet left = f->at(u - 1e-14), right = f->at(u + 1e-14);
    EXPECT_NEAR(left.f, right.f, round_off);
    EXPECT_NEAR(left.d, right.d, 1e-12);
    EXPECT_NEAR(left.dd, right.dd, 1e-10);
  }
}

TEST(Curve, PolynomialAndHarmonic) {
  const FunctionPtr p = polynomial({1, -2, 0.5, 3, -1});
  const FunctionPtr h = harmonic(2, 5, 0.3, -1);
  std::mt19937 random(2);
  for (int i = 0; i < 50; ++i) {
    const double x = std::uniform_real_distribution(-2.0, 2.0)(random);
    check_derivatives(*p, x);
    check_derivatives(*h, x);
    EXPECT_NEAR(
        p->at(x).f, 1 - 2 * x + 0.5 * x * x + 3 * x * x * x - x * x * x * x, round_off * 100);
    EXPECT_NEAR(h->at(x).f, -1 + 2 * std::sin(5 * x + 0.3), round_off);
  }
  EXPECT_EQ(constant_curve(4)->at(17).f, 4);
  EXPECT_EQ(constant_curve(4)->at(17).d, 0);
  EXPECT_EQ(polynomial({})->at(2).f, 0);
}

TEST(Curve, ThirdDerivativeIsDifferencedWhereThereIsNoFormula) {
  class Sine : public Function {
   public:
    Jet at(double x) const override { return {std::sin(x), std::cos(x), -std::sin(x)}; }

    bool constant() const override { return false; }
  };

  EXPECT_NEAR(Sine().third(0.7), -std::cos(0.7), 1e-9);
}

TEST(Curve, Repeated) {
  const FunctionPtr f = repeated(cycloidal(0, 0.5, 0, 1), 0, 2, 1);  // index by one every two
  EXPECT_NEAR(f->at(0.25).f, 0.5, round_off);
  EXPECT_NEAR(f->at(4.25).f, 2.5, round_off);
  EXPECT_NEAR(f->at(-1.75).f, -0.5, round_off);
  EXPECT_NEAR(f->at(3.9).f, 2, round_off);
  check_derivatives(*f, 6.3);
}

TEST(Curve, LinearTable) {
  const std::vector<double> x{0, 1, 3}, y{0, 2, -2};
  const auto at = [&](double u, Outside outside) {
    return linear_table(x, y, outside)->at(u);
  };
  EXPECT_EQ(at(0.5, Outside::undefined).f, 1);
  EXPECT_EQ(at(2, Outside::undefined).f, 0);
  EXPECT_EQ(at(2, Outside::undefined).d, -2);
  EXPECT_EQ(at(3, Outside::undefined).f, -2);
  EXPECT_TRUE(std::isnan(at(3.01, Outside::undefined).f));
  EXPECT_TRUE(std::isnan(at(-0.01, Outside::undefined).d));
  EXPECT_EQ(at(5, Outside::hold).f, -2);
  EXPECT_EQ(at(5, Outside::hold).d, 0);
  EXPECT_EQ(at(4, Outside::extend).f, -4);
  EXPECT_EQ(at(-1, Outside::extend).f, -2);
  EXPECT_NEAR(at(6.5, Outside::repeat).f, 1, round_off);
  EXPECT_TRUE(std::isnan(at(std::nan(""), Outside::hold).f));
}

TEST(Curve, BadDataIsRefused) {
  EXPECT_THROW(linear_table({0, 1, 1}, {0, 1, 2}), std::invalid_argument);
  EXPECT_THROW(linear_table({0}, {0}), std::invalid_argument);
  EXPECT_THROW(linear_table({0, 1}, {0}), std::invalid_argument);
  EXPECT_THROW(linear_table({0, 1}, {0, std::nan("")}), std::invalid_argument);
  EXPECT_THROW(cubic_step(1, 1, 0, 1), std::invalid_argument);
  EXPECT_THROW(polynomial({INFINITY}), std::invalid_argument);
  EXPECT_THROW(repeated(nullptr, 0, 1), std::invalid_argument);
  const SplineOptions periodic{.ends = SplineEnds::periodic};
  EXPECT_THROW(cubic_spline({0, 1, 2, 3}, {0, 1, 2, 3}, periodic), std::invalid_argument);
  EXPECT_NE(fault_in_table({0, 2, 1}, {0, 0, 0}).find("point 3"), std::string::npos);
  EXPECT_EQ(fault_in_table({0, 1, 2}, {0, 0, 0}), "");
}

std::vector<double> mapped(const std::vector<double>& x, double (*f)(double)) {
  std::vector<double> y;
  for (const double u : x) y.push_back(f(u));
  return y;
}

TEST(Spline, GoesThroughItsPointsAndIsTwiceDifferentiable) {
  const std::vector<double> x{0, 0.3, 1, 1.7, 2.5}, y{1, -1, 2, 0, 3};
  for (const SplineOptions& o :
       {SplineOptions{},
        SplineOptions{.ends = SplineEnds::clamped, .first_slope = 2, .last_slope = -3}}) {
    const FunctionPtr f = cubic_spline(x, y, o);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(f->at(x[i]).f, y[i], round_off);
    for (std::size_t i = 1; i + 1 < x.size(); ++i) {
      const Jet left = f->at(x[i] - 1e-12), right = f->at(x[i] + 1e-12);
      EXPECT_NEAR(left.d, right.d, 1e-9);
      EXPECT_NEAR(left.dd, right.dd, 1e-9);
    }
    for (const double u : {0.1, 0.6, 1.3, 2.2}) check_derivatives(*f, u, 1e-2);
  }
}

TEST(Spline, EndConditions) {
  const std::vector<double> x{0, 0.5, 1.5, 2}, y{1, 2, 0, 1};
  const FunctionPtr natural = cubic_spline(x, y);
  EXPECT_NEAR(natural->at(0).dd, 0, round_off);
  EXPECT_NEAR(natural->at(2).dd, 0, 1e-12);
  const FunctionPtr clamped =
      cubic_spline(x, y, {.ends = SplineEnds::clamped, .first_slope = 2, .last_slope = -3});
  EXPECT_NEAR(clamped->at(0).d, 2, 1e-12);
  EXPECT_NEAR(clamped->at(2).d, -3, 1e-12);
  const FunctionPtr periodic = cubic_spline(x, y, {.ends = SplineEnds::periodic});
  const Jet first = periodic->at(0), last = periodic->at(2 - 1e-13);
  EXPECT_NEAR(first.d, last.d, 1e-10);
  EXPECT_NEAR(first.dd, last.dd, 1e-10);
  EXPECT_NEAR(periodic->at(0.7).f, periodic->at(0.7 + 3 * 2).f, 1e-12);
  EXPECT_NEAR(periodic->at(0.7).f, periodic->at(0.7 - 5 * 2).f, 1e-12);
}

// A clamped spline reproduces cubics; a spline of a smooth function has an error of fourth order.
TEST(Spline, Accuracy) {
  const std::vector<double> x{-1, -0.2, 0.1, 1, 2};
  const auto cubic = [](double u) {
    return u * u * u - 2 * u + 1;
  };
  const FunctionPtr exact = cubic_spline(
      x, mapped(x, +cubic), {.ends = SplineEnds::clamped, .first_slope = 1, .last_slope = 10});
  for (const double u : {-0.9, -0.1, 0.5, 1.9})
    EXPECT_NEAR(exact->at(u).f, cubic(u), round_off * 10);
  double errors[2];
  for (int n : {0, 1}) {
    std::vector<double> points;
    const int count = n == 0 ? 32 : 64;
    for (int i = 0; i <= count; ++i) points.push_back(2 * pi * i / count);
    std::vector<double> values = mapped(
        points, +[](double u) { return std::exp(std::sin(u)); });
    values.back() = values.front();
    const FunctionPtr f = cubic_spline(points, values, {.ends = SplineEnds::periodic});
    errors[n] = 0;
    for (int i = 0; i < 1000; ++i) {
      const double u = 2 * pi * i / 1000;
      errors[n] = std::max(errors[n], std::abs(f->at(u).f - std::exp(std::sin(u))));
    }
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.2);
}

TEST(Spline, Outside) {
  const std::vector<double> x{0, 1, 2}, y{0, 1, 4};
  const FunctionPtr extended = cubic_spline(x, y, {.outside = Outside::extend});
  const double slope = extended->at(2).d;
  EXPECT_NEAR(extended->at(3).f, 4 + slope, round_off);
  EXPECT_EQ(extended->at(3).d, slope);
  EXPECT_EQ(extended->at(3).dd, 0);
  EXPECT_EQ(cubic_spline(x, y, {.outside = Outside::hold})->at(-1).f, 0);
  EXPECT_TRUE(std::isnan(cubic_spline(x, y)->at(2.001).f));
  EXPECT_NEAR(cubic_spline({0, 1}, {1, 3})->at(0.25).f, 1.5, round_off);  // two points: a line
}

}  // namespace
}  // namespace cardan
