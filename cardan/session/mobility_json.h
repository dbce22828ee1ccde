#pragma once
// What a mechanism can do, for the report, programs and Python.
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cardan/analysis/start/mobility.h"

namespace cardan {

nlohmann::ordered_json to_json(const Mobility&, const std::string& words);

}  // namespace cardan
