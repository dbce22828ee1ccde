#include "cardan/math/space_curve.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cardan/math/curve.h"
#include "cardan/math/polygon.h"

namespace cardan {
namespace {

constexpr int samples = 1024;
constexpr double slack = 1e-9;  // of ends that meet

}  // namespace

SpaceCurve::SpaceCurve(std::array<FunctionPtr, 3> coordinates,
                       double first,
                       double last,
                       bool closed)
    : SpaceCurve(std::move(coordinates), std::vector{first, last}, closed) {}

SpaceCurve::SpaceCurve(std::array<FunctionPtr, 3> coordinates,
                       std::vector<double> pieces,
                       bool closed)
    : coordinates_(std::move(coordinates)), pieces_(std::move(pieces)), closed_(closed) {
  if (!coordinates_[0] || !coordinates_[1] || !coordinates_[2] || pieces_.size() < 2 ||
      !std::is_sorted(pieces_.begin(), pieces_.end()) || !(period() > 0) ||
      !std::isfinite(period()))
    throw std::invalid_argument("a curve in space needs three functions and a range");
}

SpaceCurve::Point SpaceCurve::at(double s) const {
  if (closed_) s -= period() * std::floor((s - first()) / period());
  s = std::clamp(s, first(), last());
  Point p;
  for (int k = 0; k < 3; ++k) {
    const Function& f = *coordinates_[static_cast<std::size_t>(k)];
    const Jet jet = f.at(s);
    p.c[k] = jet.f;
    p.c_s[k] = jet.d;
    p.c_ss[k] = jet.dd;
    p.c_sss[k] = f.third(s);
  }
  return p;
}

std::string fault_in_curve(const SpaceCurve& curve) {
  double size = 0, fastest = 0;
  const double first = curve.first(), step = curve.period() / samples;
  const Vec<3> origin = curve.at(first).c;
  for (int k = 0; k <= samples; ++k) {
    const SpaceCurve::Point p = curve.at(first + k * step);
    if (!p.c.allFinite() || !p.c_s.allFinite() || !p.c_ss.allFinite() || !p.c_sss.allFinite())
      return fmt::format("no value or no derivative at u = {:g}", first + k * step);
    size = std::max(size, (p.c - origin).norm());
    fastest = std::max(fastest, p.c_s.norm());
  }
  for (int k = 0; k <= samples; ++k)
    if (!(curve.at(first + k * step).c_s.norm() > 1e-6 * fastest))
      return fmt::format("a curve that stands still at u = {:g}", first + k * step);
  if (!curve.closed()) return {};
  // at() takes the end of the range for its beginning
  const SpaceCurve::Point start = curve.at(first),
                          end = curve.at(std::nextafter(first + curve.period(), first));
  if ((end.c - start.c).norm() > slack * size)
    return fmt::format("ends {:g} m apart", (end.c - start.c).norm());
  if ((end.c_s - start.c_s).norm() > slack * fastest) return "a corner where its ends meet";
  return {};
}

std::string fault_in_points(const std::vector<Vec<3>>& points, bool closed) {
  return polygon_fault(points, closed);
}

SpaceCurvePtr space_spline(std::vector<Vec<3>> points, bool closed) {
  const std::string fault = fault_in_points(points, closed);
  if (!fault.empty()) throw std::invalid_argument("a curve through points: " + fault);
  if (closed && !repeats_first(points)) points.push_back(points.front());
  const std::vector<double> s = lengths_along(points);
  const SplineOptions options{.ends = closed ? SplineEnds::periodic : SplineEnds::natural};
  std::array<FunctionPtr, 3> coordinates;
  for (int k = 0; k < 3; ++k) {
    std::vector<double> values;
    for (const auto& p : points) values.push_back(p[k]);
    coordinates[static_cast<std::size_t>(k)] = cubic_spline(s, values, options);
  }
  return std::make_shared<SpaceCurve>(std::move(coordinates), s, closed);
}

}  // namespace cardan
