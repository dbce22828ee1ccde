#include "cardan/system/unit_forces.h"

#include "cardan/element/force/unit_force.h"

namespace cardan {

std::vector<UnitForce> unit_forces(const System& system,
                                   const System::ForceInfo& force,
                                   const State& state) {
  const ForcePool& pool = system.force_set().pool(force.pool);
  const auto* units = dynamic_cast<const UnitForces*>(&pool);
  std::vector<UnitForce> list;
  if (units == nullptr) return list;
  Workspace w = system.workspace();
  system.use(state, w);
  system.rotations(state.q, w);
  const Motion here = system.motion(state.t, state.q, state.v, w);
  const int n = system.body_size();
  std::vector<double> sides(static_cast<std::size_t>(pool.sides() * n));
  for (int c = 0; c < units->components(); ++c) {
    const auto shown = static_cast<std::size_t>(units->output_of(c));
    UnitForce one{force.name + "." + std::string(pool.outputs()[shown]),
                  std::string(pool.output_units()[shown]),
                  std::vector<double>(static_cast<std::size_t>(system.v_size()), 0.0)};
    units->unit_force(here, force.element, c, sides);
    for (int s = 0; s < pool.sides(); ++s) {
      const int body = pool.body(force.element, s);
      if (body < 0) continue;
      for (int k = 0; k < n; ++k)
        one.Q[static_cast<std::size_t>(system.layout().v(body) + k)] +=
            sides[static_cast<std::size_t>(s * n + k)];
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace cardan
