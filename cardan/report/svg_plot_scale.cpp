#include "cardan/report/svg_plot_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace cardan {
namespace {

double nice_step(double span, int about) {
  const double raw = span / std::max(about, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0})
    if (raw <= m * power * (1 + 1e-9)) return m * power;
  return 10 * power;
}

void linear_ticks(PlotScale& s, int about) {
  const double step = nice_step(s.high - s.low, about);
  const double largest = std::max(std::abs(s.low), std::abs(s.high));
  const int magnitude = static_cast<int>(std::floor(std::log10(largest)));
  if (magnitude >= 5 || magnitude <= -4) s.factor = magnitude - (((magnitude % 3) + 3) % 3);
  const double unit = std::pow(10.0, s.factor);
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step / unit) + 1e-9)));
  const double slack = 1e-9 * step;
  for (double k = std::ceil((s.low - slack) / step); k * step <= s.high + slack; ++k) {
    const double value = k == 0 ? 0.0 : k * step;
    s.ticks.push_back({value, fmt::format("{:.{}f}", value / unit, digits), 0, false});
  }
}

void log_ticks(PlotScale& s, int about) {
  const int first = static_cast<int>(std::floor(std::log10(s.low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(s.high) - 1e-9));
  const int every = std::max(1, (last - first + about - 1) / std::max(about, 1));
  for (int decade = first; decade <= last; ++decade) {
    for (int m = 1; m <= 9; ++m) {
      const double value = m * std::pow(10.0, decade);
      if (value < s.low * (1 - 1e-9) || value > s.high * (1 + 1e-9)) continue;
      const bool labelled = m == 1 && ((decade % every) + every) % every == 0;
      if (labelled)
        s.ticks.push_back({value, "10", decade, true});
      else if (every == 1 || m == 1)
        s.ticks.push_back({value, "", 0, false});
    }
  }
}

}  // namespace

bool PlotScale::shows(double value) const {
  return std::isfinite(value) && (!log || value > 0);
}

double PlotScale::pixel(double value) const {
  const double part =
      log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + part * (to - from);
}

void set_ticks(PlotScale& s, int about) {
  s.ticks.clear();
  s.factor = 0;
  if (s.log && s.high / s.low > 10)
    log_ticks(s, about);
  else
    linear_ticks(s, about);
}

PlotScale make_scale(const PlotAxis& axis,
                     const std::vector<const std::vector<double>*>& data,
                     int about) {
  PlotScale s;
  s.log = axis.log;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto* values : data)
    for (const double value : *values)
      if (s.shows(value)) low = std::min(low, value), high = std::max(high, value);
  if (axis.range) low = (*axis.range)[0], high = (*axis.range)[1];
  if (!(low <= high) || !s.shows(low)) low = s.log ? 1 : 0, high = s.log ? 10 : 1;
  const double largest = std::max(std::abs(low), std::abs(high));
  if (high - low <= 1e-13 * largest || high == low) {  // a constant, or round-off about one
    const double half = largest > 0 ? 0.05 * largest : 1;
    high = s.log ? high * 2 : high + half;
    low = s.log ? low / 2 : low - half;
  }
  s.low = low;
  s.high = high;
  set_ticks(s, about);
  return s;
}

}  // namespace cardan
