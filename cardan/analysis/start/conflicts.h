#pragma once
// Who contradicts whom: the joints, drivers and initial conditions behind equations that cannot hold
// together, with the lines they stand in.
#include <string>
#include <vector>

#include "cardan/analysis/start/mobility.h"
#include "cardan/system/state.h"
#include "cardan/system/system.h"

namespace cardan {

// "driver 'motor' (line 60)".
std::string with_line(const std::string& words, const SourcePos& where);

// The owners of rows of assembly_equations(), drivers first, each once, with their lines.
std::vector<std::string> owners_with_lines(const System&, const std::vector<int>& rows);

// Equations whose velocities do not fit together at this state: the error that names them.
Diagnostic velocity_conflict(const System&, const Mobility&, const State&);

// Equations of this set ask for different positions in every pose.
void name_position_conflict(const System&, const std::vector<int>& rows, Diagnostic&);

// An initial condition that the constraints or conditions before it decide already. row: of
// assembly_equations(); rates: its rate, else its value.
Diagnostic condition_conflict(const System&, double t, CView q, int row, bool rates, bool fits);

}  // namespace cardan
