#pragma once
// Why a formula has no finite value: the operation that made it so, and what it was given.
#include <optional>
#include <string>

#include "cardan/math/expression.h"

namespace cardan {

struct FormulaFailure {
  enum class Kind { root, logarithm, division, power, arc, curve, overflow, slope, argument };
  Kind kind = Kind::overflow;
  std::string words;  // "sqrt(-0.0012)", "1/0", "the curve at 1.05"
};

// Nothing: the value and its derivatives are finite.
std::optional<FormulaFailure> failure_of(const Expression&, CView variables);

}  // namespace cardan
