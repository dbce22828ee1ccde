#pragma once
// A cubic spline through points, for curves of one variable and curves in the plane.
#include <array>
#include <vector>

#include "cardan/math/curve.h"

namespace cardan {

class CubicSpline {
 public:
  // x ascending; see fault_in_spline for what else is assumed.
  CubicSpline(std::vector<double> x, const std::vector<double>& y, const SplineOptions&);

  double first() const { return x_.front(); }

  double last() const { return x_.back(); }

  // Value and three derivatives of the piece that holds x; beyond the ends, of the last piece.
  std::array<double, 4> at(double x) const;

  // Values over an interval within the points; detail: the shortest of its curved pieces.
  Stretch over(const Interval& x) const;

 private:
  std::vector<double> x_;
  std::vector<std::array<double, 4>> pieces_;  // coefficients of powers of x - x_[i]
};

}  // namespace cardan
