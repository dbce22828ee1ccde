#pragma once
// The equations of a mechanism at its start, in numbers, for the report's page of equations.
#include <nlohmann/json_fwd.hpp>

#include "cardan/model/model.h"

namespace cardan {

// Null where the model has faults, is not assembled, or is too large to be read.
nlohmann::ordered_json start_equations(const Model&);

}  // namespace cardan
