#pragma once
// Friction that sticks: the components of sliding s = T(q) v are held at zero, an equation at
// velocity level with
//   phi_q = T,   nu = 0,   gamma = -(T v)_q v,
// the last by a dual number along the motion. Its multiplier is the friction: -lambda along the
// tangents of friction.h.
#include "cardan/element/constraint_set.h"
#include "cardan/element/contact/friction.h"

namespace cardan {

Part add_sticking(ConstraintSet&, const FrictionElement&, int ways);

}  // namespace cardan
