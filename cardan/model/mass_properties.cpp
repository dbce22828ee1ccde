// Polygons by Green's theorem: with c_k = x_k y_k+1 - x_k+1 y_k,
//   A = sum c_k / 2,  A x_c = sum (x_k + x_k+1) c_k / 6,
//   I_o = sum (x_k^2 + x_k x_k+1 + x_k+1^2 + y_k^2 + y_k y_k+1 + y_k+1^2) c_k / 12.
#include "cardan/model/mass_properties.h"

#include <cmath>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

struct Moments {  // about the origin
  double area = 0, x = 0, y = 0, polar = 0;

  void add(const Moments& m) {
    area += m.area;
    x += m.x;
    y += m.y;
    polar += m.polar;
  }
};

Moments about_origin(double area, const Triple& centre, double radius_squared) {
  const double distance_squared = centre[0] * centre[0] + centre[1] * centre[1];
  return {area, area * centre[0], area * centre[1], area * (radius_squared + distance_squared)};
}

Moments polygon(const std::vector<Triple>& corners) {
  if (corners.size() < 3) return {};
  Moments m;
  const Triple o = corners.front();  // sums about a corner: no cancellation far from the origin
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    const double ax = corners[k][0] - o[0], ay = corners[k][1] - o[1];
    const double bx = corners[k + 1][0] - o[0], by = corners[k + 1][1] - o[1];
    const double c = ax * by - bx * ay;
    m.area += c / 2;
    m.x += (ax + bx) * c / 6;
    m.y += (ay + by) * c / 6;
    m.polar += (ax * ax + ax * bx + bx * bx + ay * ay + ay * by + by * by) * c / 12;
  }
  if (m.area == 0) return {};
  const double x = m.x / m.area, y = m.y / m.area;
  return about_origin(std::abs(m.area), {o[0] + x, o[1] + y, 0}, m.polar / m.area - x * x - y * y);
}

Moments moments_of(const Shape& s) {
  if (s.kind == "box" || s.kind == "slider")
    return about_origin(s.sizes[0] * s.sizes[1],
                        s.points[0],
                        (s.sizes[0] * s.sizes[0] + s.sizes[1] * s.sizes[1]) / 12);
  if (s.kind == "disc")
    return about_origin(M_PI * s.sizes[0] * s.sizes[0], s.points[0], s.sizes[0] * s.sizes[0] / 2);
  if (s.kind == "polygon") return polygon(s.points);
  if (s.kind == "bar") {
    const double length =
        elementary::hypot(s.points[1][0] - s.points[0][0], s.points[1][1] - s.points[0][1]);
    const Triple middle{
        (s.points[0][0] + s.points[1][0]) / 2, (s.points[0][1] + s.points[1][1]) / 2, 0};
    return about_origin(
        length * s.sizes[0], middle, (length * length + s.sizes[0] * s.sizes[0]) / 12);
  }
  return {};
}

}  // namespace

Plate plate_of(const std::vector<Shape>& shapes) {
  Moments sum;
  for (const auto& s : shapes) sum.add(moments_of(s));
  if (!(sum.area > 0)) return {};
  const double x = sum.x / sum.area, y = sum.y / sum.area;
  return {sum.area, {x, y, 0}, sum.polar / sum.area - x * x - y * y};
}

Plate bar_plate(double length, double width) {
  return {length * width, {length / 2, 0, 0}, (length * length + width * width) / 12};
}

}  // namespace cardan
