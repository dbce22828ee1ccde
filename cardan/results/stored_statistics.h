#pragma once
// What a run that has ended says of its channels: least and largest value, mean and RMS over all its
// steps.
#include <string>
#include <vector>

#include "cardan/results/run_reader.h"
#include "cardan/results/summary.h"

namespace cardan {

struct StoredStatistics {
  std::vector<ChannelStatistics> channels;  // one for each asked for; empty: the run has none
  double until = Summary::unknown;          // how far they go
  std::string status;                       // of the run
};

StoredStatistics stored_statistics(const RunReader&, int segment, const std::vector<int>& channels);

// "speed = 2400 rpm (model: 120 rpm), until = 5"; empty: the run is as its model says.
std::string changed_words(const std::vector<ChangedSetting>&);

// Of a run: as changed_words, from its summary.
std::string changed_words(const RunReader&);

}  // namespace cardan
