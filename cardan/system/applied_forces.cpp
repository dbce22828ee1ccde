#include "cardan/system/applied_forces.h"

#include <algorithm>

#include "cardan/element/force/gravity_pool.h"
#include "cardan/element/force/law_force_pool.h"

namespace cardan {

namespace {

bool sees_no_angle(const ForcePool& pool) {
  return dynamic_cast<const GravityPool*>(&pool) != nullptr ||
         dynamic_cast<const LawForcePool<Length<2>>*>(&pool) != nullptr;
}

}  // namespace

AppliedForces::AppliedForces(const System& system) : system_(system) {
  for (const auto& request : system.requests())
    read_requests_ = read_requests_ || request.source == System::RequestInfo::Source::state;
  for (int p = 0; p < system.force_set().pool_count(); ++p) {
    const ForcePool& pool = system.force_set().pool(p);
    for (int e = 0; e < pool.count(); ++e)
      read_requests_ = read_requests_ || !pool.inputs(e).empty();
  }
}

void AppliedForces::evaluate(double t, CView q, CView v, Workspace& w) const {
  if (read_requests_) system_.evaluate_requests(t, q, v, w);
  std::fill(w.Q.begin(), w.Q.end(), 0.0);
  const Motion here = system_.motion(t, q, v, w);
  const Inputs read = system_.inputs(w);
  const ForceSet& forces = system_.force_set();
  for (int p = 0; p < forces.pool_count(); ++p) forces.pool(p).add_Q(here, read, w.Q);
}

std::vector<char> AppliedForces::angles_read() const {
  const bool unknown = read_requests_ || system_.driven() || system_.friction().count() > 0;
  std::vector<char> read(static_cast<std::size_t>(system_.body_count()), unknown ? 1 : 0);
  for (int p = 0; p < system_.force_set().pool_count(); ++p) {
    const ForcePool& pool = system_.force_set().pool(p);
    if (sees_no_angle(pool)) continue;
    for (int e = 0; e < pool.count(); ++e)
      for (int s = 0; s < pool.sides(); ++s)
        if (const int b = pool.body(e, s); b >= 0) read[static_cast<std::size_t>(b)] = 1;
  }
  return read;
}

}  // namespace cardan
