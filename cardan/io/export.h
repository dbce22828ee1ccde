#pragma once
// The samples of a run for other programs. Numbers are written so that they read back to the same
// bits.
#include <iosfwd>
#include <string>
#include <vector>

#include "cardan/results/run_reader.h"

namespace cardan {

struct ExportOptions {
  std::vector<std::string> channels;  // names or patterns with * and ?; none: all
  bool errors = false;     // csv: after every channel "name error [unit]", where it is estimated
  bool raw_names = false;  // csv: also names that a spreadsheet would take for a formula
};

// One line per sample: "t [s]" and then the channels as "name [unit]". A run of several analyses
// has their number as its first column; a channel that an analysis does not have is an empty cell.
// Quoted as RFC 4180 says.
Sink::Fault export_csv(const RunReader&, const ExportOptions&, std::ostream&);

// {"manifest": {}, "analyses": [{"channels": [{"name", "unit", "element", "quantity"}], "t": [],
// "values": [[]]}], "events": [], "diagnostics": []}; "values" has one list per channel. What is
// not finite is null.
Sink::Fault export_json(const RunReader&, const ExportOptions&, std::ostream&);

// A MATLAB file of level 5: t, values, names, units; with _1, _2 behind them for several analyses.
Sink::Fault export_mat(const RunReader&, const ExportOptions&, std::ostream&);

// A workbook with one sheet an analysis.
Sink::Fault export_xlsx(const RunReader&, const ExportOptions&, std::ostream&);

}  // namespace cardan
