#include "cardan/math/interval.h"

#include <cmath>
#include <initializer_list>
#include <numbers>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

double product(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

Interval span_of(std::initializer_list<double> values) {
  Interval r{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double x : values) {
    if (std::isnan(x)) return Interval::all();
    r = hull(r, {x, x});
  }
  return r;
}

// Whether some first + k period, k whole, lies in x.
bool meets(const Interval& x, double first, double period) {
  return std::floor((x.hi - first) / period) >= std::ceil((x.lo - first) / period);
}

Interval whole_power(const Interval& a, double n) {
  const double low = elementary::pow(a.lo, n), high = elementary::pow(a.hi, n);
  if (n == 0) return {1, 1};
  const bool even = std::fmod(n, 2) == 0;
  if (n > 0) {
    Interval r = span_of({low, high});
    if (even && a.contains(0)) r.lo = 0;
    return r;
  }
  if (!a.contains(0)) return span_of({low, high});
  if (!even) return Interval::all();
  return {std::min(low, high), std::numeric_limits<double>::infinity()};
}

}  // namespace

Interval operator+(const Interval& a, const Interval& b) {
  const Interval r{a.lo + b.lo, a.hi + b.hi};
  return std::isnan(r.lo) || std::isnan(r.hi) ? Interval::all() : r;
}

Interval operator-(const Interval& a, const Interval& b) {
  return a + Interval{-b.hi, -b.lo};
}

Interval operator*(const Interval& a, const Interval& b) {
  return span_of(
      {product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)});
}

Interval operator/(const Interval& a, const Interval& b) {
  if (b.lo < 0 && b.hi > 0) return Interval::all();
  if (b.lo == 0 && b.hi == 0) return Interval::all();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return a * Interval{b.hi == 0 ? -infinity : 1 / b.hi, b.lo == 0 ? infinity : 1 / b.lo};
}

Interval sine(const Interval& x) {
  constexpr double pi = std::numbers::pi;
  if (!(x.width() < 2 * pi)) return {-1, 1};
  Interval r = span_of({elementary::sin(x.lo), elementary::sin(x.hi)});
  if (meets(x, 0.5 * pi, 2 * pi)) r.hi = 1;
  if (meets(x, -0.5 * pi, 2 * pi)) r.lo = -1;
  return r;
}

Interval cosine(const Interval& x) {
  constexpr double pi = std::numbers::pi;
  if (!(x.width() < 2 * pi)) return {-1, 1};
  Interval r = span_of({elementary::cos(x.lo), elementary::cos(x.hi)});
  if (meets(x, 0, 2 * pi)) r.hi = 1;
  if (meets(x, pi, 2 * pi)) r.lo = -1;
  return r;
}

Interval tangent(const Interval& x) {
  constexpr double pi = std::numbers::pi;
  if (!(x.width() < pi) || meets(x, 0.5 * pi, pi)) return Interval::all();
  return span_of({elementary::tan(x.lo), elementary::tan(x.hi)});
}

Interval power(const Interval& a, const Interval& b) {
  if (b.point() && b.lo == std::floor(b.lo)) return whole_power(a, b.lo);
  if (a.hi < 0) return {0, 0};  // no real value
  const double low = std::max(a.lo, 0.0);
  return span_of({elementary::pow(low, b.lo),
                  elementary::pow(low, b.hi),
                  elementary::pow(a.hi, b.lo),
                  elementary::pow(a.hi, b.hi)});
}

Interval cubic_range(double c0, double c1, double c2, double c3, double width) {
  const double a = c1 * width, b = c2 * width * width, c = c3 * width * width * width;
  return span_of({c0, c0 + a / 3, c0 + 2 * a / 3 + b / 3, c0 + a + b + c});
}

}  // namespace cardan
