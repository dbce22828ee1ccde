// Straight lines between the points of a table.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "cardan/math/curve.h"

namespace cardan {
namespace {

class LinearTable : public Function {
 public:
  LinearTable(std::vector<double> x, std::vector<double> y, Outside outside)
      : x_(std::move(x)), y_(std::move(y)), outside_(outside), line_(x_.size() - 1) {
    for (std::size_t i = 1; i < line_.size(); ++i) {
      const double before = slope(i - 1), here = slope(i);
      const bool bent =
          std::abs(here - before) > 1e-12 * std::max(std::abs(here), std::abs(before));
      line_[i] = bent ? i : line_[i - 1];
    }
  }

  Jet at(double x) const override {
    if (x >= x_.front() && x <= x_.back()) return inside(x);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (outside_ == Outside::undefined || std::isnan(x)) return {nan, nan, nan};
    if (outside_ == Outside::hold) return {x < x_.front() ? y_.front() : y_.back(), 0, 0};
    if (outside_ == Outside::extend) return inside(x);
    const double period = x_.back() - x_.front();
    return inside(x - std::floor((x - x_.front()) / period) * period);
  }

  bool constant() const override {
    return outside_ != Outside::undefined &&
           std::all_of(y_.begin(), y_.end(), [&](double y) { return y == y_.front(); });
  }

  double third(double) const override { return 0; }

  Stretch over(const Interval& x) const override {
    const Interval whole{x_.front(), x_.back()};
    if (outside_ == Outside::repeat && !(whole.lo <= x.lo && x.hi <= whole.hi)) return repeated(x);
    const bool one_piece = piece(x.lo) == piece(x.hi);
    if (outside_ == Outside::extend)
      return {hull(values(x), Interval::between(at(x.lo).f, at(x.hi).f)), one_piece};
    if (x.hi < whole.lo || x.lo > whole.hi) {
      const double y = x.hi < whole.lo ? y_.front() : y_.back();
      return {{y, y}, one_piece};
    }
    return {values(intersection(x, whole)), one_piece};
  }

  std::uint64_t piece(double x) const override {
    if (outside_ == Outside::repeat) {
      const double period = x_.back() - x_.front(), turn = std::floor((x - x_.front()) / period);
      return piece_within(static_cast<std::uint64_t>(static_cast<std::int64_t>(turn)),
                          line_[segment(x - turn * period)]);
    }
    if (outside_ != Outside::extend && x < x_.front()) return x_.size();
    if (outside_ != Outside::extend && x > x_.back()) return x_.size() + 1;
    return line_[segment(x)];
  }

 private:
  std::size_t segment(double x) const {
    const auto next = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
    return static_cast<std::size_t>(next - x_.begin()) - 1;
  }

  double slope(std::size_t i) const { return (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]); }

  Jet inside(double x) const {
    const std::size_t i = segment(x);
    return {y_[i] + slope(i) * (x - x_[i]), slope(i), 0};
  }

  Interval values(const Interval& x) const {  // within the table
    Interval r = Interval::between(inside(x.lo).f, inside(x.hi).f);
    for (std::size_t i = segment(x.lo) + 1; i < x_.size() && x_[i] < x.hi; ++i)
      r = hull(r, {y_[i], y_[i]});
    return r;
  }

  Stretch repeated(const Interval& x) const {
    const double period = x_.back() - x_.front();
    const double first = std::floor((x.lo - x_.front()) / period),
                 last = std::floor((x.hi - x_.front()) / period);
    const double from = x.lo - first * period, to = x.hi - last * period;
    if (first == last) return {values({from, to}), piece(x.lo) == piece(x.hi)};
    if (last > first + 1) return {values({x_.front(), x_.back()}), false};
    return {hull(values({from, x_.back()}), values({x_.front(), to})), false};
  }

  std::vector<double> x_, y_;
  Outside outside_;
  std::vector<std::size_t> line_;  // of a segment: the first one on the same straight line
};

}  // namespace

std::string fault_in_table(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size()) return fmt::format("{} x values and {} y values", x.size(), y.size());
  if (x.size() < 2) return fmt::format("a table of {} point{}", x.size(), x.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
      return fmt::format("point {} is not finite", i + 1);
  for (std::size_t i = 1; i < x.size(); ++i)
    if (!(x[i - 1] < x[i]))
      return fmt::format(
          "x = {} of point {} does not lie beyond x = {} of point {}", x[i], i + 1, x[i - 1], i);
  return {};
}

FunctionPtr linear_table(std::vector<double> x, std::vector<double> y, Outside outside) {
  const std::string fault = fault_in_table(x, y);
  if (!fault.empty()) throw std::invalid_argument("linear_table: " + fault);
  return std::make_shared<LinearTable>(std::move(x), std::move(y), outside);
}

}  // namespace cardan
