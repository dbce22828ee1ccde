#pragma once
// What the value of a force, a request or a driver may depend on. It is asked of formulas, laws and
// curves, never found out by trying numbers: a formula that only starts to use the rate at t = 0.5
// s depends on it at all times.
#include <span>

namespace cardan {

struct Dependence {
  bool time = false;        // explicitly, beside what moves
  bool positions = false;   // q
  bool rates = false;       // v
  bool reactions = false;   // multipliers: friction
  bool states = false;      // first-order states of the model
  bool conditions = false;  // some formula may jump where a condition changes its side

  Dependence& operator|=(const Dependence& d) {
    time = time || d.time;
    positions = positions || d.positions;
    rates = rates || d.rates;
    reactions = reactions || d.reactions;
    states = states || d.states;
    conditions = conditions || d.conditions;
    return *this;
  }

  bool operator==(const Dependence&) const = default;
};

// Of value and rate of the requests, by their numbers.
struct InputDependence {
  std::span<const Dependence> value, rate;
};

}  // namespace cardan
