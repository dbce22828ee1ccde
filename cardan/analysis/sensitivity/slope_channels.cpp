#include "cardan/analysis/sensitivity/slope_channels.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr std::array<double, 4> offsets{-2, -1, 1, 2};
constexpr std::array<double, 4> difference_weights{1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

bool has_slope(const Channel& channel, bool integrals) {
  if (channel.quantity == "residual" || channel.quantity == "step") return false;
  if (integrals) return true;
  if (channel.quantity == "state") return false;
  return channel.quantity != "energy" || channel.name == "energy.kinetic" ||
         channel.name == "energy.potential";
}

std::string quotient(const std::string& unit, const std::string& by) {
  if (by.empty()) return unit;
  const bool product = by.find_first_of("*/^") != std::string::npos;
  return fmt::format("{}/{}", unit.empty() ? "1" : unit, product ? "(" + by + ")" : by);
}

}  // namespace

SlopeChannels::SlopeChannels(const System& system,
                             const ParameterSteps& steps,
                             const Setting& setting)
    : system_(system),
      steps_(steps),
      here_(system, setting.patterns, setting.redundant, setting.extent),
      row_(here_.channels().size()) {
  for (std::size_t k = 0; k < here_.channels().size(); ++k)
    if (has_slope(here_.channels()[k], setting.integrals)) kept_.push_back(k);
  for (const ParameterStep& step : steps) {
    auto& recorders = varied_.emplace_back();
    for (const auto& varied : step.systems)
      recorders.push_back(
          std::make_unique<Recorder>(*varied, setting.patterns, setting.redundant, setting.extent));
    for (const std::size_t k : kept_) {
      Channel channel = here_.channels()[k];
      channel.name = fmt::format("d({})/d({})", channel.name, step.parameter.name);
      channel.unit = quotient(channel.unit, step.unit);
      channel.quantity = "sensitivity";
      channels_.push_back(std::move(channel));
      origins_.push_back({here_.channels()[k].name, size_of(step)});
    }
  }
}

void SlopeChannels::record(const State& state, const std::vector<StateSlope>& slopes, View out) {
  std::fill(out.begin(), out.end(), 0.0);
  const auto add = [&](std::size_t p, double factor) {
    for (std::size_t k = 0; k < kept_.size(); ++k)
      out[p * kept_.size() + k] += factor * row_[kept_[k]];
  };
  for (std::size_t p = 0; p < steps_.size(); ++p) {
    for (std::size_t k = 0; k < varied_[p].size(); ++k) {
      varied_[p][k]->record(state, {}, row_);
      add(p, steps_[p].weights[k]);
    }
    const double epsilon = small_move(system_, state, slopes[p]);
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      move_along(system_, state, slopes[p], epsilon * offsets[k], moved_);
      here_.record(moved_, {}, row_);
      add(p, difference_weights[k] / epsilon);
    }
  }
}

}  // namespace cardan
