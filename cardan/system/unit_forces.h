#pragma once
// What one unit more of an applied force does: the generalised force of each of its components, as
// the channels of the force show them. For forces as inputs of linear analyses.
#include <string>
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

struct UnitForce {
  std::string name, unit;  // of the channel: "pull.fy", "N"
  std::vector<double> Q;   // v_size numbers
};

// Of one of System::forces() at a state; empty where the force has no size that could be changed.
std::vector<UnitForce> unit_forces(const System&, const System::ForceInfo&, const State&);

}  // namespace cardan
