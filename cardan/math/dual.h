#pragma once
// Dual numbers: a value with N derivatives, for exact derivatives of small functions that are
// written as templates on their scalar. What a function does not say at a corner is taken as zero:
// the slope of |x| and of sqrt(x) at x = 0.
#include <cmath>

#include "cardan/math/elementary.h"
#include "cardan/math/types.h"

namespace cardan {

template <int N> struct Dual {
  double f = 0;
  Vec<N> d = Vec<N>::Zero();

  Dual() = default;

  Dual(double value) : f(value) {}  // NOLINT(google-explicit-constructor): a constant

  Dual(double value, const Vec<N>& slopes) : f(value), d(slopes) {}

  static Dual variable(double value, int k) { return {value, Vec<N>::Unit(k)}; }

  Dual operator-() const { return {-f, -d}; }

  Dual& operator+=(const Dual& y) { return *this = *this + y; }

  Dual& operator-=(const Dual& y) { return *this = *this - y; }

  Dual& operator*=(const Dual& y) { return *this = *this * y; }

  Dual& operator/=(const Dual& y) { return *this = *this / y; }

  friend Dual operator+(const Dual& x, const Dual& y) { return {x.f + y.f, x.d + y.d}; }

  friend Dual operator-(const Dual& x, const Dual& y) { return {x.f - y.f, x.d - y.d}; }

  friend Dual operator*(const Dual& x, const Dual& y) { return {x.f * y.f, x.d * y.f + y.d * x.f}; }

  friend Dual operator/(const Dual& x, const Dual& y) {
    const double quotient = x.f / y.f;
    return {quotient, (x.d - y.d * quotient) / y.f};
  }

  friend bool operator<(const Dual& x, const Dual& y) { return x.f < y.f; }

  friend bool operator>(const Dual& x, const Dual& y) { return x.f > y.f; }

  friend bool operator<=(const Dual& x, const Dual& y) { return x.f <= y.f; }

  friend bool operator>=(const Dual& x, const Dual& y) { return x.f >= y.f; }

  friend bool operator==(const Dual& x, const Dual& y) { return x.f == y.f; }

  friend Dual sqrt(const Dual& x) {
    const double root = std::sqrt(x.f);
    return {root, root > 0 ? Vec<N>(x.d * (0.5 / root)) : Vec<N>(Vec<N>::Zero())};
  }

  friend Dual abs(const Dual& x) {
    const double sign = (x.f > 0) - (x.f < 0);
    return {std::abs(x.f), x.d * sign};
  }

  friend Dual exp(const Dual& x) {
    const double value = elementary::exp(x.f);
    return {value, x.d * value};
  }

  friend Dual tanh(const Dual& x) {
    const double value = elementary::tanh(x.f);
    return {value, x.d * (1 - value * value)};
  }
};

inline double value_of(double x) {
  return x;
}

template <int N> double value_of(const Dual<N>& x) {
  return x.f;
}

}  // namespace cardan

namespace Eigen {

template <int N> struct NumTraits<cardan::Dual<N>> : NumTraits<double> {
  using Real = cardan::Dual<N>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = Real;

  // NOLINTBEGIN(readability-identifier-naming): names that Eigen asks for
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = N + 1,
    AddCost = N + 1,
    MulCost = 3 * N + 1
  };

  // NOLINTEND(readability-identifier-naming)
};

template <int N, class Op> struct ScalarBinaryOpTraits<cardan::Dual<N>, double, Op> {
  using ReturnType = cardan::Dual<N>;
};

template <int N, class Op> struct ScalarBinaryOpTraits<double, cardan::Dual<N>, Op> {
  using ReturnType = cardan::Dual<N>;
};

}  // namespace Eigen
