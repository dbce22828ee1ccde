#pragma once
// Plots of channels of runs over time or over another channel: one for each unit, the channels of all runs
// in it.
#include <span>
#include <string>
#include <vector>

#include "cardan/report/svg_plot.h"
#include "cardan/results/display_units.h"
#include "cardan/results/run_reader.h"

namespace cardan {

struct PlotSource {
  const RunReader* run;
  int segment;
  std::string label;  // beside the names of curves, where there are several runs
};

struct RunPlotOptions {
  std::string x;  // a channel; empty: time
  bool log = false, equal = false;
  bool error = false;  // the estimated errors of the channels instead
  DisplayUnits units{};
  int width = 900, height = 420;  // px, of one plot
};

Result<std::vector<Plot>> run_plots(std::span<const PlotSource>,
                                    const std::vector<Channel>&,
                                    const RunPlotOptions&);

}  // namespace cardan
