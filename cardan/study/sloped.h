#pragma once
// A number with its derivative by one parameter: y + y_p dp. Comparisons look at the value.
#include <cmath>

namespace cardan {

struct Sloped {
  double value = 0, slope = 0;

  Sloped() = default;

  // NOLINTNEXTLINE(google-explicit-constructor): a number is one without slope
  Sloped(double v) : value(v) {}

  Sloped(double v, double d) : value(v), slope(d) {}

  Sloped operator-() const { return {-value, -slope}; }

  Sloped& operator+=(const Sloped& b) {
    value += b.value;
    slope += b.slope;
    return *this;
  }

  friend Sloped operator+(Sloped a, const Sloped& b) { return a += b; }

  friend Sloped operator-(const Sloped& a, const Sloped& b) {
    return {a.value - b.value, a.slope - b.slope};
  }

  friend Sloped operator*(const Sloped& a, const Sloped& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }

  friend Sloped operator/(const Sloped& a, const Sloped& b) {
    const double q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
  }
};

inline double plain(double x) {
  return x;
}

inline double plain(const Sloped& x) {
  return x.value;
}

// Zero stays where it is: the root of a square has no slope there.
inline double root(double x) {
  return std::sqrt(x > 0 ? x : 0);
}

inline Sloped root(const Sloped& x) {
  if (!(x.value > 0)) return 0 * x;
  const double r = std::sqrt(x.value);
  return {r, x.slope / (2 * r)};
}

}  // namespace cardan
