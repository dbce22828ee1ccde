#pragma once
// The velocity of a driver jumps at a time known beforehand: the corner of a motion law. Joints and
// drivers answer with impulses that act at once,
//   M (v+ - v-) + phi_q^T Lambda = 0,   phi_q v+ = nu(t+),
// and the positions stay. The impulse of a driver is -Lambda of its row; joints do no work, so that
// the drivers do T+ - T-. Hard contacts that are closed then see v+ as the velocities before their
// impact. Forces and friction have no part in it: their impulse over no time is none.
// Reference: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, 1996, chapter 8.
#include <optional>
#include <vector>

#include "cardan/analysis/dynamic/time_breaks_of.h"
#include "cardan/base/diagnostic.h"
#include "cardan/results/sink.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

class DriverImpulses {
 public:
  // beside: the distance from a kink at which velocities are those on its side. direction of the
  // run in time: 1 or -1.
  DriverImpulses(const System& system,
                 std::vector<DriverKink> kinks,
                 double beside,
                 double direction)
      : system_(system), kinks_(std::move(kinks)), beside_(beside), direction_(direction) {}

  bool at(double t) const;

  double beside() const { return beside_; }

  // At such a time, with the velocities before it: velocities, work of the drivers and t behind it.
  // At any other time nothing.
  std::optional<Diagnostic> apply(MotionSolver&, State&, std::vector<Event>& events) const;

 private:
  const System& system_;
  std::vector<DriverKink> kinks_;  // ascending
  double beside_, direction_;
};

}  // namespace cardan
