#pragma once
// Where the mechanism's own losses bring it: its motion from rest, simulated until the kinetic energy
// has died down, so that settling ends where the real mechanism would.
#include <functional>
#include <vector>

#include "cardan/analysis/equilibrium/force_balance.h"

namespace cardan {

// The pose in which the motion has become slow, moved back to the time of the start; the start where
// nothing in the model takes energy out, or the motion cannot be simulated. It need not be slow where
// the budget of steps is spent.
std::vector<double> pose_of_slow_motion(ForceBalance&,
                                        const Mobility&,
                                        const State& start,
                                        const std::function<bool()>& cancelled);

}  // namespace cardan
