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
      : x_(std::move(x)), y_(std::move(y)), outside_(outside) {}

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

 private:
  Jet inside(double x) const {
    const auto next = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
    const auto i = static_cast<std::size_t>(next - x_.begin()) - 1;
    const double slope = (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]);
    return {y_[i] + slope * (x - x_[i]), slope, 0};
  }

  std::vector<double> x_, y_;
  Outside outside_;
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
