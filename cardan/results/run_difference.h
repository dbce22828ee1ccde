#pragma once
// Two stored runs compared bit by bit: rows, estimated errors, events, diagnostics and the numbers of
// the summary. What cannot be the same (times spent, names of files) is left out.
#include <cstdint>
#include <string>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/results/run_reader.h"

namespace cardan {

struct ChannelDifference {
  int analysis = 0;
  std::string channel, unit;  // "t": the times of the rows
  std::int64_t row = 0;       // the first that differs, its time and the two values
  double t = 0, first = 0, second = 0;
  double largest = 0, t_largest = 0;  // of all rows; NaN where only one of them is a number
  std::int64_t rows = 0;              // so many differ
};

struct RunDifference {
  std::vector<ChannelDifference> channels;  // by the time from which they differ
  std::vector<std::string> other;           // analyses, channels, events, ...: a line each

  std::int64_t analyses = 0, rows = 0, numbers = 0, events = 0;  // what was compared

  bool none() const { return channels.empty() && other.empty(); }
};

// whole: of the first run; one that was stopped is a beginning of the other, and has no summary.
Result<RunDifference> difference_of(const RunReader& first, const RunReader& second, bool whole);

}  // namespace cardan
