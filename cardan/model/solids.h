#pragma once
// Mass properties of solids of even density: volume, centroid and inertia tensor per density, put
// together by moving and turning.
#include <optional>
#include <vector>

#include "cardan/math/rotation.h"
#include "cardan/model/model.h"

namespace cardan {

struct Solid {
  double volume = 0;
  Vec<3> centroid = Vec<3>::Zero();
  Mat<3, 3> tensor = Mat<3, 3>::Zero();  // about the centroid, for density 1

  void add(const Solid&);  // both in the same axes
};

// Of one spatial shape in the body's frame: box, cylinder, tube, sphere, cone, mesh; empty for a
// shape that is only drawn.
Solid solid_of(const Shape&);
Solid solid_of(const std::vector<Shape>&);

Solid round_bar(double length, double diameter);  // from the origin along x; diameter 0: none

// J about the mass centre from J about a point at distance d of it: J - m (d.d - d d^T).
Mat<3, 3> moved_to_centre(const Mat<3, 3>& J, double mass, const Vec<3>& d);
Mat<3, 3> turned(const Mat<3, 3>& J, const Quaternion& e);  // from the axes e to the outer ones

// Edges of a closed surface occur once in each direction: how many do not.
int open_edges(const std::vector<std::array<int, 3>>& triangles);

}  // namespace cardan
