#pragma once
// Which part of the tolerance the local error of a method of order 2 may take. Local errors of size
// e come with steps in proportion to e^(1/3), and sum up to errors in proportion to e^(2/3): with
// e = tolerance the result would be off by far more than that. With e = tolerance^(3/2) times a
// constant the result follows the tolerance, as it does with methods of higher order.
#include <algorithm>
#include <cmath>

namespace cardan {

// The factor by which local errors count more.
inline double weight_of_second_order(double rtol) {
  constexpr double as_it_is = 1e-4;   // a tolerance from which on nothing changes
  constexpr double tightest = 1e-12;  // rtol: smaller ones are taken as this
  return std::max(1.0, std::sqrt(as_it_is / std::max(rtol, tightest)));
}

}  // namespace cardan
