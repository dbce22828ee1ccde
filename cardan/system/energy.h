#pragma once
// Energy and where it goes. Three quadratures run beside the mechanics (EnergyState):
//   dissipated' = power lost in dampers and by friction
//   applied'    = power of the other forces without potential
//   drivers'    = -lambda^T nu
// so that  T + V + dissipated - applied - drivers  is constant: the balance. Impacts add what they
// lose to the dissipated energy.
#include "cardan/system/system.h"

namespace cardan {

struct Energy {
  double kinetic = 0, potential = 0, dissipated = 0, applied = 0, drivers = 0;

  double balance() const { return kinetic + potential + dissipated - applied - drivers; }
};

// Of the three energies, into their places. Uses w.rotation and the requests of the last
// evaluate_forces at this state; fills w.nu.
void energy_rates(
    const System&, double t, CView q, CView v, CView lambda, Workspace& w, View z_dot);

Energy energy_of(const System&, const State&, Workspace& w);  // fills w.rotation

}  // namespace cardan
