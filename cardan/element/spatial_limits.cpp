// What stops and contacts limit in space, as one equation each and as the law of a compliant one.
// Ends are frames (f, g, h) at x, d = x_j - x_i:
//   x, y, z, distance, displacement, angle, angle-1 .. angle-3   as drivers measure them
//   sphere-plane                        h_i.d
//   sphere-sphere, sphere-in-sphere     |d|
//   sphere-cylinder, sphere-in-cylinder sqrt((f_i.d)^2 + (g_i.d)^2), the distance from the axis
#include <stdexcept>

#include "cardan/element/limit_maker.h"
#include "cardan/element/spatial_maker.h"
#include "cardan/element/turns.h"

namespace cardan {
namespace {

Pair<AxisDistance> from_axis(const ElementSpec& spec) {
  const EndFrame i(spec.ends[0]);
  AxisDistance p;
  p.s = {i.f, i.g, i.x, spec.ends[1].point};
  return pair_of(p, spec);
}

Pair<Azimuth> counted(Pair<Azimuth> pair, const ElementSpec& spec, TurnTable* turns) {
  pair.primitive.turn = {count_turns(turns, pair, spec.number("near"))};
  return pair;
}

// Calls make(pair, word, pool) with what an element of this type measures.
template <class Make>
auto measured(std::string_view type, const ElementSpec& spec, TurnTable* turns, Make make) {
  if (type == "x") return make(points<Coordinate<3, 0>>(spec), "x", "limit of x");
  if (type == "y") return make(points<Coordinate<3, 1>>(spec), "y", "limit of y");
  if (type == "z") return make(points<Coordinate<3, 2>>(spec), "z", "limit of z");
  if (type.starts_with("angle")) {
    const SpatialAngle angle = spatial_angle(spec, type);
    if (const auto* turn = std::get_if<Pair<Azimuth>>(&angle))
      return make(counted(*turn, spec, turns), "angle", "limit of an angle");
    return make(std::get<Pair<Inclination>>(angle), "angle", "limit of an inclination");
  }
  if (type == "displacement")
    return make(
        along(spec, EndFrame(spec.ends[0]).h, 0), "displacement", "limit along a direction");
  if (type == "sphere-plane")
    return make(along(spec, EndFrame(spec.ends[0]).h, 0), "gap", "limit from a plane");
  if (type == "distance" || type == "sphere-sphere" || type == "sphere-in-sphere")
    return make(points<Length<3>>(spec), "distance", "limit of a distance");
  if (type == "sphere-cylinder" || type == "sphere-in-cylinder")
    return make(from_axis(spec), "distance from the axis", "limit from an axis");
  throw std::invalid_argument("no limit of type '" + std::string(type) + "'");
}

}  // namespace

Part add_spatial_limit(ConstraintSet& set,
                       std::string_view type,
                       const ElementSpec& spec,
                       double c) {
  return measured(
      type, spec, set.turns(), [&](auto pair, std::string_view word, std::string_view pool) {
        pair.primitive.c += c;
        return set.add(pool, {word}, pair);
      });
}

ForcePart add_spatial_limit(ForceSet& set,
                            std::string_view type,
                            const ElementSpec& spec,
                            const ForceSet::Limit& limit) {
  return measured(
      type, spec, set.turns(), [&](const auto& pair, std::string_view, std::string_view pool) {
        return set.place_limit(pool, pair, limit);
      });
}

}  // namespace cardan
