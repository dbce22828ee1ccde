#pragma once
// The elementary operations of formulas over intervals of their operands, and where they switch
// from one smooth piece to another. Internal to the expression files.
#include <cstdint>

#include "cardan/math/expression_program.h"
#include "cardan/math/interval.h"

namespace cardan {

// Enclosures of the values; [0, 0] where there are none. Statements are [1, 1], [0, 0], or [0, 1]
// where it depends.
Interval unary_range(Op op, const Interval& x);
Interval binary_range(Op op, const Interval& a, const Interval& b);

inline bool surely(const Interval& x) {
  return !x.contains(0);
}

inline bool never(const Interval& x) {
  return x.lo == 0 && x.hi == 0;
}

// Whether an operation of these operands stays in one smooth piece.
bool one_piece(Op op, const Interval* x);

// A number for the piece in which an operation of these operands is.
std::uint64_t piece_of(Op op, const double* x);

}  // namespace cardan
