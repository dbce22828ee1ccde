#include "cardan/study/row_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardan {

namespace {

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

// Parabola y = y1 + b (t - t1) + c (t - t1)^2 through three rows.
struct Parabola {
  double t1, y1, b, c;

  Parabola(const Course& x, std::size_t k) : t1(x.t[k]), y1(x.y[k]) {
    const double h0 = x.t[k - 1] - t1, h2 = x.t[k + 1] - t1;
    const double s0 = (x.y[k - 1] - y1) / h0, s2 = (x.y[k + 1] - y1) / h2;
    c = (s2 - s0) / (h2 - h0);
    b = s2 - c * h2;
  }

  double integral(double from, double to) const { return whole(to - t1) - whole(from - t1); }

 private:
  double whole(double h) const { return h * (y1 + h * (b / 2 + h * c / 3)); }
};

// Whether rows k - 1, k, k + 1 are there with no jump between them.
bool smooth(const Course& x, std::size_t k) {
  if (k == 0 || k + 1 >= x.t.size()) return false;
  return x.t[k - 1] != x.t[k] && x.t[k] != x.t[k + 1];
}

Extreme highest(const Course& x, double sign) {
  Extreme out{nowhere, nowhere};
  for (std::size_t k = 0; k < x.t.size(); ++k) {
    const double y = sign * x.y[k];
    Extreme here{y, x.t[k]};
    if (smooth(x, k) && y >= sign * x.y[k - 1] && y >= sign * x.y[k + 1]) {
      const Parabola p(x, k);
      const double h = -p.b / (2 * p.c);
      if (sign * p.c < 0 && x.t[k] + h > x.t[k - 1] && x.t[k] + h < x.t[k + 1])
        here = {sign * (p.y1 + h * p.b / 2), x.t[k] + h};
    }
    if (std::isnan(here.value)) return {nowhere, nowhere};
    if (!(here.value <= out.value)) out = here;
  }
  return {sign * out.value, out.t};
}

double duration(const Course& x) {
  return x.t.empty() ? 0 : x.t.back() - x.t.front();
}

}  // namespace

Extreme largest(const Course& x) {
  return highest(x, 1);
}

Extreme smallest(const Course& x) {
  return highest(x, -1);
}

double integral(const Course& x) {
  double sum = 0;
  for (std::size_t k = 1; k < x.t.size(); ++k) {
    const double from = x.t[k - 1], to = x.t[k];
    if (from == to) continue;
    const bool before = smooth(x, k - 1), after = smooth(x, k);
    if (before && after)
      sum += (Parabola(x, k - 1).integral(from, to) + Parabola(x, k).integral(from, to)) / 2;
    else if (before || after)
      sum += Parabola(x, before ? k - 1 : k).integral(from, to);
    else
      sum += (to - from) * (x.y[k - 1] + x.y[k]) / 2;
  }
  return sum;
}

double mean(const Course& x) {
  return duration(x) == 0 ? (x.y.empty() ? nowhere : x.y.back()) : integral(x) / duration(x);
}

double root_mean_square(const Course& x) {
  Course square = x;
  for (double& y : square.y) y *= y;
  return std::sqrt(std::max(mean(square), 0.0));
}

double value_at(const Course& x, double t) {
  for (std::size_t k = 0; k < x.t.size(); ++k) {
    if (x.t[k] == t) return x.y[k];
    if (k > 0 && (x.t[k] - t) * (x.t[k - 1] - t) < 0)
      return x.y[k - 1] + (x.y[k] - x.y[k - 1]) * (t - x.t[k - 1]) / (x.t[k] - x.t[k - 1]);
  }
  return nowhere;
}

double crossing(const Course& x, double level, long number) {
  long seen = 0;
  for (std::size_t k = 1; k < x.t.size(); ++k) {
    const double a = x.y[k - 1] - level, b = x.y[k] - level;
    const bool passes = (a < 0 && b >= 0) || (a > 0 && b <= 0);
    if (passes && ++seen == number) return x.t[k - 1] + (x.t[k] - x.t[k - 1]) * a / (a - b);
  }
  return nowhere;
}

}  // namespace cardan
