#pragma once
// A model that is equations instead of bodies, as the user wrote them:
//   kinetic energy T(t, q, q') and potential V(t, q),   or a mass matrix M(t, q);
//   forces Q(t, q, q', requests, states, inputs);   constraints 0 = phi(t, q) or g(t, q, q').
// Forces are elements of Model::forces, one for each coordinate that has one, of type "coordinate"
// and with its name; coordinates are the first of Model::requests, likewise, so that formulas read
// them as they read requests.
#include <optional>
#include <string>
#include <vector>

#include "cardan/base/diagnostic.h"
#include "cardan/math/expression.h"

namespace cardan {

// Of [t, -, -, q, q', ...]: the coordinates it names, each with its rate behind it.
struct CoordinateFormula {
  Expression formula;
  std::vector<int> coordinates;
  SourcePos where{};

  bool uses_time() const { return formula.uses(0); }

  bool uses_position(std::size_t k) const { return formula.uses(static_cast<int>(3 + 2 * k)); }

  bool uses_rate(std::size_t k) const { return formula.uses(static_cast<int>(4 + 2 * k)); }

  bool uses_positions() const {
    for (std::size_t k = 0; k < coordinates.size(); ++k)
      if (uses_position(k)) return true;
    return false;
  }

  bool uses_rates() const {
    for (std::size_t k = 0; k < coordinates.size(); ++k)
      if (uses_rate(k)) return true;
    return false;
  }
};

struct OwnEquations {
  struct Coordinate {
    std::string name, unit;
    SourcePos where;
    double initial = 0, rate = 0;
    bool initial_given = false, rate_given = false;  // prescribed; otherwise guesses
  };

  struct Entry {  // of the mass matrix, and its mirror image
    int row = 0, column = 0;
    CoordinateFormula formula;
  };

  struct Constraint {  // one that uses rates is at velocity level
    std::string name, multiplier_unit;
    SourcePos where;
    CoordinateFormula formula;
  };

  std::vector<Coordinate> coordinates;
  std::optional<CoordinateFormula> kinetic, potential;
  std::vector<Entry> mass;  // where there is no kinetic energy; row >= column
  std::vector<Constraint> constraints;
  std::vector<std::string> force_units;  // of Model::forces
  SourcePos where;                       // of [equations]

  std::vector<const CoordinateFormula*> formulas() const {
    std::vector<const CoordinateFormula*> all;
    for (const auto* energy : {&kinetic, &potential})
      if (*energy) all.push_back(&**energy);
    for (const Entry& e : mass) all.push_back(&e.formula);
    for (const Constraint& c : constraints) all.push_back(&c.formula);
    return all;
  }
};

}  // namespace cardan
