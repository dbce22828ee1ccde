#include "cardan/report/run_plots.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cardan/results/faults.h"
#include "cardan/results/not_unique.h"

namespace cardan {

namespace {

std::string plotted_unit(std::string unit) {
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (std::size_t at; (at = unit.find(from)) != std::string::npos;)
      unit.replace(at, from.size(), to);
  };
  replace("^2", "²");
  replace("^3", "³");
  replace("*", "·");
  return unit;
}

const Channel* channel_of(const PlotSource& source, const std::string& name) {
  for (const Channel& c : source.run->segments()[static_cast<std::size_t>(source.segment)].channels)
    if (c.name == name) return &c;
  return nullptr;
}

Result<std::vector<double>> values_of(const PlotSource& source,
                                      const std::string& name,
                                      std::vector<double>* time,
                                      bool error = false) {
  const auto& channels = source.run->segments()[static_cast<std::size_t>(source.segment)].channels;
  const auto selected = select_channels(channels, std::span(&name, 1));
  if (!selected) return selected.why();
  if (error) {
    if (!source.run->has_estimate(source.segment))
      return not_a_run(source.label,
                       "the run has no error estimate; see cardan run --error-estimate");
    auto estimates = source.run->estimates(source.segment, std::span(selected.value()).first(1));
    if (!estimates) return estimates.why();
    const auto times = source.run->read(source.segment, {});
    if (!times) return times.why();
    if (time != nullptr) *time = times.value().t;
    return std::move(estimates.value().front());
  }
  auto columns = source.run->read(source.segment, std::span(selected.value()).first(1));
  if (!columns) return columns.why();
  if (time != nullptr) *time = std::move(columns.value().t);
  return std::move(columns.value().values.front());
}

void scale(std::vector<double>& values, double factor) {
  if (factor != 1)
    for (double& x : values) x *= factor;
}

}  // namespace

Result<std::vector<Plot>> run_plots(std::span<const PlotSource> sources,
                                    const std::vector<Channel>& channels,
                                    const RunPlotOptions& options) {
  std::vector<Plot> plots;
  std::vector<std::string> units;
  for (const Channel& channel : channels) {
    std::size_t k = static_cast<std::size_t>(std::find(units.begin(), units.end(), channel.unit) -
                                             units.begin());
    if (k == units.size()) {
      units.push_back(channel.unit);
      Plot plot;
      plot.width = options.width, plot.height = options.height;
      plot.x = {"time", "s", false, {}};
      if (!options.x.empty()) {
        const Channel* x = channel_of(sources.front(), options.x);
        plot.x = {
            options.x, x == nullptr ? "" : plotted_unit(options.units.of(x->unit).unit), false, {}};
        plot.equal_axes = options.equal || (x != nullptr && x->unit == channel.unit);
      }
      plot.y = {options.error ? "estimated error of " + channel.quantity : channel.quantity,
                plotted_unit(options.units.of(channel.unit).unit),
                options.log || options.error,
                {}};
      plots.push_back(std::move(plot));
    }
    for (std::size_t r = 0; r < sources.size(); ++r) {
      if (channel_of(sources[r], channel.name) == nullptr) continue;
      PlotCurve curve;
      auto y = values_of(sources[r], channel.name, &curve.x, options.error);
      if (!y) return y.why();
      curve.y = std::move(y).value();
      scale(curve.y, options.units.of(channel.unit).factor);
      if (!options.x.empty()) {
        auto x = values_of(sources[r], options.x, nullptr);
        if (!x) return x.why();
        curve.x = std::move(x).value();
        if (const Channel* of = channel_of(sources[r], options.x))
          scale(curve.x, options.units.of(of->unit).factor);
      }
      const bool open =
          not_unique_channels(*sources[r].run, sources[r].segment).count(channel.name) > 0;
      curve.name = sources.size() > 1 ? channel.name + " (" + sources[r].label + ")" : channel.name;
      if (open) curve.name += " (not unique)";
      curve.dashed = r > 0;
      plots[k].curves.push_back(std::move(curve));
    }
  }
  return plots;
}

}  // namespace cardan
