// Polynomials, harmonics, and repetition of a curve.
#include "cardan/math/curve.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "cardan/math/elementary.h"

namespace cardan {
namespace {

class Polynomial : public Function {
 public:
  explicit Polynomial(std::vector<double> c) : c_(std::move(c)) {}

  Jet at(double x) const override {
    Jet j;
    for (auto c = c_.rbegin(); c != c_.rend(); ++c) {  // Horner's scheme and its derivatives
      j.dd = j.dd * x + 2 * j.d;
      j.d = j.d * x + j.f;
      j.f = j.f * x + *c;
    }
    return j;
  }

  bool constant() const override {
    return c_.size() < 2 || std::all_of(c_.begin() + 1, c_.end(), [](double c) { return c == 0; });
  }

  double third(double x) const override {
    double sum = 0;
    for (std::size_t n = c_.size(); n-- > 3;) {
      const auto k = static_cast<double>(n);
      sum = sum * x + c_[n] * k * (k - 1) * (k - 2);
    }
    return sum;
  }

  Stretch over(const Interval& x) const override {
    Interval sum;
    for (auto c = c_.rbegin(); c != c_.rend(); ++c) sum = sum * x + Interval{*c, *c};
    return {sum};
  }

 private:
  std::vector<double> c_;
};

class Harmonic : public Function {
 public:
  Harmonic(double amplitude, double frequency, double phase, double offset)
      : amplitude_(amplitude), frequency_(frequency), phase_(phase), offset_(offset) {}

  Jet at(double x) const override {
    const double angle = frequency_ * x + phase_;
    const double wave = amplitude_ * elementary::sin(angle);
    return {offset_ + wave,
            amplitude_ * frequency_ * elementary::cos(angle),
            -frequency_ * frequency_ * wave};
  }

  bool constant() const override { return amplitude_ == 0 || frequency_ == 0; }

  double third(double x) const override { return -frequency_ * frequency_ * at(x).d; }

  Stretch over(const Interval& x) const override {
    const Interval angle = Interval{frequency_, frequency_} * x + Interval{phase_, phase_};
    return {Interval{offset_, offset_} + Interval{amplitude_, amplitude_} * sine(angle)};
  }

 private:
  double amplitude_, frequency_, phase_, offset_;
};

class Repeated : public Function {
 public:
  Repeated(FunctionPtr f, double x0, double period, double gain)
      : f_(std::move(f)), x0_(x0), period_(period), gain_(gain) {}

  Jet at(double x) const override {
    const double turns = std::floor((x - x0_) / period_);
    Jet j = f_->at(x - turns * period_);
    j.f += turns * gain_;
    return j;
  }

  bool constant() const override { return gain_ == 0 && f_->constant(); }

  double third(double x) const override {
    return f_->third(x - std::floor((x - x0_) / period_) * period_);
  }

  Stretch over(const Interval& x) const override {
    const double first = std::floor((x.lo - x0_) / period_),
                 last = std::floor((x.hi - x0_) / period_);
    const auto piece = [&](double turns, double from, double to) {
      Stretch s = f_->over({from - turns * period_, to - turns * period_});
      s.values = s.values + Interval{turns * gain_, turns * gain_};
      return s;
    };
    if (first == last) return piece(first, x.lo, x.hi);
    Stretch all = piece(first, x.lo, x0_ + (first + 1) * period_);
    const Stretch end = piece(last, x0_ + last * period_, x.hi);
    all.values = hull(all.values, end.values);
    if (last > first + 1) {
      const Stretch whole = f_->over({x0_, x0_ + period_});
      all.values = hull(all.values,
                        whole.values + Interval::between((first + 1) * gain_, (last - 1) * gain_));
      all.detail = std::min(all.detail, whole.detail);
    }
    all.detail = std::min(all.detail, end.detail);
    all.one_piece = false;
    return all;
  }

  std::uint64_t piece(double x) const override {
    const double turns = std::floor((x - x0_) / period_);
    return piece_within(static_cast<std::uint64_t>(static_cast<std::int64_t>(turns)),
                        f_->piece(x - turns * period_));
  }

 private:
  FunctionPtr f_;
  double x0_, period_, gain_;
};

bool all_finite(const std::vector<double>& numbers) {
  for (const double x : numbers)
    if (!std::isfinite(x)) return false;
  return true;
}

}  // namespace

FunctionPtr constant_curve(double value) {
  return polynomial({value});
}

FunctionPtr polynomial(std::vector<double> coefficients) {
  if (!all_finite(coefficients))
    throw std::invalid_argument("polynomial: coefficients must be finite");
  return std::make_shared<Polynomial>(std::move(coefficients));
}

FunctionPtr harmonic(double amplitude, double frequency, double phase, double offset) {
  if (!all_finite({amplitude, frequency, phase, offset}))
    throw std::invalid_argument("harmonic: numbers must be finite");
  return std::make_shared<Harmonic>(amplitude, frequency, phase, offset);
}

FunctionPtr repeated(FunctionPtr f, double x0, double period, double gain) {
  if (!f || !std::isfinite(x0) || !std::isfinite(gain) || !(period > 0) || !std::isfinite(period))
    throw std::invalid_argument("repeated: needs a function and a positive period");
  return std::make_shared<Repeated>(std::move(f), x0, period, gain);
}

}  // namespace cardan
