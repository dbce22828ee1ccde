#pragma once
// From data to positions on a plot: the range of an axis, its tick marks and their words.
//
// Linear ticks stand at multiples of 1, 2 or 5 times a power of ten, as many as fit; logarithmic
// ones at decades with minor ticks at 2 to 9, at every k-th decade when there are many, and at
// linear steps within less than a decade.
#include <string>
#include <vector>

#include "cardan/report/svg_plot.h"

namespace cardan {

struct PlotTick {
  double value = 0;
  std::string text;  // empty: minor
  int exponent = 0;  // with power: the text is "10" and this is its superscript
  bool power = false;
};

struct PlotScale {
  double low = 0, high = 1;  // of the data, in data units
  bool log = false;
  double from = 0, to = 1;      // in pixels
  int factor = 0;               // labels are in units of 10^factor
  std::vector<PlotTick> ticks;  // ascending

  bool shows(double value) const;  // finite, and positive on a logarithmic axis
  double pixel(double value) const;
};

// The scale of one axis over all values of a plot; `about` is the number of labelled ticks wanted.
PlotScale make_scale(const PlotAxis&,
                     const std::vector<const std::vector<double>*>& data,
                     int about);
// Ticks again after low or high was changed.
void set_ticks(PlotScale&, int about);

}  // namespace cardan
