#pragma once
// What is short in time in a mechanism, known before it is run: breaks and step bounds of all its
// forces, states and drivers together, and drivers whose position or velocity jumps.
#include <optional>
#include <vector>

#include "cardan/base/diagnostic.h"
#include "cardan/math/time_breaks.h"
#include "cardan/system/system.h"

namespace cardan {

TimeBreaks breaks_of(const System&, double from, double until);

bool has_moving_drivers(const System&);

struct DriverKink {  // its velocity jumps
  double t = 0;
  int driver = 0;                // of System::constraints()
  double before = 0, after = 0;  // velocities
};

// Of all drivers, ascending.
std::vector<DriverKink> driver_kinks(const System&, double from, double until);

// Steps of given length do not end on a kink: the warning that a run crossed it.
Diagnostic kink_crossed(const System&, const DriverKink&);

// The first driver whose position jumps in between, with time and size of its largest jump.
std::optional<Diagnostic> driver_jump(const System&, double from, double until);

}  // namespace cardan
