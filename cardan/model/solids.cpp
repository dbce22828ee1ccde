// Meshes by the divergence theorem: a sum over the tetrahedra (o, a, b, c) of the triangles,
//   V = d/6,  V x_c = d (a + b + c) / 24,  int x x^T = d/120 (s s^T + a a^T + b b^T + c c^T),
// with d = a . (b x c), s = a + b + c, about a corner o of the mesh.
#include "cardan/model/solids.h"

#include <cmath>
#include <map>
#include <numbers>

namespace cardan {

namespace {

constexpr double pi = std::numbers::pi;

Mat<3, 3> from_moments(const Mat<3, 3>& second) {  // J = tr(E) - E of E = int x x^T
  return second.trace() * Mat<3, 3>::Identity() - second;
}

Vec<3> vector(const Triple& p) {
  return Vec<3>(p.data());
}

// A body of revolution about the line from a to b.
Solid about_line(
    const Vec<3>& a, const Vec<3>& b, double volume, double centroid, double along, double across) {
  const Vec<3> u = (b - a).normalized();
  Solid s;
  s.volume = volume;
  s.centroid = a + centroid * (b - a);
  s.tensor = across * Mat<3, 3>::Identity() + (along - across) * u * u.transpose();
  return s;
}

Solid tube(const Vec<3>& a, const Vec<3>& b, double outer, double inner) {
  const double h = (b - a).norm(), square = outer * outer + inner * inner;
  const double volume = pi * (outer * outer - inner * inner) * h;
  return about_line(a, b, volume, 0.5, volume * square / 2, volume * (3 * square + h * h) / 12);
}

Solid cone(const Vec<3>& a, const Vec<3>& b, double r) {
  const double h = (b - a).norm(), volume = pi * r * r * h / 3;
  return about_line(
      a, b, volume, 0.25, volume * 0.3 * r * r, volume * 3.0 / 80 * (4 * r * r + h * h));
}

Solid box(const Shape& shape) {
  const double x = shape.sizes[0], y = shape.sizes[1], z = shape.sizes[2];
  Solid s;
  s.volume = x * y * z;
  s.centroid = vector(shape.points[0]);
  s.tensor = s.volume / 12 * Vec<3>(y * y + z * z, z * z + x * x, x * x + y * y).asDiagonal();
  s.tensor = turned(s.tensor, Quaternion(shape.orientation.data()));
  return s;
}

Solid sphere(const Shape& shape) {
  const double r = shape.sizes[0];
  Solid s;
  s.volume = 4.0 / 3 * pi * r * r * r;
  s.centroid = vector(shape.points[0]);
  s.tensor = 0.4 * s.volume * r * r * Mat<3, 3>::Identity();
  return s;
}

Solid mesh(const Shape& shape) {
  Solid s;
  if (shape.points.empty()) return s;
  const Vec<3> o = vector(shape.points[0]);
  Vec<3> first = Vec<3>::Zero();
  Mat<3, 3> second = Mat<3, 3>::Zero();
  for (const auto& t : shape.triangles) {
    const auto corner = [&](int k) -> Vec<3> {
      return vector(shape.points[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])]) - o;
    };
    const Vec<3> a = corner(0), b = corner(1), c = corner(2), sum = a + b + c;
    const double d = a.dot(b.cross(c));
    s.volume += d / 6;
    first += d / 24 * sum;
    second += d / 120 *
              (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  if (!(s.volume > 0)) return s;
  const Vec<3> centroid = first / s.volume;
  s.centroid = o + centroid;
  s.tensor = from_moments(second - s.volume * centroid * centroid.transpose());
  return s;
}

}  // namespace

void Solid::add(const Solid& other) {
  const double sum = volume + other.volume;
  if (!(sum > 0)) return;
  const Vec<3> centre = (volume * centroid + other.volume * other.centroid) / sum;
  tensor = moved_to_centre(tensor, -volume, centre - centroid) +
           moved_to_centre(other.tensor, -other.volume, centre - other.centroid);
  centroid = centre;
  volume = sum;
}

Solid solid_of(const Shape& shape) {
  if (shape.kind == "box") return box(shape);
  if (shape.kind == "sphere") return sphere(shape);
  if (shape.kind == "mesh") return mesh(shape);
  if (shape.kind == "cylinder")
    return tube(vector(shape.points[0]), vector(shape.points[1]), shape.sizes[0], 0);
  if (shape.kind == "tube")
    return tube(vector(shape.points[0]), vector(shape.points[1]), shape.sizes[0], shape.sizes[1]);
  if (shape.kind == "cone")
    return cone(vector(shape.points[0]), vector(shape.points[1]), shape.sizes[0]);
  return {};
}

Solid solid_of(const std::vector<Shape>& shapes) {
  Solid all;
  for (const Shape& shape : shapes) all.add(solid_of(shape));
  return all;
}

Solid round_bar(double length, double diameter) {
  if (!(diameter > 0) || !(length > 0)) return {};
  return tube(Vec<3>::Zero(), {length, 0, 0}, diameter / 2, 0);
}

Mat<3, 3> moved_to_centre(const Mat<3, 3>& J, double mass, const Vec<3>& d) {
  return J - mass * (d.squaredNorm() * Mat<3, 3>::Identity() - d * d.transpose());
}

Mat<3, 3> turned(const Mat<3, 3>& J, const Quaternion& e) {
  const Mat<3, 3> A = matrix_of_quaternion(e);
  return A * J * A.transpose();
}

int open_edges(const std::vector<std::array<int, 3>>& triangles) {
  std::map<std::pair<int, int>, int> count;
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) ++count[{t[k], t[(k + 1) % 3]}];
  int open = 0;
  for (const auto& [edge, times] : count) {
    const auto back = count.find({edge.second, edge.first});
    if (times != 1 || back == count.end() || back->second != 1) ++open;
  }
  return open;
}

}  // namespace cardan
