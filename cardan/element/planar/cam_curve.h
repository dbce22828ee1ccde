#pragma once
// What cam elements ask of a planar curve c(s): the foot of a point on it, and its support function
//   h(theta) = max over s of n.c(s),  n = (cos theta, sin theta),
// the distance from the origin of the tangent with outward normal n. Both are found by Newton's
// method inside a bracket that a table made once provides, so the answer depends on the arguments
// alone.
#include <string>
#include <vector>

#include "cardan/element/primitive.h"
#include "cardan/math/planar_curve.h"

namespace cardan {

// The nearest point of a curve. Open curves go on straight beyond their ends.
class CurveFoot {
 public:
  explicit CurveFoot(PlanarCurvePtr curve);

  struct Foot {
    Vec<2> c, t, n;         // the point, unit tangent and left normal
    double kappa, kappa_s;  // curvature, positive to the left, and its derivative to the arc length
  };

  Foot of(const Vec<2>& y) const;

 private:
  double nearest_parameter(const Vec<2>& y) const;
  PlanarCurvePtr curve_;
  std::vector<Vec<2>> samples_;
};

// The support function of a closed convex curve.
class SupportFunction {
 public:
  explicit SupportFunction(PlanarCurvePtr curve);  // of a curve without fault

  TurnJet<double> at(double theta) const;
  double coarse(double theta) const;  // h interpolated in the table

  const Vec<2>& centre() const { return centre_; }

  double size() const { return size_; }  // largest distance of a point from the centre

 private:
  double parameter(double theta) const;
  PlanarCurvePtr curve_;
  std::vector<double> s_, h_;  // at equal steps of theta, s_ increasing or decreasing throughout
  Vec<2> centre_;
  double size_ = 0;
};

// Why a curve has no support function, in words: open, or not convex. Empty when it has one.
std::string fault_in_convex(const PlanarCurve&);

}  // namespace cardan
