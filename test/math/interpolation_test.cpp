#include "cardan/math/interpolation.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "cardan/math/rational.h"
#include "cardan/math/root_finding.h"

namespace cardan {
namespace {

// Document 000, Table 7.4.1: T_k(1/2) and T_k(1) of e^t for k = 1..8, recomputed to 16 digits.
TEST(Taylor, ExponentialOfTable741) {
  const double half[] = {1.0,
                         1.5,
                         1.625,
                         1.645833333333333,
                         1.6484375,
                         1.648697916666667,
                         1.648719618055556,
                         1.648721168154762};
  const double one[] = {1.0,
                        2.0,
                        2.5,
                        2.666666666666667,
                        2.708333333333333,
                        2.716666666666667,
                        2.718055555555556,
                        2.718253968253968};
  const std::vector<double> derivatives(9, 1.0);
  for (int k = 1; k <= 8; ++k) {
    const Approximation a = taylor_polynomial(derivatives, k, 0.5),
                        b = taylor_polynomial(derivatives, k, 1);
    EXPECT_NEAR(a.value, half[k - 1], 1e-15);
    EXPECT_NEAR(b.value, one[k - 1], 1e-15);
    // the first term left out is most of the error
    EXPECT_NEAR(std::exp(0.5) - a.value, a.error, 0.5 * a.error);
    EXPECT_LT(a.error, std::exp(0.5) - a.value);
  }
}

// Table 7.4.2: P_k(1.1) and P_k(1.2) through e^1, e^0.9, ... .
TEST(Newton, ExponentialOfTable742) {
  const double near[] = {2.718281828459045,
                         2.976960545761141,
                         3.001577080398754,
                         3.003919653393877,
                         3.004142578688532,
                         3.004163792835156,
                         3.004165811628123};
  const double far[] = {2.718281828459045,
                        3.235639263063236,
                        3.309488866976077,
                        3.318859158956567,
                        3.319973785429843,
                        3.320101070309589,
                        3.320115201860358};
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) values.push_back(std::exp(1 - 0.1 * i));
  backward_differences(values);
  for (int k = 1; k <= 7; ++k) {
    const Approximation a = newton_backward(values, k, 1), b = newton_backward(values, k, 2);
    EXPECT_NEAR(a.value, near[k - 1], 3e-15);
    EXPECT_NEAR(b.value, far[k - 1], 2e-14);
    EXPECT_NEAR(std::exp(1.1) - a.value, a.error, 0.15 * a.error);
    EXPECT_NEAR(std::exp(1.2) - b.value, b.error, 0.25 * b.error);
  }
  EXPECT_TRUE(std::isnan(newton_backward(values, 12, 1).error));
  EXPECT_THROW(newton_backward(values, 13, 1), std::invalid_argument);
}

TEST(Newton, MeetsItsPointsAndIntegratesPolynomials) {
  // f = u^3 - 2 u at u = 0, -1, -2, -3: exact for four points, and so is its integral u^4/4 - u^2
  std::vector<double> values;
  for (int i = 0; i < 4; ++i) values.push_back(std::pow(-i, 3) + 2 * i);
  const std::vector<double> points = values;
  backward_differences(values);
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(newton_backward(values, 4, -i).value, points[static_cast<std::size_t>(i)], 1e-13);
  for (const double s : {-1.0, -0.3, 0.5, 1.0}) {
    double w[4], sum = 0;
    newton_backward_integral_weights(s, w);
    for (int i = 0; i < 4; ++i) sum += w[i] * values[static_cast<std::size_t>(i)];
    EXPECT_NEAR(sum, std::pow(s, 4) / 4 - s * s, 1e-14);
  }
}

TEST(Rational, ComputesExactly) {
  const Rational a(1, 6), b(-3, 4);
  EXPECT_EQ(a + b, Rational(-7, 12));
  EXPECT_EQ(a * b, Rational(-1, 8));
  EXPECT_EQ(a / b, Rational(-2, 9));
  EXPECT_EQ(Rational(6, -8), b);
  EXPECT_EQ(to_text(b), "-3/4");
  EXPECT_EQ(to_text(Rational(8, 4)), "2");
  EXPECT_THROW(Rational(1, 0), std::invalid_argument);
  EXPECT_THROW(Rational(1LL << 62) * Rational(4), std::overflow_error);
}

TEST(RootFinding, GoesToRoundOffWithFewEvaluations) {
  struct Case {
    double (*g)(double);
    double a, b, root;
  };

  for (const Case& c : {Case{[](double x) { return std::cos(x); }, 1, 2, M_PI / 2},
                        Case{[](double x) { return x * x * x; }, -1, 0.5, 0},
                        Case{[](double x) { return std::exp(x) - 2; }, 2, 0, std::log(2)},
                        Case{[](double x) { return x < 0.3 ? -1.0 : 1.0; }, 0, 1, 0.3}}) {
    int calls = 0;
    const Root root = find_root(
        [&](double x) {
          ++calls;
          return c.g(x);
        },
        c.a,
        c.g(c.a),
        c.b,
        c.g(c.b),
        1e-15);
    EXPECT_NEAR(root.after, c.root, c.root == 0 ? 1e-5 : 3e-15);
    EXPECT_LE(std::abs(root.after - root.before), 1.1e-15);
    EXPECT_LT(calls, 60);
  }
}

TEST(RootFinding, FindsAMinimum) {
  const Minimum m = find_minimum([](double x) { return (x - 0.3) * (x - 0.3) + 2; }, 0, 1, 0);
  EXPECT_NEAR(m.x, 0.3, 1e-7);
  EXPECT_NEAR(m.value, 2, 1e-14);
}

}  // namespace
}  // namespace cardan
