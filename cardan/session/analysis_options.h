#pragma once
// Options of analyses given as text beside the model file.
#include <string>
#include <utility>
#include <vector>

#include "cardan/base/diagnostic.h"
#include "cardan/base/result.h"
#include "cardan/model/catalogue.h"
#include "cardan/model/model.h"

namespace cardan {

// Changes every analysis that has the option, but `until` only of the last one that has it. Another
// formulation drops the options of the old one, with a note in the model.
Diagnostics apply_options(const std::vector<std::pair<std::string, std::string>>& options, Model&);

Diagnostic bad_option_value(const std::string& flag, const std::string& text, std::string expected);

// A value as a model file may have it: a number with or without a unit, or a formula without names.
Result<double> option_number(const std::string& flag, const std::string& text, Dimension, Range);

std::string option_flag(std::string_view key);  // "--output-step" of output_step

}  // namespace cardan
