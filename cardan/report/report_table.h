#pragma once
// Channels of a run as tables: their extremes with the times, or their values at chosen times. Text
// with aligned columns, comma-separated values, or Markdown. Every number is a sample of the store;
// where the run has an estimate of its error, only the digits that are right are written.
#include <string>
#include <vector>

#include "cardan/results/display_units.h"
#include "cardan/results/run_reader.h"

namespace cardan {

enum class TableFormat { text, csv, markdown };

struct TableOptions {
  TableFormat format = TableFormat::text;
  std::vector<double> times;  // rows nearest to these; empty: a line of extremes per channel
  int rows = 0;               // or so many rows, evenly spread
  int digits = 7;             // significant; csv: all that are needed to read the same number back
  bool trusted = true;        // only digits that the error estimate of the run confirms
  DisplayUnits units{};       // instead of SI
};

Result<std::string> channel_table(const RunReader&,
                                  int segment,
                                  const std::vector<int>& channels,
                                  const TableOptions&);

// The same as cells, the heads first, for who sets them himself.
struct TableCells {
  std::vector<std::vector<std::string>> lines;
  std::vector<char> numbers;  // by column
};

Result<TableCells> channel_table_cells(const RunReader&,
                                       int segment,
                                       const std::vector<int>& channels,
                                       const TableOptions&);

}  // namespace cardan
