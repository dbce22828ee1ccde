#pragma once
// A smooth curve in the plane, (x(s), y(s)), for cams: open on [0, length] or closed with that
// period.
#include <memory>
#include <string>
#include <vector>

#include "cardan/math/function.h"
#include "cardan/math/types.h"

namespace cardan {

class PlanarCurve {
 public:
  virtual ~PlanarCurve() = default;

  struct Point {
    Vec<2> c, c_s, c_ss, c_sss;  // position and derivatives to the parameter
  };

  virtual Point at(double s) const = 0;
  virtual double period() const = 0;  // parameter range
  virtual bool closed() const = 0;
};

using PlanarCurvePtr = std::shared_ptr<const PlanarCurve>;

// The makers throw std::invalid_argument when the numbers make no sense; the fault_... functions
// tell a reader beforehand, in words, empty when nothing is wrong.

// The parameter is the angle at the centre of the circle, 0 to 2 pi, counterclockwise; off the
// origin: an eccentric.
PlanarCurvePtr circle_curve(double radius, const Vec<2>& centre = Vec<2>::Zero());
// Half axes a and b, the first turned by `tilt` from x. The parameter is the eccentric anomaly.
PlanarCurvePtr ellipse_curve(double a,
                             double b,
                             const Vec<2>& centre = Vec<2>::Zero(),
                             double tilt = 0);
// r(angle) (cos angle, sin angle), angle from 0 to 2 pi. Value and slope of r must agree at both
// ends.
PlanarCurvePtr polar_curve(FunctionPtr radius);
std::string fault_in_polar(const Function& radius);

// Cubic splines through the points; the parameter is the length of the polygon through them. A
// closed one returns from the last point to the first, which may be repeated at the end. An open
// one goes on straight beyond its ends.
PlanarCurvePtr closed_spline_curve(std::vector<Vec<2>> points);
PlanarCurvePtr open_spline_curve(std::vector<Vec<2>> points);
std::string fault_in_points(const std::vector<Vec<2>>& points, bool closed);

}  // namespace cardan
