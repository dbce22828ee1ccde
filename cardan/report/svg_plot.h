#pragma once
// Plots as SVG text: curves, markers and filled regions on linear or logarithmic axes, with title,
// units and legend. A plot is data; svg() is its only reader. Values that are not finite break a
// curve; values that a logarithmic axis cannot show are counted in a line under the plot, so
// nothing vanishes unsaid.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cardan {

struct PlotAxis {
  std::string label, unit;  // "time", "s"
  bool log = false;
  std::optional<std::array<double, 2>> range;  // nothing: from the data
};

enum class PlotMark { none, dot, ring, square, cross };

struct PlotCurve {
  std::string name;  // legend; empty: none
  std::vector<double> x, y;
  std::string colour;  // empty: next of the palette
  double width = 1.6;  // 0: no line
  bool dashed = false;
  PlotMark mark = PlotMark::none;
  double fill = 0;  // opacity of the region enclosed by the points; 0: not a region
};

struct PlotNote {  // a word at a point of the plot
  double x = 0, y = 0;
  std::string text;
};

struct Plot {
  std::string title, subtitle;
  PlotAxis x, y;
  std::vector<PlotCurve> curves;
  std::vector<PlotNote> notes;
  bool equal_axes = false;    // one unit is as long in x as in y
  bool legend_right = false;  // a column beside the plot instead of lines above it
  int width = 800, height = 450;
};

std::string svg(const Plot&);
std::string svg(std::span<const Plot>);  // one below the other

// The colour of the n-th curve: distinguishable with colour-blind eyes, on paper and on white.
std::string plot_colour(int n);

}  // namespace cardan
