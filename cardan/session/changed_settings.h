#pragma once
// What a run has that its model file does not say: values given on the command line or by a program.
#include <vector>

#include "cardan/results/summary.h"
#include "cardan/session/model_request.h"

namespace cardan {

// Parameters and options of the request, each with what the model file says and in which line.
std::vector<ChangedSetting> changed_settings(const ModelRequest&, const Model&);

}  // namespace cardan
