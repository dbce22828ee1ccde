#pragma once
// Inside of the makers of limits: the pool of compliant ones that measure the same.
#include "cardan/element/force_set.h"
#include "cardan/element/law_force_pool.h"
#include "cardan/element/maker.h"

namespace cardan {

template <class P>
ForcePart ForceSet::place_limit(std::string_view name, const Pair<P>& pair, const Limit& limit) {
  using Pool = LawForcePool<P>;
  static constexpr std::string_view names[] = {"measure", "rate", "force"},
                                    units[] = {"m", "m/s", "N"};
  int k = 0;
  while (k < pool_count() && pools_[k]->type() != name) ++k;
  if (k == pool_count())
    pools_.push_back(std::make_unique<Pool>(name, typename Pool::Shown{names, units, 1}));
  ForceLaw law;
  law.stiffness = limit.stiffness;
  law.damping = limit.damping;
  law.onset = limit.onset;
  law.lower = limit.lower;
  law.upper = limit.upper;
  return {k, dynamic_cast<Pool&>(*pools_[k]).add({pair, {law}, {}})};
}

// In space (spatial_limits.cpp), as add_limit of the sets.
Part add_spatial_limit(ConstraintSet&, std::string_view type, const ElementSpec&, double c);
ForcePart add_spatial_limit(ForceSet&,
                            std::string_view type,
                            const ElementSpec&,
                            const ForceSet::Limit&);

}  // namespace cardan
