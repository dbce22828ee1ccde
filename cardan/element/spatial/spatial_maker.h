#pragma once
// Inside of the makers of spatial elements: primitives placed at the ends of an element.
#include "cardan/element/maker.h"
#include "cardan/element/spatial/spatial_primitive.h"

namespace cardan {

template <class P> Pair<P> points(const ElementSpec& spec) {
  P p;
  p.s = {spec.ends[0].point, spec.ends[1].point};
  return pair_of(p, spec);
}

inline Pair<Dot1<3>> directions(const ElementSpec& spec,
                                const Vec<3>& a_i,
                                const Vec<3>& a_j,
                                double c) {
  Dot1<3> p;
  p.s = {a_i, a_j};
  p.c = c;
  return pair_of(p, spec);
}

// Displacement of x_j from x_i along a direction of i, less c.
inline Pair<Dot2<3>> along(const ElementSpec& spec, const Vec<3>& a_i, double c) {
  Dot2<3> p;
  p.s = {a_i, spec.ends[0].point, spec.ends[1].point};
  p.c = c;
  return pair_of(p, spec);
}

inline Pair<Parallel1> parallel_axes(const ElementSpec& spec) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  Parallel1 p;
  p.s = {i.f, i.g, j.h};
  return pair_of(p, spec);
}

inline Pair<Parallel2> on_axis(const ElementSpec& spec) {
  const EndFrame i(spec.ends[0]);
  Parallel2 p;
  p.s = {i.f, i.g, i.x, spec.ends[1].point};
  return pair_of(p, spec);
}

// The largest length of which both are whole multiples, by continued fractions; 0: none in sight.
double common_pitch(double a, double b);

// Angle about f x g of side i, from f towards g, at which direction c of side j is seen.
inline Pair<Azimuth> azimuth(const ElementSpec& spec,
                             const Vec<3>& f,
                             const Vec<3>& g,
                             const Vec<3>& c) {
  Azimuth p;
  p.s = {f, g, c};
  p.weight = {1};
  return pair_of(p, spec);
}

// Pools that several makers fill, compiled once (spatial_pools.cpp).
extern template class ElementPool<Pair<Dot1<3>>>;
extern template class ElementPool<Pair<Dot2<3>>>;
extern template class ElementPool<Pair<Parallel1>>;
extern template class ElementPool<Pair<Parallel2>>;
extern template class ElementPool<Pair<Azimuth>>;
extern template class ElementPool<Pair<Inclination>>;
extern template class ElementPool<Pair<Coordinate<3, 0>>>;
extern template class ElementPool<Pair<Coordinate<3, 1>>>;
extern template class ElementPool<Pair<Coordinate<3, 2>>>;

}  // namespace cardan
