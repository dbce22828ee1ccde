#include "cardan/study/row_functions.h"

#include <cmath>
#include <limits>

namespace cardan {

namespace {

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

// Parabola y = y1 + b (t - t1) + c (t - t1)^2 through three rows.
template <class Y> struct Parabola {
  double t1;
  Y y1, b, c;

  Parabola(const CourseOf<Y>& x, std::size_t k) : t1(x.t[k]), y1(x.y[k]) {
    const double h0 = x.t[k - 1] - t1, h2 = x.t[k + 1] - t1;
    const Y s0 = (x.y[k - 1] - y1) / h0, s2 = (x.y[k + 1] - y1) / h2;
    c = (s2 - s0) / (h2 - h0);
    b = s2 - c * h2;
  }

  Y integral(double from, double to) const { return whole(to - t1) - whole(from - t1); }

 private:
  Y whole(double h) const { return h * (y1 + h * (b / 2 + h * c / 3)); }
};

// Whether rows k - 1, k, k + 1 are there with no jump between them.
template <class Y> bool smooth(const CourseOf<Y>& x, std::size_t k) {
  if (k == 0 || k + 1 >= x.t.size()) return false;
  return x.t[k - 1] != x.t[k] && x.t[k] != x.t[k + 1];
}

template <class Y> ExtremeOf<Y> highest(const CourseOf<Y>& x, double sign) {
  ExtremeOf<Y> out{nowhere, nowhere};
  for (std::size_t k = 0; k < x.t.size(); ++k) {
    const Y y = sign * x.y[k];
    ExtremeOf<Y> here{y, x.t[k]};
    if (smooth(x, k) && plain(y) >= sign * plain(x.y[k - 1]) &&
        plain(y) >= sign * plain(x.y[k + 1])) {
      const Parabola<Y> p(x, k);
      const Y h = -p.b / (2 * p.c);
      const double t = x.t[k] + plain(h);
      if (sign * plain(p.c) < 0 && t > x.t[k - 1] && t < x.t[k + 1])
        here = {sign * (p.y1 + h * p.b / 2), x.t[k] + h};
    }
    if (std::isnan(plain(here.value))) return {nowhere, nowhere};
    if (!(plain(here.value) <= plain(out.value))) out = here;
  }
  return {sign * out.value, out.t};
}

template <class Y> double duration(const CourseOf<Y>& x) {
  return x.t.empty() ? 0 : x.t.back() - x.t.front();
}

}  // namespace

template <class Y> ExtremeOf<Y> largest(const CourseOf<Y>& x) {
  return highest(x, 1);
}

template <class Y> ExtremeOf<Y> smallest(const CourseOf<Y>& x) {
  return highest(x, -1);
}

template <class Y> Y integral(const CourseOf<Y>& x) {
  Y sum = 0;
  for (std::size_t k = 1; k < x.t.size(); ++k) {
    const double from = x.t[k - 1], to = x.t[k];
    if (from == to) continue;
    const bool before = smooth(x, k - 1), after = smooth(x, k);
    if (before && after)
      sum += (Parabola<Y>(x, k - 1).integral(from, to) + Parabola<Y>(x, k).integral(from, to)) / 2;
    else if (before || after)
      sum += Parabola<Y>(x, before ? k - 1 : k).integral(from, to);
    else
      sum += (to - from) * (x.y[k - 1] + x.y[k]) / 2;
  }
  return sum;
}

template <class Y> Y mean(const CourseOf<Y>& x) {
  if (duration(x) == 0) return x.y.empty() ? Y(nowhere) : x.y.back();
  return integral(x) / duration(x);
}

template <class Y> Y root_mean_square(const CourseOf<Y>& x) {
  CourseOf<Y> square = x;
  for (Y& y : square.y) y = y * y;
  return root(mean(square));
}

template <class Y> Y value_at(const CourseOf<Y>& x, double t) {
  for (std::size_t k = 0; k < x.t.size(); ++k) {
    if (x.t[k] == t) return x.y[k];
    if (k > 0 && (x.t[k] - t) * (x.t[k - 1] - t) < 0)
      return x.y[k - 1] + (x.y[k] - x.y[k - 1]) * (t - x.t[k - 1]) / (x.t[k] - x.t[k - 1]);
  }
  return nowhere;
}

template <class Y> Y crossing(const CourseOf<Y>& x, double level, long number) {
  long seen = 0;
  for (std::size_t k = 1; k < x.t.size(); ++k) {
    const Y a = x.y[k - 1] - level, b = x.y[k] - level;
    const double from = plain(a), to = plain(b);
    const bool passes = (from < 0 && to >= 0) || (from > 0 && to <= 0);
    if (passes && ++seen == number) return x.t[k - 1] + (x.t[k] - x.t[k - 1]) * a / (a - b);
  }
  return nowhere;
}

template ExtremeOf<double> largest(const Course&);
template ExtremeOf<double> smallest(const Course&);
template double integral(const Course&);
template double mean(const Course&);
template double root_mean_square(const Course&);
template double value_at(const Course&, double);
template double crossing(const Course&, double, long);
template ExtremeOf<Sloped> largest(const SlopedCourse&);
template ExtremeOf<Sloped> smallest(const SlopedCourse&);
template Sloped integral(const SlopedCourse&);
template Sloped mean(const SlopedCourse&);
template Sloped root_mean_square(const SlopedCourse&);
template Sloped value_at(const SlopedCourse&, double);
template Sloped crossing(const SlopedCourse&, double, long);

}  // namespace cardan
