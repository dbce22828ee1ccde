#pragma once
// Numbers without a unit in a formula, as far as its value is a multiple of them: 720 of "720*t", 90 of
// "90*sin(5 rad/s*t)". For questions about slips: where an angle is wanted they count as radians.
//
// A value is c + m with the largest bare factor of terms that stay bounded (still) and of those with a
// power of a time (moving): a product multiplies, a sum takes the larger, sin, exp, step5 and the like
// count as 1. A factor with a unit, pi and the inverse functions of angles say what they are: NaN,
// which a product keeps and a sum leaves out.
#include <limits>

namespace cardan {

class Expression;

struct BareNumbers {
  double still = std::numeric_limits<double>::quiet_NaN();
  double moving = std::numeric_limits<double>::quiet_NaN();
};

BareNumbers operator*(const BareNumbers&, const BareNumbers&);
BareNumbers operator/(const BareNumbers&, const BareNumbers&);

BareNumbers bare_numbers(const Expression&);

}  // namespace cardan
