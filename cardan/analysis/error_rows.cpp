#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/analysis/error_estimate.h"

namespace cardan {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double round_off = 5e-13;  // of solved positions, velocities and accelerations

bool estimated(const Channel& c) {
  return c.quantity != "residual" && c.quantity != "step" && c.name != "energy.balance";
}

}  // namespace

ErrorRows::ErrorRows(std::span<const Channel> channels, double factor)
    : channels_(channels.begin(), channels.end()),
      factor_(factor),
      before_(channels.size(), unknown),
      here_(channels.size(), unknown),
      next_(channels.size(), unknown),
      out_(channels.size(), unknown),
      size_(channels.size(), 0.0) {
  for (const Channel& c : channels_) {
    has_error_.push_back(estimated(c) ? 1 : 0);
    largest_.push_back({c.name, c.unit, unknown, 0});
    const auto same = std::find_if(channels_.begin(), channels_.end(), [&](const Channel& other) {
      return other.unit == c.unit;
    });
    kind_.push_back(static_cast<std::size_t>(same - channels_.begin()));
  }
}

std::span<const double> ErrorRows::combine(std::span<const double> after) {
  for (std::size_t k = 0; k < out_.size(); ++k) {
    double e = here_[k];
    for (const double neighbour : {before_[k], after[k]})
      if (neighbour > e) e = neighbour;  // one that is not known changes nothing
    out_[k] = e;
    if (e > largest_[k].largest || (std::isnan(largest_[k].largest) && !std::isnan(e)))
      largest_[k].largest = e, largest_[k].at = t_;
  }
  return out_;
}

std::span<const double> ErrorRows::add(double t,
                                       std::span<const double> row,
                                       std::span<const double> finer) {
  for (std::size_t k = 0; k < row.size(); ++k)
    if (std::isfinite(row[k])) size_[kind_[k]] = std::max(size_[kind_[k]], std::abs(row[k]));
  for (std::size_t k = 0; k < next_.size(); ++k) {
    next_[k] = has_error_[k] == 0 || finer.empty()
                   ? unknown
                   : std::max(factor_ * std::abs(row[k] - finer[k]), round_off * size_[kind_[k]]);
  }
  const std::span<const double> done = rows_ > 0 ? combine(next_) : std::span<const double>();
  before_.swap(here_);
  here_.swap(next_);
  t_ = t;
  ++rows_;
  if (finer.empty()) ++unmatched_;
  return done;
}

std::span<const double> ErrorRows::last() {
  if (rows_ == 0) return {};
  const std::vector<double> nothing(out_.size(), unknown);
  return combine(nothing);
}

ErrorEstimate ErrorRows::summary() const {
  ErrorEstimate out;
  out.rows = rows_;
  out.unmatched = unmatched_;
  for (std::size_t k = 0; k < largest_.size(); ++k)
    if (has_error_[k] != 0) out.channels.push_back(largest_[k]);
  return out;
}

}  // namespace cardan
