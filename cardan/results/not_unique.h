#pragma once
// Which channels of a run are reactions that redundant equations leave open: tables and plots mark
// them.
#include <set>
#include <string>

#include "cardan/results/run_reader.h"

namespace cardan {

std::set<std::string> not_unique_channels(const RunReader&, int segment);

}  // namespace cardan
