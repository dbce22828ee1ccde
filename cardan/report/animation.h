#pragma once
// The motion of a run as one SVG file that moves by itself (SMIL) in any browser: bodies with their shapes,
// joints, springs, on request paths, reactions and names. `cardan animate` makes GIF and MP4 of the viewer's drawing.
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cardan/results/asked_output.h"
#include "cardan/results/run_reader.h"

namespace cardan {

// scene: that of the run's manifest.
Result<std::string> animation_svg(const RunReader&,
                                  int segment,
                                  const nlohmann::ordered_json& scene,
                                  const AskedAnimation&);

}  // namespace cardan
