#pragma once
// Options of analyses given as text beside the model file.
#include <string>
#include <utility>
#include <vector>

#include "cardan/base/diagnostic.h"
#include "cardan/base/result.h"
#include "cardan/math/expression.h"
#include "cardan/model/catalogue.h"
#include "cardan/model/model.h"
#include "cardan/model/model_variants.h"

namespace cardan {

// Changes every analysis that has the option, but `until` only of the last one that has it. Another
// formulation drops the options of the old one, with a note in the model. Values may name parameters of
// the model.
Diagnostics apply_options(const std::vector<std::pair<std::string, std::string>>& options,
                          const std::vector<ParameterInfo>& parameters,
                          Model&);

Diagnostic bad_option_value(const std::string& flag, const std::string& text, std::string expected);

// A value as a model file may have it: a number with or without a unit, or a formula of these names.
Result<double> option_number(
    const std::string& flag, const std::string& text, Dimension, Range, const Scope& names);

// The parameters of a model, with the values that they have in it.
Scope names_of_parameters(const std::vector<ParameterInfo>&, const Model&);

std::string option_flag(std::string_view key);  // "--output-step" of output_step

}  // namespace cardan
