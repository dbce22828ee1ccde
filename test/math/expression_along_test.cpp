// Derivatives of formulas along directions, against complex steps (Squire and Trapp, SIAM Rev. 40
// (1998)) on numbers that carry the other derivatives.
#include "cardan/math/expression_along.h"

#include <complex>

#include <gtest/gtest.h>

namespace cardan {
namespace {

using Complex = std::complex<double>;

// A value with its derivatives along two directions, of complex numbers.
struct Number {
  Complex f, a, b, ab;
};

Number operator+(const Number& x, const Number& y) {
  return {x.f + y.f, x.a + y.a, x.b + y.b, x.ab + y.ab};
}

Number operator*(const Number& x, const Number& y) {
  return {x.f * y.f,
          x.a * y.f + x.f * y.a,
          x.b * y.f + x.f * y.b,
          x.ab * y.f + x.a * y.b + x.b * y.a + x.f * y.ab};
}

Number number(double c) {
  return {c, 0, 0, 0};
}

Number operator-(const Number& x) {
  return number(-1) * x;
}

Number operator-(const Number& x, const Number& y) {
  return x + -y;
}

Number through(const Number& x, Complex f, Complex d, Complex dd) {
  return {f, d * x.a, d * x.b, d * x.ab + dd * x.a * x.b};
}

Number exp(const Number& x) {
  const Complex e = std::exp(x.f);
  return through(x, e, e, e);
}

Number log(const Number& x) {
  return through(x, std::log(x.f), 1.0 / x.f, -1.0 / (x.f * x.f));
}

Number operator/(const Number& x, const Number& y) {
  return x * through(y, 1.0 / y.f, -1.0 / (y.f * y.f), 2.0 / (y.f * y.f * y.f));
}

Number pow(const Number& x, const Number& y) {
  return exp(y * log(x));
}

Number sqrt(const Number& x) {
  return exp(number(0.5) * log(x));
}

Number sin(const Number& x) {
  return through(x, std::sin(x.f), std::cos(x.f), -std::sin(x.f));
}

Number cos(const Number& x) {
  return through(x, std::cos(x.f), -std::sin(x.f), -std::cos(x.f));
}

Number sinh(const Number& x) {
  return (exp(x) - exp(-x)) / number(2);
}

Number cosh(const Number& x) {
  return (exp(x) + exp(-x)) / number(2);
}

Number atan(const Number& x) {
  const Complex d = 1.0 / (1.0 + x.f * x.f);
  return through(x, std::atan(x.f), d, -2.0 * x.f * d * d);
}

Number asin(const Number& x) {
  return atan(x / sqrt(number(1) - x * x));
}

struct Case {
  const char* text;
  Number (*f)(const Number&, const Number&, const Number&);
};

const Case cases[] = {
    {"x*y*z + x^2*y - z^3",
     [](auto& x, auto& y, auto& z) {
       return x * y * z + x * x * y - z * z * z;
     }},
    {"x/y + 1/(x + z)",
     [](auto& x, auto& y, auto& z) {
       return x / y + number(1) / (x + z);
     }},
    {"sin(x*y)*cos(z) + tan(x - z)",
     [](auto& x, auto& y, auto& z) {
       return sin(x * y) * cos(z) + sin(x - z) / cos(x - z);
     }},
    {"exp(-x*y) + log(y + z) + log10(x)",
     [](auto& x, auto& y, auto& z) {
       return exp(-(x * y)) + log(y + z) + log(x) / number(std::log(10.0));
     }},
    {"sqrt(x^2 + y^2) + hypot(y, z)",
     [](auto& x, auto& y, auto& z) {
       return sqrt(x * x + y * y) + sqrt(y * y + z * z);
     }},
    {"x^2.5 + y^z + z^-2",
     [](auto& x, auto& y, auto& z) {
       return pow(x, number(2.5)) + pow(y, z) + number(1) / (z * z);
     }},
    {"asin(x/3) + acos(y/4) + atan(z*x)",
     [](auto& x, auto& y, auto& z) {
       return asin(x / number(3)) - asin(y / number(4)) + atan(z * x);
     }},
    {"sinh(x) + cosh(y*z) + tanh(x + z)",
     [](auto& x, auto& y, auto& z) {
       return sinh(x) + cosh(y * z) + sinh(x + z) / cosh(x + z);
     }},
    {"atan2(y, x) + atan2(x - 3*z, 0.01*y)",
     [](auto& x, auto& y, auto& z) {
       return atan(y / x) - atan(number(0.01) * y / (x - number(3) * z));
     }},
    {"abs(x - 5)*y + max(x*z, y - 9) + min(x, y*10) - (-z)^3",
     [](auto& x, auto& y, auto& z) {
       return (number(5) - x) * y + x * z + x + z * z * z;
     }},
    {"step(x, 0, y, 2, z^2) + step5(y, 0, x, 3, z)",
     [](auto& x, auto& y, auto& z) {
       const auto s = x / number(2), t = y / number(3);
       return y + (z * z - y) * (number(3) * s * s - number(2) * s * s * s) + x +
              (z - x) * (number(10) * t * t * t - number(15) * t * t * t * t +
                         number(6) * t * t * t * t * t);
     }},
};

TEST(ExpressionAlong, DerivativesAgainstComplexSteps) {
  constexpr double h = 1e-30;
  const double x[3] = {0.7, 1.3, 0.45};
  const double u[3] = {0.3, -1.1, 0.8}, v[3] = {1.2, 0.4, -0.6}, w[3] = {-0.5, 0.9, 1.4};
  Scope scope;
  scope.variables = {{"x", {}}, {"y", {}}, {"z", {}}};
  for (const Case& c : cases) {
    const auto formula = Expression::parse(c.text, scope, {});
    ASSERT_TRUE(formula) << c.text;
    Number n[3];
    for (int k = 0; k < 3; ++k) n[k] = {{x[k], h * w[k]}, u[k], v[k], 0};
    const Number f = c.f(n[0], n[1], n[2]);
    const auto near = [&](double value, double expected) {
      EXPECT_NEAR(value, expected, 1e-12 * std::max(1.0, std::abs(expected))) << c.text;
    };
    near(along(formula.value(), x, w), f.f.imag() / h);
    near(along(formula.value(), x, u, w), f.a.imag() / h);
    near(along(formula.value(), x, u, v), f.ab.real());
    near(along(formula.value(), x, u, v, w), f.ab.imag() / h);
  }
}

TEST(ExpressionAlong, PrimeIsTheRate) {
  Scope scope;
  scope.variables = {{"x", {}}, {"rate(x)", {}}};
  const auto formula = Expression::parse("x'^2 - 2*rate(x)*x", scope, {});
  ASSERT_TRUE(formula);
  const double at[2] = {3, 5};
  EXPECT_EQ(formula.value().value(at), -5);
  EXPECT_EQ(names_in("a*x' + rate(y)"), (std::vector<std::string>{"a", "x", "y"}));
  EXPECT_FALSE(Expression::parse("x''", scope, {}));
}

}  // namespace
}  // namespace cardan
