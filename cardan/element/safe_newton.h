#pragma once
// A root of g in [a, b] by Newton's method kept inside a shrinking bracket, with a bisection
// wherever Newton's step would leave it. g returns value and slope; its values at a and b have
// opposite signs.
#include <cmath>

namespace cardan {

struct ValueSlope {
  double value, slope;
};

template <class F> double safe_newton(F&& g, double a, double b, double x) {
  const bool rising = g(b).value > 0;
  for (int i = 0; i < 60; ++i) {
    const ValueSlope at = g(x);
    if (at.value == 0) return x;
    ((at.value > 0) == rising ? b : a) = x;
    double next = x - at.value / at.slope;
    const bool inside = next >= std::min(a, b) && next <= std::max(a, b);
    if (!inside) next = 0.5 * (a + b);
    const double moved = std::abs(next - x);
    x = next;
    if (moved <= 4e-16 * (std::abs(a) + std::abs(b))) return x;
  }
  return x;
}

}  // namespace cardan
