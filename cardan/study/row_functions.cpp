#include "cardan/study/row_functions.h"

#include <cmath>
#include <limits>

#include "cardan/math/root_finding.h"

namespace cardan {

namespace {

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
constexpr double round_off = 1e-9;            // of an interval, of a difference
constexpr double round_off_of_times = 1e-14;  // of the end of a run

// Whether rows k - 1, k, k + 1 are there with no jump between them.
template <class Y> bool smooth(const CourseOf<Y>& x, std::size_t k) {
  if (k == 0 || k + 1 >= x.t.size()) return false;
  return x.t[k - 1] != x.t[k] && x.t[k] != x.t[k + 1];
}

template <class Y> Y size(const Y& y) {
  return plain(y) < 0 ? -y : y;
}

template <class Y> Y smaller(const Y& a, const Y& b) {
  return plain(a) < plain(b) ? a : b;
}

template <class Y> void limit(Y& y, const Y& most) {
  if (std::abs(plain(y)) > plain(most)) y = plain(y) < 0 ? -most : most;
}

// Half the second derivative of the parabola through a smooth row and its neighbours.
template <class Y> Y bend(const CourseOf<Y>& x, std::size_t k) {
  const double before = x.t[k] - x.t[k - 1], after = x.t[k + 1] - x.t[k];
  return ((x.y[k + 1] - x.y[k]) / after - (x.y[k] - x.y[k - 1]) / before) / (before + after);
}

// The slope at a smooth row: of the polynomial of degree 4 through two rows on each side, where all five
// are smooth, otherwise of the parabola. What the wider one adds is no more than
// the bend, or its change, on both sides: a jump that it reaches on one side adds nothing.
template <class Y> Y slope_at(const CourseOf<Y>& x, std::size_t k) {
  const double before = x.t[k] - x.t[k - 1], after = x.t[k + 1] - x.t[k];
  const Y s0 = (x.y[k] - x.y[k - 1]) / before, s1 = (x.y[k + 1] - x.y[k]) / after;
  const Y narrow = (s0 * after + s1 * before) / (before + after);
  if (k < 2 || !smooth(x, k - 1) || !smooth(x, k + 1)) return narrow;
  // Newton's form through k - 1, k, k + 1, k - 2, k + 2; only its last two terms are new.
  const double far = x.t[k] - x.t[k - 2];
  const Y left = bend(x, k - 1), middle = bend(x, k), right = bend(x, k + 1);
  const Y third = (middle - left) / (x.t[k + 1] - x.t[k - 2]);
  const Y next = (right - middle) / (x.t[k + 2] - x.t[k - 1]);
  const Y fourth = (next - third) / (x.t[k + 2] - x.t[k - 2]);
  Y more = -before * after * (third + fourth * far);
  const Y by_bend = smaller(size(left), size(right));
  const Y by_change = smaller(size(middle - left), size(right - middle));
  limit(more, (plain(by_bend) > plain(by_change) ? by_bend : by_change) * ((before + after) / 2));
  return narrow + more;
}

// The course in the interval before row k: the cubic with the values and slopes of its ends,
//   y = y0 + slope (t - t0) + (t - t0)(t - t1) ((1 - s) c0 + s c1),   s = (t - t0)/h
//   c0 = (slope - y'(t0))/h,   c1 = (y'(t1) - slope)/h
// Where only one end is smooth both have its c, and where none is it is the line.
template <class Y> struct Between {
  double t0, t1, h;
  Y y0, slope, c0 = 0, c1 = 0;

  Between(const CourseOf<Y>& x, std::size_t k)
      : t0(x.t[k - 1]), t1(x.t[k]), h(t1 - t0), y0(x.y[k - 1]), slope((x.y[k] - x.y[k - 1]) / h) {
    const bool first = smooth(x, k - 1), second = smooth(x, k);
    if (first) c0 = c1 = (slope - slope_at(x, k - 1)) / h;
    if (second) c1 = (slope_at(x, k) - slope) / h;
    if (!first) c0 = c1;
    if (!first || !second) return;
    // A jump beside this interval, in an interval that is much shorter, would bend it beyond measure:
    // what one side says alone counts where it is little beside the motion here.
    const Y little = size(slope) / (2 * h);
    const Y of_first = most_alone * size(c0) + little, of_second = most_alone * size(c1) + little;
    limit(c0, of_second);
    limit(c1, of_first);
  }

  Y at(double t) const {
    const double s = (t - t0) / h;
    return y0 + (t - t0) * slope + (t - t0) * (t - t1) * ((1 - s) * c0 + s * c1);
  }

  Y rate(double t) const {
    const double s = (t - t0) / h;
    return slope + (2 * t - t0 - t1) * ((1 - s) * c0 + s * c1) + (t - t0) * (s - 1) * (c1 - c0);
  }

  // When it passes a level, above which its ends lie by these.
  double passes(double level, double first, double second) const {
    const auto above = [this, level](double t) {
      return plain(at(t)) - level;
    };
    return find_root(above, t0, first, t1, second).after;
  }

  // The time of its largest value (sign 1) or least (-1) between its ends; NaN: it has none there.
  // y' = slope + h ((3 s^2 - 2 s)(c1 - c0) + (2 s - 1) c0)
  double turns(double sign) const {
    const double a = 3 * h * plain(c1 - c0), b = 2 * h * plain(c0) - 2 * h * plain(c1 - c0);
    const double c = plain(slope) - h * plain(c0), under = b * b - 4 * a * c;
    if (!(under >= 0)) return nowhere;
    const double q = -(b + (b < 0 ? -1 : 1) * std::sqrt(under)) / 2;
    for (const double s : {q / a, c / q})
      if (s > -round_off && s < 1 + round_off && sign * (2 * a * s + b) < 0) return t0 + s * h;
    return nowhere;
  }

  double curvature(double t) const {  // y''
    const double s = (t - t0) / h;
    return 2 * plain((1 - s) * c0 + s * c1) + 2 * (2 * s - 1) * plain(c1 - c0);
  }

  Y integral() const { return h * (y0 + slope * (h / 2)) - (c0 + c1) * (h * h * h / 12); }

 private:
  static constexpr double most_alone = 4;  // times what the other side says
};

// Of the rows and of the cubics beside a row that lies above its neighbours.
template <class Y> ExtremeOf<Y> highest(const CourseOf<Y>& x, double sign) {
  ExtremeOf<Y> out{nowhere, nowhere};
  for (std::size_t k = 0; k < x.t.size(); ++k) {
    const double y = sign * plain(x.y[k]);
    if (std::isnan(y)) return {nowhere, nowhere};
    ExtremeOf<Y> here{x.y[k], x.t[k]};
    const double before = smooth(x, k) ? y - sign * plain(x.y[k - 1]) : -1;
    const double after = smooth(x, k) ? y - sign * plain(x.y[k + 1]) : -1;
    const double below = std::max(before, after);
    for (std::size_t i = k; i <= k + 1 && before >= 0 && after >= 0; ++i) {
      const Between<Y> cubic(x, i);
      const double t = cubic.turns(sign);
      if (std::isnan(t)) continue;
      const Y value = cubic.at(t);
      const double above = sign * (plain(value) - plain(here.value));
      if (above >= -round_off * below) here = {value, t - cubic.rate(t) / cubic.curvature(t)};
    }
    if (!(sign * plain(here.value) <= sign * plain(out.value))) out = here;
  }
  return out;
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
  // 3*0.1 s is the end of a run until 0.3 s.
  if (const double end = x.t.empty() ? 0 : x.t.back(), off = t - end;
      off > 0 && off <= round_off_of_times * std::abs(end))
    return x.y.back();
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
    const double t = here.passes(level, from, to), rate = plain(here.rate(t));
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
