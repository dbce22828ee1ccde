#pragma once
// A plot for the terminal: curves drawn with the dots of Braille letters (two by four a letter),
// axes beside them.
#include <string>

#include "cardan/report/svg_plot.h"

namespace cardan {

struct TerminalSize {
  int columns = 100, rows = 24;
  bool colour = false;
};

std::string terminal_plot(const Plot&, const TerminalSize&);

}  // namespace cardan
