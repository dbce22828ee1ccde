#pragma once
// The number of a force's setting that makes a pose an equilibrium: free length of a spring, force of
// an actuator, stiffness ...
//
// With x the number and Z the free motions of the pose, g(x) = Z^T b(q, x) must vanish (b: forces that
// do not balance, force_balance.h). Forces are linear in most settings; Newton's method with the slope
// by central differences finds the others too. With several freedoms one number balances them only if
// the rest does already: what is left is told.
#include <string>

#include "cardan/analysis/start/assembly.h"
#include "cardan/model/model.h"
#include "cardan/results/summary.h"

namespace cardan {

struct Preload {
  Model model;  // with the number found
  SolvedSetting solved;
};

// target: "element.setting"; pose: assembled.
Result<Preload> find_preload(const Model&,
                             const Assembly& pose,
                             const std::string& target,
                             const SourcePos& where);

}  // namespace cardan
