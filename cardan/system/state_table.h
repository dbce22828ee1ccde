#pragma once
// First-order states beside the mechanics, State::z: three quadratures of energy (energy.h), then
// the states of the model,
//   z' = rate(t, requests, inputs, states).
// Formulations carry all of them behind positions and velocities and take their rates from
// System::state_rates.
#include <string>
#include <vector>

#include "cardan/base/diagnostic.h"
#include "cardan/math/types.h"

namespace cardan {

enum class EnergyState { dissipated, applied, drivers };

class StateTable {
 public:
  struct Entry {
    std::string name, label, unit;  // label: for messages, "state 'charge'"
    SourcePos where;
    double initial = 0;
    bool error_control = false;
    // Nothing depends on it, and its rate depends on no state: it can be integrated afterwards.
    bool quadrature = true;
    int signal = -1;  // of System::requests(), where formulas read it; -1: no formula can
  };

  StateTable();  // the energies

  int add(Entry);

  int size() const { return static_cast<int>(entries_.size()); }

  const std::vector<Entry>& entries() const { return entries_; }

  const std::string& label(int k) const { return entries_[static_cast<std::size_t>(k)].label; }

  // Where the states of the model begin.
  int first_of_model() const { return 3; }

  static int index(EnergyState part) { return static_cast<int>(part); }

  std::vector<double> initial() const;

  // The last entries of a list of components without error control.
  void mark_ignored(std::vector<bool>& ignored) const;

  // Whether nothing depends on state k, if there is one.
  bool is_integral(int k) const;

  // The first state that cannot be integrated behind the motion; null: none.
  const Entry* first_coupled() const;

  void set_quadrature(int k, bool quadrature) {
    entries_[static_cast<std::size_t>(k)].quadrature = quadrature;
  }

 private:
  std::vector<Entry> entries_;
};

// T + V + this is constant: energy lost, less what forces and drivers brought in. Empty z: 0.
double energy_outside(CView z);

}  // namespace cardan
