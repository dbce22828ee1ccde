#pragma once
// Derivatives of a steady motion by parameters. Its pose and multipliers satisfy (force_balance.h)
//   R(q, lambda, p) = b(q, p) + phi_q^T lambda = 0,   phi(q, p) = 0,
// with the twists of the bodies found from the drivers in the pose itself. Along q (+) e theta,
// lambda + e lambda_p, p + e both change by
//   G = d/de (R, phi) = 0,
// taken by differences over systems with other values of p (parameter_steps.h), and solved by
//   | K      phi_q^T | | d theta  |
//   | phi_q  0       | | d lambda | = -G.
// K leaves out how the twists follow poses that do not close; one more pass makes up for it. v and a
// change along the same line.
#include <optional>
#include <vector>

#include "cardan/analysis/equilibrium/force_balance.h"
#include "cardan/analysis/sensitivity/parameter_slopes.h"

namespace cardan {

// state: a steady motion with its multipliers; one that is none is refused.
std::optional<Diagnostic> steady_slopes(
    const System&, const Mobility&, const ParameterSteps&, const State&, std::vector<StateSlope>&);

}  // namespace cardan
