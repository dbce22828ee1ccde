#pragma once
// Absolute tolerances of single coordinates, rates and first-order states (the option atol_each), for
// the error norm of whatever a formulation integrates:
//   "positions = 1e-9"  "velocities = 1e-6"  "slider.x = 1 um"  "slider.vx = 1e-4 m/s"  "charge = 1e-12"
// A later one counts where two say something of the same component.
#include <optional>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/model/options.h"
#include "cardan/ode/tolerance.h"
#include "cardan/system/system.h"

namespace cardan {

// What a formulation's y holds, for those that have lists of tolerances to fill.
struct ToleratedParts {
  std::size_t size = 0;
  std::size_t positions = 0, velocities = 0;  // where they begin
  std::size_t position_count = 0, velocity_count = 0;
  std::size_t states = 0, state_count = 0;  // first-order states
  bool coordinates = false;  // positions and velocities are those of the system, one by one
};

// A name or number that means nothing, or a coordinate that the formulation does not integrate.
std::optional<Diagnostic> coordinate_tolerance_fault(const System&, const DynamicOptions&);

// Some of it is said of one coordinate, rate or state.
bool tolerates_single_components(const DynamicOptions&);

// Nothing where none is given.
void tolerate_each(const System&, const DynamicOptions&, const ToleratedParts&, Tolerance&);

}  // namespace cardan
