#pragma once
// After a failure: the formula or curve of the model that has no finite value where the run stopped, or
// just behind it, in words of the model file.
#include <optional>

#include "cardan/base/diagnostic.h"
#include "cardan/model/model.h"
#include "cardan/system/system.h"

namespace cardan {

// reach: how far behind the state to look, in s; negative in a run backwards. Nothing: all have values.
std::optional<Diagnostic> formula_without_value(const Model&,
                                                const System&,
                                                const State&,
                                                double reach);

}  // namespace cardan
