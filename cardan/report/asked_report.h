#pragma once
// What the model asks to see of its run (results/asked_output.h), of a store that is closed: as files, and as
// data of the report.
#include <filesystem>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cardan/results/asked_output.h"
#include "cardan/results/run_reader.h"

namespace cardan {

// That of the run's manifest.
AskedOutput asked_of(const nlohmann::ordered_json& manifest);

// The files NAME.csv, NAME.svg and animation.svg in RUN/output, of the analysis that matters (main_segment);
// with only_missing those that are not there.
Sink::Fault write_asked(const std::filesystem::path& folder, bool only_missing);

// {"tables", "plots", "animation"} of one analysis with the channels that it has; null: nothing is asked for.
Result<nlohmann::ordered_json> asked_json(const RunReader&,
                                          int segment,
                                          const nlohmann::ordered_json& manifest);

}  // namespace cardan
