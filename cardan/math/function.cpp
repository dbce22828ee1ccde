#include "cardan/math/function.h"

#include <algorithm>
#include <cmath>

namespace cardan {

double Function::third(double x) const {
  const double h = 6e-6 * std::max(1.0, std::abs(x));  // about the cube root of round-off
  const double left = x - h, right = x + h;
  return (at(right).dd - at(left).dd) / (right - left);
}

Stretch Function::over(const Interval&) const {
  return {Interval::all(), true, std::numeric_limits<double>::infinity(), false};
}

std::uint64_t Function::piece(double) const {
  return 0;
}

}  // namespace cardan
