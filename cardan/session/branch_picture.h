#pragma once
// A picture of the ways to put a mechanism together, side by side and in one scale.
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cardan/results/summary.h"

namespace cardan {

// scene: of the model (io/scene.h). Bodies are lines between their joints; mechanisms in space are seen
// along (1, 1, 1).
std::string branch_picture(const BranchList&, const nlohmann::ordered_json& scene);  // SVG

}  // namespace cardan
