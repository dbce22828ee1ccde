#pragma once
// From the model's rough pose to a consistent state: positions, velocities, accelerations, and what
// the mechanism is.
#include "cardan/analysis/start/mobility.h"
#include "cardan/system/state.h"

namespace cardan {

struct Assembly {
  bool ok = false;
  State state;        // consistent, or the closest pose when not ok
  Mobility mobility;  // in the assembled pose
  Diagnostics notes;  // all that is to be said, errors too
  int iterations = 0, tries = 0;
  double max_position = 0, max_velocity = 0;  // violations left, all equations
  // In a singular pose, when nothing chooses between several: velocities of the motions possible.
  std::vector<std::vector<double>> motions;
};

// At time t, from the given guess of positions and velocities (initial conditions of the model
// apply).
Assembly assemble(const System&, double t, const State& guess, const AssemblyOptions& = {});

// Rows of assembly_equations() that say something about positions: joints, drivers, initial values.
std::vector<char> position_rows(const System&);

// During a run: the state as it is, put onto the constraints with the least change. No restarts, and
// the initial conditions of the model do not apply again.
Assembly assemble_here(const System&, const State&, const Mobility&);

}  // namespace cardan
