#pragma once
// Inside of the makers of planar elements: primitives placed at the ends of an element.
#include "cardan/element/maker.h"
#include "cardan/element/planar/planar_primitive.h"

namespace cardan {

template <class P> Pair<P> between_points(const ElementSpec& spec, double c) {
  P p;
  p.s = {point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  p.c = c;
  return pair_of(p, spec);
}

// Displacement along a direction of side i.
inline Pair<Dot2<2>> along_direction(const ElementSpec& spec, const Vec<2>& a, double c) {
  Dot2<2> p;
  p.s = {a, point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  p.c = c;
  return pair_of(p, spec);
}

inline Pair<Dot2<2>> along_axis(const ElementSpec& spec, double c) {
  return along_direction(spec, axis_of<2>(spec.ends[0]), c);
}

inline Pair<Dot2<2>> along_normal(const ElementSpec& spec, double c) {  // to the left of the axis
  return along_direction(spec, perp(axis_of<2>(spec.ends[0])), c);
}

// Angle from the axis of side i to that of side j, counted in turns, less c.
inline Pair<Angle> angle_between_axes(const ElementSpec& spec, double c) {
  Angle p;
  p.c = axis_angle(spec.ends[0]) - axis_angle(spec.ends[1]) + c;
  return pair_of(p, spec);
}

}  // namespace cardan
