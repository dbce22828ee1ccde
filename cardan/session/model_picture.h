#pragma once
// A drawing of a mechanism in one pose: bodies with their shapes, joints with their names. Mechanisms in
// space are seen along (1, 1, 1).
#include <string>
#include <vector>

#include "cardan/model/model.h"
#include "cardan/results/summary.h"

namespace cardan {

// bodies: where they are, in the order of the model.
std::string model_picture(const Model&, const std::vector<BodyState>& bodies);  // SVG

}  // namespace cardan
