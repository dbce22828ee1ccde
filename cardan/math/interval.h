#pragma once
// Closed intervals [lo, hi] of real numbers, possibly unbounded. Operations enclose all values but
// for round-off of the bounds.
// Reference: Moore, Kearfott and Cloud, Introduction to Interval Analysis, SIAM 2009, chapters 2, 5.
#include <algorithm>
#include <limits>

namespace cardan {

struct Interval {
  double lo = 0, hi = 0;

  static Interval all() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {-infinity, infinity};
  }

  static Interval between(double a, double b) { return {std::min(a, b), std::max(a, b)}; }

  bool point() const { return lo == hi; }

  bool contains(double x) const { return lo <= x && x <= hi; }

  double width() const { return lo == hi ? 0 : hi - lo; }

  double middle() const { return 0.5 * lo + 0.5 * hi; }
};

inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

inline Interval intersection(const Interval& a, const Interval& b) {  // lo > hi: empty
  return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
}

Interval operator+(const Interval&, const Interval&);
Interval operator-(const Interval&, const Interval&);
Interval operator*(const Interval&, const Interval&);  // 0 times anything is 0
Interval operator/(const Interval&, const Interval&);  // everything where the divisor may be 0
Interval sine(const Interval&);
Interval cosine(const Interval&);
Interval tangent(const Interval&);
// a^b; where a may be negative, b counts if it is one whole number.
Interval power(const Interval& a, const Interval& b);

// Of c0 + c1 s + c2 s^2 + c3 s^3 for 0 <= s <= width, by the control values of the Bernstein form.
Interval cubic_range(double c0, double c1, double c2, double c3, double width);

}  // namespace cardan
