// Drivers and measures of space. Ends are frames (f, g, h) at x with R_mn = e_m(i).e_n(j).
//   x, y, z, distance, displacement = h_i.d, angle of f_j about h_i counted from f_i
//   angle-1, angle-2, angle-3: of a sequence. R = R_a(1) R_b(2) R_c(3), s = sign of the
//   permutation:
//     a, b, c different:  atan2(-s R_bc, R_cc),  asin(s R_ac),  atan2(-s R_ab, R_aa)
//     c = a, k the third: atan2(R_ba, -s R_ka),  acos(R_aa),    atan2(R_ab, s R_ak)
//   angular-velocity, angular-velocity-body: of body j along h_i of the ground, or along its own
//   h_j "universal": turn of the cross about the arm h_i, and of j about its arm h_j.
#include <stdexcept>

#include "cardan/element/spatial_maker.h"
#include "cardan/element/turn_rate.h"
#include "cardan/element/turns.h"

namespace cardan {
namespace {

constexpr std::string_view sequences[] = {
    "xyz", "yzx", "zxy", "xzy", "yxz", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};

struct Axes {
  std::array<Vec<3>, 3> i, j;

  explicit Axes(const ElementSpec& spec) {
    const EndFrame first(spec.ends[0]), second(spec.ends[1]);
    i = {first.f, first.g, first.h};
    j = {second.f, second.g, second.h};
  }
};

ElementSpec swapped(ElementSpec spec) {
  std::swap(spec.ends[0], spec.ends[1]);
  return spec;
}

std::string_view sequence_of(const ElementSpec& spec) {
  for (const std::string_view name : sequences)
    if (spec.flag("sequence=" + std::string(name))) return name;
  return spec.flag("sequence=universal") ? "universal" : "xyz";
}

SpatialAngle universal_angle(const ElementSpec& spec, int which) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  if (which == 0) return azimuth(spec, i.f, i.g, j.h);
  return azimuth(swapped(spec), j.f, -j.g, i.h);
}

// Angle number `which` of a sequence of axes a, b, c.
SpatialAngle sequence_angle(const ElementSpec& spec, std::string_view sequence, int which) {
  if (sequence == "universal") return universal_angle(spec, which);
  const Axes e(spec);
  const int a = sequence[0] - 'x', b = sequence[1] - 'x', c = sequence[2] - 'x';
  const bool proper = a == c;
  const int k = 3 - a - b;
  const double s = (b - a + 3) % 3 == 1 ? 1 : -1;
  if (which == 0)
    return proper ? azimuth(spec, -s * e.i[k], e.i[b], e.j[a])
                  : azimuth(spec, e.i[c], -s * e.i[b], e.j[c]);
  if (which == 2)
    return proper ? azimuth(swapped(spec), s * e.j[k], e.j[b], e.i[a])
                  : azimuth(swapped(spec), e.j[a], -s * e.j[b], e.i[a]);
  Inclination p;
  p.s = {e.i[a], e.j[c]};
  p.sign = proper ? -1 : s;
  p.c = proper ? -std::numbers::pi / 2 : 0;
  return pair_of(p, spec);
}

Part add_angle(ConstraintSet& set,
               const ElementSpec& spec,
               Pair<Azimuth> pair,
               const FunctionPtr& drive) {
  if (drive != nullptr)
    pair.primitive.period = 2 * std::numbers::pi;
  else
    pair.primitive.turn = {count_turns(
        set.turns(), pair, spec.number("value") ? spec.number("value") : spec.number("near"))};
  return set.add("angle", {"angle"}, pair, drive);
}

template <int axis>
Part add_coordinate(ConstraintSet& set,
                    std::string_view name,
                    const ElementSpec& spec,
                    const FunctionPtr& drive) {
  return set.add(name, {name}, points<Coordinate<3, axis>>(spec), drive);
}

Part add_turn_rate(ConstraintSet& set, const ElementSpec& spec, bool in_body) {
  TurnRate rate;
  rate.body = {spec.ends[0].body, spec.ends[1].body};
  rate.direction = EndFrame(spec.ends[in_body ? 1 : 0]).h;
  rate.in_body = in_body;
  return set.add("angular velocity", {"angular velocity"}, rate);
}

constexpr std::string_view types[] = {
    "x", "y", "z", "angle", "distance", "displacement", "angle-1", "angle-2", "angle-3"};

}  // namespace

SpatialAngle spatial_angle(const ElementSpec& spec, std::string_view type) {
  if (type == "angle") {
    const EndFrame i(spec.ends[0]), j(spec.ends[1]);
    return azimuth(spec, i.f, i.g, j.f);
  }
  if (type != "angle-1" && type != "angle-2" && type != "angle-3")
    throw std::invalid_argument("no measure of type '" + std::string(type) + "'");
  return sequence_angle(spec, sequence_of(spec), type.back() - '1');
}

Made make_spatial_measure(ConstraintSet& set,
                          std::string_view type,
                          const ElementSpec& spec,
                          CView,
                          const FunctionPtr& drive) {
  const auto one = [](Part part) {
    return std::vector<Part>{part};
  };
  if (type == "x") return one(add_coordinate<0>(set, "x", spec, drive));
  if (type == "y") return one(add_coordinate<1>(set, "y", spec, drive));
  if (type == "z") return one(add_coordinate<2>(set, "z", spec, drive));
  if (type == "distance")
    return one(set.add("length", {"distance"}, points<Length<3>>(spec), drive));
  if (type == "displacement")
    return one(
        set.add("displacement", {"displacement"}, along(spec, EndFrame(spec.ends[0]).h, 0), drive));
  if (type.starts_with("angle")) {
    if (type == "angle-3" && sequence_of(spec) == "universal")
      return ElementFault{"model.bad-value",
                          "a third angle of a universal joint",
                          "angle-1 or angle-2",
                          "its cross leaves two angles"};
    const SpatialAngle angle = spatial_angle(spec, type);
    if (const auto* turn = std::get_if<Pair<Azimuth>>(&angle))
      return one(add_angle(set, spec, *turn, drive));
    return one(set.add("inclination", {"angle"}, std::get<Pair<Inclination>>(angle), drive));
  }
  if (type.starts_with("angular-velocity"))
    return one(add_turn_rate(set, spec, type.ends_with("-body")));
  throw std::invalid_argument("no measure of type '" + std::string(type) + "'");
}

std::span<const std::string_view> spatial_driver_types() {
  return types;
}

std::span<const std::string_view> turn_rate_types() {
  static constexpr std::string_view names[] = {"angular-velocity", "angular-velocity-body"};
  return names;
}

}  // namespace cardan
