#pragma once
// Enclosures of what runs along a line, 0 <= s <= 2 h, in centred form: with the value m in the middle and
// an enclosure S of the slope,
//   f(s) within m + S [-h, h]
// as well as within the range V of f by interval arithmetic. V takes the operands of an operation for
// independent of each other: the difference of two large numbers that go together is far too wide
// there. The centred form is not, and its excess falls with the square of h.
// Reference: Moore, Kearfott and Cloud, Introduction to Interval Analysis, SIAM 2009, chapter 6.
#include "cardan/math/expression_program.h"
#include "cardan/math/interval.h"

namespace cardan {

struct Reached {
  Interval values;
  bool known = true;  // the values are enclosed
  Interval middle = Interval::all();
  Interval slope = Interval::all();  // of a corner both slopes, and all between them; of a jump all

  static Reached point(double value) { return {{value, value}, true, {value, value}, {0, 0}}; }
};

// An operation, a call of a function apart.
Reached operation(Op op, const Reached* x);

// The values again, by the slope over half the way.
void narrow(Reached& r, double half);

}  // namespace cardan
