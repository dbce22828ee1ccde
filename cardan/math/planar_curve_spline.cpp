// Splines through points in the plane: x(s) and y(s) are cubic splines over the length s of the
// polygon, periodic for a closed curve, natural for an open one. A natural spline has no curvature
// at its ends, so that the straight continuation beyond them is twice continuously differentiable.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cardan/math/curve_spline.h"
#include "cardan/math/planar_curve.h"
#include "cardan/math/polygon.h"

namespace cardan {
namespace {

class SplineCurve : public PlanarCurve {
 public:
  SplineCurve(CubicSpline x, CubicSpline y, bool closed)
      : x_(std::move(x)), y_(std::move(y)), closed_(closed) {}

  Point at(double s) const override {
    if (closed_) return inside(std::clamp(s - period() * std::floor(s / period()), 0.0, period()));
    if (s >= 0 && s <= period()) return inside(s);
    const double end = s < 0 ? 0 : period();
    const Point p = inside(end);
    return {p.c + (s - end) * p.c_s, p.c_s, Vec<2>::Zero(), Vec<2>::Zero()};
  }

  double period() const override { return x_.last(); }

  bool closed() const override { return closed_; }

 private:
  Point inside(double s) const {
    const auto x = x_.at(s), y = y_.at(s);
    return {{x[0], y[0]}, {x[1], y[1]}, {x[2], y[2]}, {x[3], y[3]}};
  }

  CubicSpline x_, y_;
  bool closed_;
};

PlanarCurvePtr spline_curve(std::vector<Vec<2>> points, bool closed) {
  const std::string fault = fault_in_points(points, closed);
  if (!fault.empty()) throw std::invalid_argument("a curve through points: " + fault);
  if (closed && !repeats_first(points)) points.push_back(points.front());
  const std::vector<double> s = lengths_along(points);
  std::vector<double> x, y;
  for (const auto& p : points) {
    x.push_back(p.x());
    y.push_back(p.y());
  }
  const SplineOptions options{.ends = closed ? SplineEnds::periodic : SplineEnds::natural};
  return std::make_shared<SplineCurve>(
      CubicSpline(s, x, options), CubicSpline(s, y, options), closed);
}

}  // namespace

std::string fault_in_points(const std::vector<Vec<2>>& points, bool closed) {
  return polygon_fault(points, closed);
}

PlanarCurvePtr closed_spline_curve(std::vector<Vec<2>> points) {
  return spline_curve(std::move(points), true);
}

PlanarCurvePtr open_spline_curve(std::vector<Vec<2>> points) {
  return spline_curve(std::move(points), false);
}

}  // namespace cardan
