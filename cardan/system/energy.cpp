#include "cardan/system/energy.h"

namespace cardan {

void energy_rates(
    const System& system, double t, CView q, CView v, CView lambda, Workspace& w, View z_dot) {
  const Motion here = system.motion(t, q, v, w);
  const Inputs inputs{w.request_value, w.request_rate};
  double power = 0, dissipation = 0, drivers = 0;
  for (int p = 0; p < system.force_set().pool_count(); ++p) {
    power += system.force_set().pool(p).power(here, inputs);
    dissipation += system.force_set().pool(p).dissipation(here, inputs);
  }
  if (system.driven()) {
    system.equations().nu(here.config(), w.nu);
    for (std::size_t r = 0; r < w.nu.size(); ++r) drivers -= lambda[r] * w.nu[r];
  }
  z_dot[0] = dissipation;
  z_dot[1] = power + dissipation;
  z_dot[2] = drivers;
}

Energy energy_of(const System& system, const State& state, Workspace& w) {
  system.rotations(state.q, w);
  Energy e;
  e.kinetic = system.mass().energy(state.v);
  e.potential = system.potential(state.t, state.q, w);
  if (state.z.size() >= energy_states) {
    e.dissipated = state.z[0];
    e.applied = state.z[1];
    e.drivers = state.z[2];
  }
  return e;
}

}  // namespace cardan
