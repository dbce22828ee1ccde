#pragma once
// Independent coordinates that the user names, by the channels of their bodies: "crank.angle",
// "slider.x"; in space "bob.x", and "bob.turn_x" for a rotation about an axis of the body; of
// equations of one's own the coordinates' names.
#include <vector>

#include <Eigen/Core>

#include "cardan/formulation/formulation.h"

namespace cardan {

// In rising order; empty: none were named. Unknown names and a wrong number of them are told.
Result<std::vector<int>> wanted_coordinates(const FormulationSetting&);
Result<std::vector<int>> named_coordinates(const System&,
                                           const std::vector<char>& active,
                                           const std::vector<std::string>& names);

// Whether the other velocities follow from these in a pose with this Jacobian.
bool wanted_first(const std::vector<int>& wanted, const Eigen::MatrixXd& phi_q);

}  // namespace cardan
