#include "cardan/math/bare_numbers.h"

#include <algorithm>

#include "cardan/math/expression_program.h"

namespace cardan {

BareNumbers operator*(const BareNumbers& a, const BareNumbers& b) {
  return {a.still * b.still,
          std::max({a.still * b.moving, a.moving * b.still, a.moving * b.moving})};
}

// By a number, or by a time as 1.
BareNumbers operator/(const BareNumbers& a, const BareNumbers& b) {
  if (b.still > 0 && b.moving == 0) return {a.still / b.still, a.moving / b.still};
  return b.still == 0 && b.moving > 0 ? a : BareNumbers{};
}

BareNumbers bare_numbers(const Expression& formula) {
  return formula.program() != nullptr ? formula.program()->bare : BareNumbers{0, 0};
}

}  // namespace cardan
