#include "cardan/system/state_table.h"

namespace cardan {

StateTable::StateTable() {
  entries_ = {{"energy.dissipated", "dissipated energy", "J", {}},
              {"energy.applied", "work of forces", "J", {}},
              {"energy.drivers", "work of drivers", "J", {}}};
}

int StateTable::add(Entry entry) {
  entries_.push_back(std::move(entry));
  return size() - 1;
}

std::vector<double> StateTable::initial() const {
  std::vector<double> z;
  z.reserve(entries_.size());
  for (const Entry& entry : entries_) z.push_back(entry.initial);
  return z;
}

void StateTable::mark_ignored(std::vector<bool>& ignored) const {
  const std::size_t first = ignored.size() - entries_.size();
  for (std::size_t k = 0; k < entries_.size(); ++k) ignored[first + k] = !entries_[k].error_control;
}

bool StateTable::is_integral(int k) const {
  if (k < 0 || k >= size()) return false;
  return k < first_of_model() || entries_[static_cast<std::size_t>(k)].quadrature;
}

const StateTable::Entry* StateTable::first_coupled() const {
  for (const Entry& entry : entries_)
    if (entry.error_control || !entry.quadrature) return &entry;
  return nullptr;
}

double energy_outside(CView z) {
  const auto part = [&](EnergyState k) {
    return z[static_cast<std::size_t>(StateTable::index(k))];
  };
  return z.empty() ? 0
                   : part(EnergyState::dissipated) - part(EnergyState::applied) -
                         part(EnergyState::drivers);
}

}  // namespace cardan
