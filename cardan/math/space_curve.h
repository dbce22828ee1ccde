#pragma once
// A smooth curve in space, (x(s), y(s), z(s)) for s in [first, first + period], open or closed.
#include <memory>
#include <string>
#include <vector>

#include "cardan/math/function.h"
#include "cardan/math/types.h"

namespace cardan {

class SpaceCurve {
 public:
  // Three functions of the parameter. A closed curve repeats itself after the range; an open one is
  // asked within it alone.
  SpaceCurve(std::array<FunctionPtr, 3> coordinates, double first, double last, bool closed);
  // Functions made of pieces that meet at these parameters, both ends included.
  SpaceCurve(std::array<FunctionPtr, 3> coordinates, std::vector<double> pieces, bool closed);

  struct Point {
    Vec<3> c, c_s, c_ss, c_sss;  // position and derivatives to the parameter
  };

  Point at(double s) const;

  double first() const { return pieces_.front(); }

  double last() const { return pieces_.back(); }

  double period() const { return last() - first(); }

  const std::vector<double>& pieces() const { return pieces_; }  // smooth within each

  bool closed() const { return closed_; }

 private:
  std::array<FunctionPtr, 3> coordinates_;
  std::vector<double> pieces_;
  bool closed_;
};

using SpaceCurvePtr = std::shared_ptr<const SpaceCurve>;

// What is wrong with a curve in words, empty when nothing is: undefined or standing still
// somewhere, or closed with ends that do not meet smoothly.
std::string fault_in_curve(const SpaceCurve&);

// Cubic splines over the length of the polygon through the points, as splines in the plane.
SpaceCurvePtr space_spline(std::vector<Vec<3>> points, bool closed);
std::string fault_in_points(const std::vector<Vec<3>>& points, bool closed);

}  // namespace cardan
