#pragma once
// A state of a motion from states beside it, for rows where the formulation cannot give it: the equations that it keeps
// may be dependent in that very pose, and beside it they are not. The motion is smooth within a step, so
//   x(t) = sum_k w_k (x(t + k d) + x(t - k d)) + O(d^8),   k = 1 ... 4,   w = 4/5, -2/5, 4/35, -1/70
// holds for positions, velocities, accelerations, multipliers and first-order states.
#include <functional>

#include "cardan/system/system.h"

namespace cardan {

// recover(t, State&): a state beside; false where there is none. d: a small part of the step.
bool state_between(const System&,
                   double t,
                   double d,
                   const std::function<bool(double, State&)>& recover,
                   State& out);

}  // namespace cardan
