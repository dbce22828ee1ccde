#pragma once
// Energy and where it goes. Three quadratures run beside the mechanics as State::z:
//   z0' = power lost in dampers and by friction,  z1' = power of the other forces without
//   potential,  z2' = -lambda^T nu, of drivers
// so that  T + V + z0 - z1 - z2  is constant: the balance. Impacts add what they lose to z0.
#include "cardan/system/system.h"

namespace cardan {

inline constexpr int energy_states = 3;

struct Energy {
  double kinetic = 0, potential = 0, dissipated = 0, applied = 0, drivers = 0;

  double balance() const { return kinetic + potential + dissipated - applied - drivers; }
};

// Uses w.rotation and the requests of the last evaluate_forces at this state; fills w.nu.
void energy_rates(
    const System&, double t, CView q, CView v, CView lambda, Workspace& w, View z_dot);

Energy energy_of(const System&, const State&, Workspace& w);  // fills w.rotation

}  // namespace cardan
