#pragma once
// The velocities with which a mechanism can leave a singular pose.
//
// Where the equations lose rank, phi_q v = nu allows more velocities than there are motions: a motion
// also needs accelerations, phi_q a = gamma(q, v, t), which exist only if
//   u . gamma(q, v, t) = 0   for every u with  u^T phi_q = 0.
// With v = v0 + N y (N: what drivers and prescribed rates leave open) these are quadratic equations
// in y. At a bifurcation of a mechanism with one prescribed rate they have two solutions, one for
// each branch. They are found by Newton's method (least-squares steps) from many starts.
// Reference: Wohlhart, "Degrees of shakiness", Mech. Mach. Theory 34 (1999); Mueller, Mech. Mach.
// Theory 37 (2002), tangent cone of the configuration space.
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

struct StartMotions {
  bool possible = false;  // these velocities belong to a motion already
  bool isolated = false;  // drivers and rates leave no freedom but the choice between motions
  std::vector<std::vector<double>> motions;  // velocities; without isolation the nearest one alone
};

// v: meets nu and the rates. wanted: rows of assembly_equations() that prescribe velocities. lost: how
// many equations are dependent in this pose alone. meant: v is what the model says, and a motion of its own
// needs no others beside it; else it is only the smallest of those that meet the equations.
StartMotions start_motions(const System&,
                           double t,
                           CView q,
                           CView v,
                           const std::vector<char>& wanted,
                           int lost,
                           bool meant);

}  // namespace cardan
