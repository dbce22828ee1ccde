#include "cardan/study/row_functions.h"

#include <cmath>
#include <limits>

#include "cardan/math/root_finding.h"

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

// The course in the interval before row k: the line through both ends, bent by the parabolas of its
// ends, y = line + (t - t0)(t - t1) c, with c from that of the first to that of the second end. Where
// only one is smooth it has that one, and where none is it is the line.
template <class Y> struct Between {
  double t0, t1;
  Y y0, slope, c0 = 0, c1 = 0;

  Between(const CourseOf<Y>& x, std::size_t k)
      : t0(x.t[k - 1]), t1(x.t[k]), y0(x.y[k - 1]), slope((x.y[k] - x.y[k - 1]) / (t1 - t0)) {
    const bool first = smooth(x, k - 1), second = smooth(x, k);
    if (first) c0 = c1 = Parabola<Y>(x, k - 1).c;
    if (second) c1 = Parabola<Y>(x, k).c;
    if (!first) c0 = c1;
    if (!first || !second) return;
    // A jump beside this interval, in an interval that is much shorter, would bend it beyond measure:
    // what one side says alone counts where it is little beside the motion here.
    const Y little = size(slope) / (2 * (t1 - t0));
    const Y of_first = most_alone * size(c0) + little, of_second = most_alone * size(c1) + little;
    limit(c0, of_second);
    limit(c1, of_first);
  }

  Y at(double t) const {
    const double s = (t - t0) / (t1 - t0);
    return y0 + (t - t0) * slope + (t - t0) * (t - t1) * ((1 - s) * c0 + s * c1);
  }

  double rate(double t) const {
    const double h = t1 - t0, s = (t - t0) / h;
    return plain(slope) + (2 * t - t0 - t1) * plain((1 - s) * c0 + s * c1) +
           (t - t0) * (t - t1) * plain(c1 - c0) / h;
  }

  // When it passes a level, above which its ends lie by these.
  double passes(double level, double first, double second) const {
    const auto above = [this, level](double t) {
      return plain(at(t)) - level;
    };
    return find_root(above, t0, first, t1, second).after;
  }

  Y integral() const {
    const double h = t1 - t0;
    return h * (y0 + slope * (h / 2)) - (c0 + c1) * (h * h * h / 12);
  }

 private:
  static constexpr double most_alone = 4;  // times what the other side says

  static Y size(const Y& y) { return plain(y) < 0 ? -y : y; }

  static void limit(Y& c, const Y& most) {
    if (std::abs(plain(c)) > plain(most)) c = plain(c) < 0 ? -most : most;
  }
};

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
  for (std::size_t k = 1; k < x.t.size(); ++k)
    if (x.t[k - 1] != x.t[k]) sum += Between<Y>(x, k).integral();
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
    if (k > 0 && (x.t[k] - t) * (x.t[k - 1] - t) < 0) return Between<Y>(x, k).at(t);
  }
  return nowhere;
}

template <class Y> Y crossing(const CourseOf<Y>& x, double level, long number) {
  long seen = 0;
  for (std::size_t k = 1; k < x.t.size(); ++k) {
    const double from = plain(x.y[k - 1]) - level, to = plain(x.y[k]) - level;
    const bool passes = (from < 0 && to >= 0) || (from > 0 && to <= 0);
    if (!passes || ++seen != number) continue;
    if (x.t[k - 1] == x.t[k]) return x.t[k];  // in a jump
    const Between<Y> here(x, k);
    const double t = here.passes(level, from, to), rate = here.rate(t);
    return rate != 0 ? t - (here.at(t) - level) / rate : Y(t);
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
