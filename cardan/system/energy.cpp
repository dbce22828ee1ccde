#include "cardan/system/energy.h"

#include <array>

namespace cardan {

namespace {

double friction_power(const System& system, const Motion& here, CView lambda, const Workspace& w) {
  const FrictionSet& set = system.friction();
  const auto n = static_cast<std::size_t>(system.body_size());
  std::array<double, 12> d{};
  double sum = 0;
  for (int k = 0; k < set.count(); ++k) {
    set.direction(k, here, system.sliding(k, w), View(d).first(2 * n));
    double rate = 0;  // power per unit of load
    for (std::size_t s = 0; s < 2; ++s)
      if (const int body = set.element(k).body[s]; body >= 0)
        for (std::size_t i = 0; i < n; ++i)
          rate += d[s * n + i] * here.v[static_cast<std::size_t>(system.layout().v(body)) + i];
    if (rate != 0) sum += rate * system.friction_load(k, here, lambda, w);
  }
  return sum;
}

}  // namespace

void energy_rates(
    const System& system, double t, CView q, CView v, CView lambda, Workspace& w, View z_dot) {
  const Motion here = system.motion(t, q, v, w);
  const Inputs inputs = system.inputs(w);
  double power = 0, dissipation = 0, drivers = 0;
  for (int p = 0; p < system.force_set().pool_count(); ++p) {
    power += system.force_set().pool(p).power(here, inputs);
    dissipation += system.force_set().pool(p).dissipation(here, inputs);
  }
  const double lost = -friction_power(system, here, lambda, w);
  if (system.driven()) {
    system.equations().nu(here.config(), w.nu);
    for (std::size_t r = 0; r < w.nu.size(); ++r) drivers -= lambda[r] * w.nu[r];
  }
  const auto rate = [&](EnergyState k) -> double& {
    return z_dot[static_cast<std::size_t>(StateTable::index(k))];
  };
  rate(EnergyState::dissipated) = dissipation + lost;
  rate(EnergyState::applied) = power + dissipation;
  rate(EnergyState::drivers) = drivers;
}

Energy energy_of(const System& system, const State& state, Workspace& w) {
  system.rotations(state.q, w);
  Energy e;
  e.kinetic = system.kinetic(state.t, state.q, state.v);
  e.potential = system.potential(state.t, state.q, w);
  if (!state.z.empty()) {
    const auto part = [&](EnergyState k) {
      return state.z[static_cast<std::size_t>(StateTable::index(k))];
    };
    e.dissipated = part(EnergyState::dissipated);
    e.applied = part(EnergyState::applied);
    e.drivers = part(EnergyState::drivers);
  }
  return e;
}

}  // namespace cardan
