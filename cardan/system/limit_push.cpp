#include "cardan/system/limit_push.h"

#include <algorithm>
#include <cmath>

#include "cardan/element/force/law_force_pool.h"

namespace cardan {

namespace {

// Null: of a hard contact.
const LoadPool* pool_of_contact(const System& system, const System::ContactInfo& info) {
  return info.hard ? nullptr : dynamic_cast<const LoadPool*>(&system.force_set().pool(info.pool));
}

double push_of_law(const ForceLaw& law, double y, double rate) {
  const double depth = y < law.lower ? law.lower - y : y - law.upper;
  if (!(law.onset > 0 && depth > 0)) return 1;
  const double u = depth / law.onset, sinking = y < law.lower ? -rate : rate;
  const double elastic = law.stiffness * (u >= 1 ? depth - 0.5 * law.onset : 0.5 * depth * u);
  const double damped = law.damping * (u >= 1 ? 1 : u * u * (3 - 2 * u)) * sinking;
  const double size = elastic + std::abs(damped);
  return size > 0 ? (elastic + damped) / size : 1;
}

}  // namespace

std::vector<int> losing_contacts(const System& system) {
  std::vector<int> list;
  for (std::size_t k = 0; k < system.contacts().size(); ++k) {
    const LoadPool* pool = pool_of_contact(system, system.contacts()[k]);
    if (pool == nullptr) continue;
    const auto laws = pool->laws(system.contacts()[k].element);
    if (std::any_of(laws.begin(), laws.end(), [](const ForceLaw& law) {
          return law.onset > 0 && law.damping > 0;
        }))
      list.push_back(static_cast<int>(k));
  }
  return list;
}

double push_of_contact(const System& system, int contact, const Motion& here) {
  const auto& info = system.contacts()[static_cast<std::size_t>(contact)];
  const LoadPool& pool = *pool_of_contact(system, info);
  const auto laws = pool.laws(info.element);
  double least = 1;
  for (std::size_t r = 0; r < laws.size(); ++r) {
    const auto [y, rate] = pool.measure_of(here, info.element, static_cast<int>(r));
    least = std::min(least, push_of_law(laws[r], y, rate));
  }
  return least;
}

}  // namespace cardan
