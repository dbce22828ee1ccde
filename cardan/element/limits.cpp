// What stops and contacts limit, as one equation each and as the law of a compliant one.
//   disc-line  n.(x_j - x_i), n left of the axis of side i    disc-disc, disc-in-ring  |x_j - x_i|
#include <stdexcept>

#include "cardan/element/limit_maker.h"
#include "cardan/element/planar_primitive.h"

namespace cardan {
namespace {

template <class P> P between_points(const ElementSpec& spec) {
  P p;
  p.s = {point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  return p;
}

Dot2<2> along(const ElementSpec& spec, bool normal) {
  const Vec<2> a = axis_of<2>(spec.ends[0]);
  Dot2<2> p;
  p.s = {normal ? perp(a) : a, point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  return p;
}

Angle angle_of(const ElementSpec& spec) {
  Angle p;
  p.c = axis_angle(spec.ends[0]) - axis_angle(spec.ends[1]);
  return p;
}

// Calls make(primitive, word) with what an element of this type measures.
template <class Make> auto measured(std::string_view type, const ElementSpec& spec, Make make) {
  if (type == "x") return make(between_points<Coordinate<2, 0>>(spec), "x");
  if (type == "y") return make(between_points<Coordinate<2, 1>>(spec), "y");
  if (type == "angle") return make(angle_of(spec), "angle");
  if (type == "displacement") return make(along(spec, false), "displacement");
  if (type == "disc-line") return make(along(spec, true), "gap");
  if (type == "distance" || type == "disc-disc" || type == "disc-in-ring")
    return make(between_points<Length<2>>(spec), "distance");
  throw std::invalid_argument("no limit of type '" + std::string(type) + "'");
}

// One pool for everything with the same equations.
std::string_view pool_name(std::string_view type) {
  if (type == "x") return "limit of x";
  if (type == "y") return "limit of y";
  if (type == "angle") return "limit of an angle";
  if (type == "displacement" || type == "disc-line") return "limit along a direction";
  return "limit of a distance";
}

}  // namespace

Part ConstraintSet::add_limit(std::string_view type, const ElementSpec& spec, double c) {
  if (dimension_ == 3) return add_spatial_limit(*this, type, spec, c);
  return measured(type, spec, [&](auto primitive, std::string_view word) {
    primitive.c += c;
    const bool line = type == "disc-line";
    return add(line ? "limit from a line" : pool_name(type), {word}, pair_of(primitive, spec));
  });
}

ForcePart ForceSet::add_limit(std::string_view type, const ElementSpec& spec, const Limit& limit) {
  if (dimension_ == 3) return add_spatial_limit(*this, type, spec, limit);
  return measured(type, spec, [&](auto primitive, std::string_view) {
    return place_limit(pool_name(type), pair_of(primitive, spec), limit);
  });
}

}  // namespace cardan
