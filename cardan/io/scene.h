#pragma once
// What there is to draw of a model, as JSON: bodies with their shapes and the channels that hold
// their poses, joints, springs and forces with the points they act at, the ground. The run stores
// it, the viewer draws it; shapes that the model does not give are made by the viewer from what is
// attached to a body.
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cardan/model/model.h"

namespace cardan {

std::string scene_text(const Model&);  // one line of JSON
nlohmann::ordered_json scene_of(const Model&);

}  // namespace cardan
