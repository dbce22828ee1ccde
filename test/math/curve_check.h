#pragma once
// Derivatives against central differences of sixth order.
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/math/function.h"

namespace cardan {

template <class F> double difference(F f, double x, double h) {
  const double d1 = f(x + h) - f(x - h), d2 = f(x + 2 * h) - f(x - 2 * h),
               d3 = f(x + 3 * h) - f(x - 3 * h);
  return (45 * d1 - 9 * d2 + d3) / (60 * h);
}

inline constexpr double difference_tolerance = 1e-8;  // relative to 1 + |derivative|

inline void expect_slope(double exact, double differenced, const char* what, double x) {
  EXPECT_NEAR(exact, differenced, difference_tolerance * (1 + std::abs(exact)))
      << what << " at " << x;
}

inline void check_derivatives(const Function& f, double x, double h = 1e-3) {
  expect_slope(f.at(x).d, difference([&](double y) { return f.at(y).f; }, x, h), "first", x);
  expect_slope(f.at(x).dd, difference([&](double y) { return f.at(y).d; }, x, h), "second", x);
  expect_slope(f.third(x), difference([&](double y) { return f.at(y).dd; }, x, h), "third", x);
}

}  // namespace cardan
