#pragma once
// A spline as a function of one variable, with what it is outside of its points. A spline has first(),
// last(), at(x) with three derivatives, and over(interval).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cardan/math/curve.h"

namespace cardan {

template <class Spline> class SplineFunction : public Function {
 public:
  SplineFunction(Spline spline, Outside outside, bool constant)
      : spline_(std::move(spline)), outside_(outside), constant_(constant) {
    const auto first = spline_.at(spline_.first()), last = spline_.at(spline_.last());
    const double period = spline_.last() - spline_.first();
    const double size = std::max({std::abs(first[0]),
                                  std::abs(last[0]),
                                  std::abs(first[1] * period),
                                  std::abs(last[1] * period)});
    goes_round_ = std::abs(first[0] - last[0]) <= 1e-9 * size &&
                  std::abs(first[1] - last[1]) * period <= 1e-9 * size;
  }

  Jet at(double x) const override {
    const auto s = derivatives(x);
    return {s[0], s[1], s[2]};
  }

  bool constant() const override { return constant_; }

  double third(double x) const override { return derivatives(x)[3]; }

  Stretch over(const Interval& x) const override {
    const Interval whole{spline_.first(), spline_.last()};
    if (outside_ == Outside::repeat && !(whole.lo <= x.lo && x.hi <= whole.hi)) return repeated(x);
    Stretch s =
        spline_.over({std::clamp(x.lo, whole.lo, whole.hi), std::clamp(x.hi, whole.lo, whole.hi)});
    if (outside_ == Outside::extend)
      s.values = hull(s.values, Interval::between(at(x.lo).f, at(x.hi).f));
    s.one_piece = piece(x.lo) == piece(x.hi);
    return s;
  }

  std::uint64_t piece(double x) const override {
    if (outside_ == Outside::extend) return 0;
    const double first = spline_.first(), last = spline_.last();
    if (outside_ != Outside::repeat) return x < first ? 1 : x > last ? 2 : 0;
    if (goes_round_) return 0;
    return static_cast<std::uint64_t>(
        static_cast<std::int64_t>(std::floor((x - first) / (last - first))));
  }

 private:
  std::array<double, 4> derivatives(double x) const {
    const double first = spline_.first(), last = spline_.last();
    if (x >= first && x <= last) return spline_.at(x);
    if (outside_ == Outside::undefined || !std::isfinite(x)) {
      constexpr double nan = std::numeric_limits<double>::quiet_NaN();
      return {nan, nan, nan, nan};
    }
    if (outside_ == Outside::repeat)
      return spline_.at(x - std::floor((x - first) / (last - first)) * (last - first));
    const double end = x < first ? first : last;
    const auto s = spline_.at(end);
    if (outside_ == Outside::hold) return {s[0], 0, 0, 0};
    return {s[0] + s[1] * (x - end), s[1], 0, 0};
  }

  Stretch repeated(const Interval& x) const {
    const Interval whole{spline_.first(), spline_.last()};
    const double first = std::floor((x.lo - whole.lo) / whole.width()),
                 last = std::floor((x.hi - whole.lo) / whole.width());
    const double from = x.lo - first * whole.width(), to = x.hi - last * whole.width();
    Stretch s;
    if (first == last) {
      s = spline_.over({from, to});
    } else if (last > first + 1) {
      s = spline_.over(whole);
    } else {
      s = spline_.over({from, whole.hi});
      const Stretch end = spline_.over({whole.lo, to});
      s.values = hull(s.values, end.values);
      s.detail = std::min(s.detail, end.detail);
    }
    s.one_piece = goes_round_ || first == last;
    return s;
  }

  Spline spline_;
  Outside outside_;
  bool constant_;
  bool goes_round_ = false;  // value and slope at the ends are the same
};

}  // namespace cardan
