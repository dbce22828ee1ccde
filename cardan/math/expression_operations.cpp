// The elementary operations of formulas with their first to third derivatives. Functions with
// steps and kinks (floor, sign, abs, min, ...) have the derivatives of the piece the argument lies
// in; abs has derivative 0 at 0.
#include <cmath>
#include <limits>

#include "cardan/math/elementary.h"
#include "cardan/math/expression_program.h"

namespace cardan {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

double signum(double x) {
  if (std::isnan(x)) return x;
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

double smooth(double u, double inside) {
  if (u <= 0) return 0;
  if (u >= 1) return 1;
  return inside;
}

// The truth of a statement about numbers that are not numbers is unknown.
double truth(bool statement, double a, double b) {
  return std::isnan(a) || std::isnan(b) ? no_value : statement ? 1 : 0;
}

// c * x^n, and 0 rather than 0 * infinity where the coefficient vanishes.
double monomial(double c, double x, double n) {
  return c == 0 ? 0 : c * elementary::pow(x, n);
}

Partials power_partials(double a, double b) {
  Partials p;
  p.f = binary_value(Op::power, a, b);
  p.a = monomial(b, a, b - 1);
  p.aa = monomial(b * (b - 1), a, b - 2);
  if (a == 0 && b > 0) return p;  // a^b stays 0 when b changes
  const double log_a = elementary::log(a);
  p.b = p.f * log_a;
  p.ab = p.a * log_a + elementary::pow(a, b - 1);
  p.bb = p.b * log_a;
  return p;
}

Partials divide_partials(double a, double b) {
  Partials p;
  p.f = a / b;
  p.a = 1 / b;
  p.b = -p.f / b;
  p.ab = -p.a / b;
  p.bb = -2 * p.b / b;
  return p;
}

Partials atan2_partials(double y, double x) {
  const double rr = x * x + y * y;
  Partials p;
  p.f = elementary::atan2(y, x);
  p.a = x / rr;
  p.b = -y / rr;
  p.aa = -2 * p.a * y / rr;
  p.ab = (y * y - x * x) / (rr * rr);
  p.bb = -p.aa;
  return p;
}

Partials hypot_partials(double a, double b) {
  Partials p;
  p.f = elementary::hypot(a, b);
  p.a = a / p.f;
  p.b = b / p.f;
  p.aa = p.b * p.b / p.f;
  p.ab = -p.a * p.b / p.f;
  p.bb = p.a * p.a / p.f;
  return p;
}

}  // namespace

double unary_value(Op op, double x) {
  switch (op) {
    case Op::negate:
      return -x;
    case Op::logical_not:
      return truth(x == 0, x, 0);
    case Op::absolute:
      return std::abs(x);
    case Op::sign:
      return signum(x);
    case Op::heaviside:
      return truth(x >= 0, x, 0);
    case Op::floor:
      return std::floor(x);
    case Op::ceil:
      return std::ceil(x);
    case Op::sqrt:
      return std::sqrt(x);
    case Op::exp:
      return elementary::exp(x);
    case Op::log:
      return elementary::log(x);
    case Op::log10:
      return elementary::log10(x);
    case Op::sin:
      return elementary::sin(x);
    case Op::cos:
      return elementary::cos(x);
    case Op::tan:
      return elementary::tan(x);
    case Op::asin:
      return elementary::asin(x);
    case Op::acos:
      return elementary::acos(x);
    case Op::atan:
      return elementary::atan(x);
    case Op::sinh:
      return elementary::sinh(x);
    case Op::cosh:
      return elementary::cosh(x);
    case Op::tanh:
      return elementary::tanh(x);
    case Op::smooth3:
      return smooth(x, x * x * (3 - 2 * x));
    case Op::smooth5:
      return smooth(x, x * x * x * (10 - x * (15 - 6 * x)));
    default:
      return no_value;
  }
}

Jet unary_jet(Op op, double x) {
  const double f = unary_value(op, x);
  switch (op) {
    case Op::negate:
      return {f, -1, 0};
    case Op::absolute:
      return {f, signum(x), 0};
    case Op::sqrt:
      return {f, 0.5 / f, -0.25 / (f * x)};
    case Op::exp:
      return {f, f, f};
    case Op::log:
      return {f, 1 / x, -1 / (x * x)};
    case Op::log10:
      return {f, 1 / (x * elementary::log(10.0)), -1 / (x * x * elementary::log(10.0))};
    case Op::sin:
      return {f, elementary::cos(x), -f};
    case Op::cos:
      return {f, -elementary::sin(x), -f};
    case Op::tan:
      return {f, 1 + f * f, 2 * f * (1 + f * f)};
    case Op::asin: {
      const double d = 1 / std::sqrt((1 - x) * (1 + x));
      return {f, d, x * d * d * d};
    }
    case Op::acos: {
      const double d = -1 / std::sqrt((1 - x) * (1 + x));
      return {f, d, x * d * d * d};
    }
    case Op::atan: {
      const double d = 1 / (1 + x * x);
      return {f, d, -2 * x * d * d};
    }
    case Op::sinh:
      return {f, elementary::cosh(x), f};
    case Op::cosh:
      return {f, elementary::sinh(x), f};
    case Op::tanh:
      return {f, 1 - f * f, -2 * f * (1 - f * f)};
    case Op::smooth3:
      if (x <= 0 || x >= 1) return {f, 0, 0};
      return {f, 6 * x * (1 - x), 6 - 12 * x};
    case Op::smooth5:
      if (x <= 0 || x >= 1) return {f, 0, 0};
      return {f, 30 * x * x * (1 - x) * (1 - x), 60 * x * (1 - x) * (1 - 2 * x)};
    default:
      return {f, 0, 0};  // constant in pieces
  }
}

double unary_third(Op op, double x) {
  const double f = unary_value(op, x);
  switch (op) {
    case Op::sqrt:
      return 0.375 / (f * x * x);
    case Op::exp:
      return f;
    case Op::log:
      return 2 / (x * x * x);
    case Op::log10:
      return 2 / (x * x * x * elementary::log(10.0));
    case Op::sin:
      return -elementary::cos(x);
    case Op::cos:
      return elementary::sin(x);
    case Op::tan:
      return 2 * (1 + f * f) * (1 + 3 * f * f);
    case Op::asin:
    case Op::acos: {
      const double square = 1 / ((1 - x) * (1 + x));
      const double third = (1 + 2 * x * x) * square * square * std::sqrt(square);
      return op == Op::asin ? third : -third;
    }
    case Op::atan: {
      const double d = 1 / (1 + x * x);
      return (6 * x * x - 2) * d * d * d;
    }
    case Op::sinh:
      return elementary::cosh(x);
    case Op::cosh:
      return elementary::sinh(x);
    case Op::tanh:
      return (1 - f * f) * (6 * f * f - 2);
    case Op::smooth3:
      return x <= 0 || x >= 1 ? 0 : -12;
    case Op::smooth5:
      return x <= 0 || x >= 1 ? 0 : 60 - 360 * x * (1 - x);
    default:
      return 0;
  }
}

double binary_value(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return std::isnan(a) || std::isnan(b) ? no_value : elementary::pow(a, b);
    case Op::less:
      return truth(a < b, a, b);
    case Op::less_equal:
      return truth(a <= b, a, b);
    case Op::greater:
      return truth(a > b, a, b);
    case Op::greater_equal:
      return truth(a >= b, a, b);
    case Op::equal:
      return truth(a == b, a, b);
    case Op::not_equal:
      return truth(a != b, a, b);
    case Op::logical_and:
      return truth(a != 0 && b != 0, a, b);
    case Op::logical_or:
      return truth(a != 0 || b != 0, a, b);
    case Op::minimum:
      return std::isnan(a) || a <= b ? a : b;
    case Op::maximum:
      return std::isnan(a) || a >= b ? a : b;
    case Op::modulo:
      return a - b * std::floor(a / b);
    case Op::atan2:
      return elementary::atan2(a, b);
    case Op::hypot:
      return std::isnan(a) || std::isnan(b) ? no_value : elementary::hypot(a, b);
    case Op::deadband:
      return std::isnan(b) || std::isnan(a) ? no_value : a > b ? a - b : a < -b ? a + b : 0;
    default:
      return no_value;
  }
}

Partials binary_partials(Op op, double a, double b) {
  const double f = binary_value(op, a, b);
  switch (op) {
    case Op::divide:
      return divide_partials(a, b);
    case Op::power:
      return power_partials(a, b);
    case Op::minimum:
      return std::isnan(a) || a <= b ? Partials{.f = f, .a = 1} : Partials{.f = f, .b = 1};
    case Op::maximum:
      return std::isnan(a) || a >= b ? Partials{.f = f, .a = 1} : Partials{.f = f, .b = 1};
    case Op::modulo:
      return {.f = f, .a = 1, .b = -std::floor(a / b)};
    case Op::atan2:
      return atan2_partials(a, b);
    case Op::hypot:
      return hypot_partials(a, b);
    case Op::deadband:
      return a > b    ? Partials{.f = f, .a = 1, .b = -1}
             : a < -b ? Partials{.f = f, .a = 1, .b = 1}
                      : Partials{.f = f};
    default:
      return {.f = f};  // constant in pieces
  }
}

}  // namespace cardan
