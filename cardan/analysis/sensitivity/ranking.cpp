#include "cardan/analysis/sensitivity/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr double round_off_range = 1e-6;  // of the widest range of a channel of the same unit

}  // namespace

Sink::Fault Ranking::open(std::span<const Channel> channels) {
  channels_.assign(channels.begin(), channels.end());
  pairs_.clear();
  least_.assign(channels.size(), std::numeric_limits<double>::infinity());
  most_.assign(channels.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t s = 0; s < channels.size(); ++s) {
    if (channels[s].quantity != "sensitivity") continue;
    for (std::size_t c = 0; c < channels.size(); ++c)
      for (std::size_t p = 0; p < parameters_.size(); ++p)
        if (channels[s].name == fmt::format("d({})/d({})", channels[c].name, parameters_[p].name))
          pairs_.push_back({c, s, p});
  }
  return {};
}

Sink::Fault Ranking::sample(double t, std::span<const double> row) {
  for (std::size_t k = 0; k < row.size(); ++k) {
    least_[k] = std::min(least_[k], row[k]);
    most_[k] = std::max(most_[k], row[k]);
  }
  for (Pair& pair : pairs_)
    if (std::abs(row[pair.slope]) > std::abs(pair.largest)) {
      pair.largest = row[pair.slope];
      pair.at = t;
    }
  return {};
}

std::string Ranking::quantity(const std::string& channel) const {
  for (const Channel& c : channels_)
    if (c.name == channel) return c.quantity;
  return "";
}

std::vector<ParameterEffect> Ranking::effects() const {
  std::map<std::string, double> widest;  // range of the channels of each unit
  for (const Pair& pair : pairs_) {
    double& most = widest[channels_[pair.channel].unit];
    most = std::max(most, most_[pair.channel] - least_[pair.channel]);
  }
  std::vector<ParameterEffect> list;
  for (const Pair& pair : pairs_) {
    const double size = std::max(std::abs(least_[pair.channel]), std::abs(most_[pair.channel]));
    double range = most_[pair.channel] - least_[pair.channel];
    if (!(range > 1e-9 * size)) range = size;
    // What hardly moves beside the others of its unit is round-off, and so is its derivative.
    range = std::max(range, round_off_range * widest[channels_[pair.channel].unit]);
    const double p = parameters_[pair.parameter].value;
    const double change = std::abs((p != 0 ? p : 1) * pair.largest);
    const double effect = change == 0 ? 0 : change / range;
    list.push_back({parameters_[pair.parameter].name,
                    channels_[pair.channel].name,
                    effect,
                    pair.largest,
                    pair.at});
  }
  std::stable_sort(
      list.begin(), list.end(), [](const auto& a, const auto& b) { return a.effect > b.effect; });
  return list;
}

}  // namespace cardan
