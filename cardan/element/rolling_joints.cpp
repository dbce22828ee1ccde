// Gear pair, rack and pinion, and a disc that rolls on a line. Sides as in the model file: gear
// first and second wheel, rack-and-pinion pinion then rack, rolling line then disc.
#include "cardan/element/maker.h"
#include "cardan/element/planar_primitive.h"

namespace cardan {
namespace {

struct Radii {
  double first, second;  // second negative for an internal pair
};

// Pitch radii as given, or from the ratio and the distance of the centres in the pose.
std::variant<Radii, ElementFault> radii_of(const ElementSpec& spec, double distance) {
  const double sign = spec.flag("internal") ? -1 : 1;
  const auto first = spec.number("radii", 0), second = spec.number("radii", 1),
             ratio = spec.number("ratio");
  if (first && second) {
    if (ratio && std::abs(*second - *ratio * *first) > 1e-9 * *second)
      return ElementFault{"model.gear-radii",
                          "radii and a ratio that contradict each other",
                          "one of the two",
                          "leave out `ratio`"};
    return Radii{*first, sign * *second};
  }
  if (!ratio)
    return ElementFault{"model.gear-radii",
                        "neither radii nor ratio",
                        "the two pitch radii, or their ratio",
                        "write radii = [first, second]"};
  const double parts = std::abs(1 + sign * *ratio);  // centre distance in first radii
  if (!(distance > 0) || parts == 0)
    return ElementFault{"model.gear-radii",
                        "a ratio, but centres whose distance does not give the radii",
                        "pitch radii",
                        "write radii = [first, second]"};
  const double radius = distance / parts;
  return Radii{radius, sign * *ratio * radius};
}

Made make_gear(ConstraintSet& set, const ElementSpec& spec, CView q) {
  Length<2> length;
  length.s = {point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  const double distance = pose_value(pair_of(length, spec), q);
  if (!(distance > 0))
    return ElementFault{"model.gear-centres",
                        "gear centres at the same place",
                        "two wheels side by side",
                        "give the centres of the wheels with `points` or the bodies' positions"};
  const auto radii = radii_of(spec, distance);
  if (const auto* fault = std::get_if<ElementFault>(&radii)) return *fault;
  GearPair p;
  p.s = length.s;
  p.turn_weight = {std::get<Radii>(radii).first, std::get<Radii>(radii).second};
  p.c = pose_value(pair_of(p, spec), q);
  return std::vector<Part>{set.add("gear", {"rolling of the pitch circles"}, pair_of(p, spec))};
}

// The pinion or disc at `wheel` rolls on the line at `line`.
struct Rolling {
  Pair<RackAndPinion> pair;
  double signed_radius;
};

Rolling rolling_pair(const ElementEnd& line, const ElementEnd& wheel, double radius, CView q) {
  const Vec<2> a = axis_of<2>(line);
  Dot2<2> height;
  height.s = {perp(a), point_of<2>(line), point_of<2>(wheel)};
  const std::array<int, 2> body{line.body, wheel.body};
  const double side = pose_value(Pair<Dot2<2>>{height, body}, q) < 0 ? -1 : 1;
  RackAndPinion p;
  p.s = {a, point_of<2>(line), point_of<2>(wheel)};
  p.set_radius(side * radius);
  Pair<RackAndPinion> pair{p, body};
  pair.primitive.c = pose_value(pair, q);
  return {pair, side * radius};
}

std::optional<ElementFault> radius_fault(const ElementSpec& spec) {
  if (spec.number_or("radius", 0) > 0) return std::nullopt;
  return ElementFault{
      "model.missing-radius", "no radius", "a radius greater than zero", "write radius = ..."};
}

Made make_rack_and_pinion(ConstraintSet& set, const ElementSpec& spec, CView q) {
  if (auto fault = radius_fault(spec)) return *fault;
  const Rolling r = rolling_pair(spec.ends[1], spec.ends[0], *spec.number("radius"), q);
  return std::vector<Part>{set.add("rack-and-pinion", {"rolling of pinion on rack"}, r.pair)};
}

Made make_rolling(ConstraintSet& set, const ElementSpec& spec, CView q) {
  if (auto fault = radius_fault(spec)) return *fault;
  const Rolling r = rolling_pair(spec.ends[0], spec.ends[1], *spec.number("radius"), q);
  Dot2<2> contact;
  contact.s = {
      perp(axis_of<2>(spec.ends[0])), point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  contact.c = r.signed_radius;
  return std::vector<Part>{
      set.add("rolling", {"rolling without slip"}, r.pair),
      set.add("contact", {"distance of the disc from the line"}, pair_of(contact, spec))};
}

constexpr MakerEntry makers[] = {
    {"gear", make_gear},
    {"rack-and-pinion", make_rack_and_pinion},
    {"rolling", make_rolling},
};

}  // namespace

std::span<const MakerEntry> rolling_makers() {
  return makers;
}

}  // namespace cardan
