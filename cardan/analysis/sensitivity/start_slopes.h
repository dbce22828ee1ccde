#pragma once
// Derivatives of the state that a model starts from. It follows from the drawing and the initial
// conditions by assembly: positions, velocities and first-order states are derived by differences of
// the assembled states of systems with other values of the parameter, and put onto the
// differentiated constraints; accelerations and multipliers follow exactly.
#include <optional>
#include <vector>

#include "cardan/analysis/sensitivity/parameter_slopes.h"

namespace cardan {

// start: a state of the model with a and lambda; one that is not where the model starts is refused.
std::optional<Diagnostic> start_slopes(const System&,
                                       const std::vector<char>& active,
                                       const ParameterSteps&,
                                       const State& start,
                                       std::vector<StateSlope>&);

// "sensitivities: <found>" as what is not available.
Diagnostic not_derived(const std::string& found, std::string expected);

}  // namespace cardan
