#pragma once
// Roots and extrema of one function of one variable within a bracket.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/math/elementary.h"

namespace cardan {

struct Root {
  double before,
      after;  // the last two points: g changes sign between them (before == after: g is 0)
};

// The sign change of g in [a, b], where g(a) and g(b) have different signs, down to neighbouring
// points no more than `width` apart (0: to round-off). `before` lies on the side of a.
// Interpolate-truncate-project (Oliveira & Takahashi 2020): superlinear on smooth functions, never
// worse than bisection by more than one step.
template <class F>
Root find_root(F&& g, double a, double g_a, double b, double g_b, double width = 0) {
  if (g_a == 0) return {a, a};
  const double eps = std::numeric_limits<double>::epsilon();
  const double least = std::max(width, 2 * eps * std::max(std::abs(a), std::abs(b)));
  const double span = std::abs(b - a);
  const int halvings =
      span > least ? static_cast<int>(std::ceil(elementary::log2(span / least))) : 0;
  const bool positive = g_a > 0;
  for (int step = 0; std::abs(b - a) > least; ++step) {
    const double half = 0.5 * (a + b), length = std::abs(b - a), towards = b > a ? 1 : -1;
    const double radius =
        std::max(0.5 * least * elementary::exp2(halvings + 1 - step) - 0.5 * length, 0.0);
    const double secant = a + (b - a) * (g_a / (g_a - g_b));
    const double side = half >= secant ? 1 : -1;
    const double delta = std::max(0.2 * length * length / span, 0.5 * least);
    const double moved = delta <= std::abs(half - secant) ? secant + side * delta : half;
    double x = std::abs(moved - half) <= radius ? moved : half - side * radius;
    if (!(towards * (x - a) > 0 && towards * (b - x) > 0)) x = half;
    if (x == a || x == b) break;
    const double g_x = g(x);
    if (g_x == 0) return {x, x};
    if ((g_x > 0) == positive) {
      a = x;
      g_a = g_x;
    } else {
      b = x;
      g_b = g_x;
    }
  }
  return {a, b};
}

struct Minimum {
  double x, value;
};

// A local minimum of g in [a, b] by golden section; stops early at a value below `enough`.
template <class F> Minimum find_minimum(F&& g, double a, double b, double enough) {
  const double ratio = 0.5 * (3 - std::sqrt(5.0));
  double x = a + ratio * (b - a), y = b - ratio * (b - a);
  double g_x = g(x), g_y = g(y);
  for (int i = 0; i < 60 && std::min(g_x, g_y) > enough; ++i) {
    if (g_x < g_y) {
      b = y;
      y = x;
      g_y = g_x;
      x = a + ratio * (b - a);
      g_x = g(x);
    } else {
      a = x;
      x = y;
      g_x = g_y;
      y = b - ratio * (b - a);
      g_y = g(y);
    }
  }
  return g_x < g_y ? Minimum{x, g_x} : Minimum{y, g_y};
}

}  // namespace cardan
