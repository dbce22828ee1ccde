#pragma once
// Inside of the makers of forces: pools by type, and what a spec says of a law.
#include "cardan/element/force_law.h"
#include "cardan/element/force_set.h"
#include "cardan/element/maker.h"

namespace cardan {

using PoolMaker = std::unique_ptr<ForcePool> (*)(std::string_view type);

template <class Pool, class Element>
ForcePart ForceSet::place(std::string_view type, Element element, PoolMaker make) {
  int k = 0;
  while (k < pool_count() && pools_[k]->type() != type) ++k;
  if (k == pool_count()) pools_.push_back(make(type));
  return {k, dynamic_cast<Pool&>(*pools_[k]).add(std::move(element))};
}

inline Expression formula_of(const ElementSpec& spec, std::string_view key) {
  const Expression* found = ElementSpec::find(spec.formulas, key);
  return found != nullptr ? *found : Expression();
}

// Stiffness, damping, curves and the actuator of the formula `actuator`.
ForceLaw spring_law(const ElementSpec&, double free, std::string_view actuator);

// In space: force, torque, general-force, spring, rotational-spring, bushing.
MadeForce make_spatial_force(ForceSet&, std::string_view type, const ElementSpec&, CView q);
std::span<const std::string_view> spatial_force_types();

}  // namespace cardan
