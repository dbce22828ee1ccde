// Gear pair, rack and pinion, and a disc that rolls on a line. Sides as in the model file: gear
// first and second wheel, rack-and-pinion pinion then rack, rolling line then disc.
#include "cardan/element/planar/planar_maker.h"
#include "cardan/element/type_parts.h"

namespace cardan {
namespace {

namespace dim = dimension;
using namespace type_parts;

struct Radii {
  double first, second;  // second negative for an internal pair
};

// Pitch radii as given, or from the ratio and the distance of the centres in the pose.
Result<Radii, ElementFault> radii_of(const ElementSpec& spec, double distance) {
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
  if (!radii) return radii.why();
  GearPair p;
  p.s = length.s;
  p.turn_weight = {radii.value().first, radii.value().second};
  p.c = pose_value(pair_of(p, spec), q);
  return std::vector<Part>{
      set.add("gear", {in_length("rolling of the pitch circles")}, pair_of(p, spec))};
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
  return std::vector<Part>{
      set.add("rack-and-pinion", {in_length("rolling of pinion on rack")}, r.pair)};
}

Made make_rolling(ConstraintSet& set, const ElementSpec& spec, CView q) {
  if (auto fault = radius_fault(spec)) return *fault;
  const Rolling r = rolling_pair(spec.ends[0], spec.ends[1], *spec.number("radius"), q);
  Dot2<2> contact;
  contact.s = {
      perp(axis_of<2>(spec.ends[0])), point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  contact.c = r.signed_radius;
  return std::vector<Part>{
      set.add("rolling", {in_length("rolling without slip")}, r.pair),
      set.add(
          "contact", {in_length("distance of the disc from the line")}, pair_of(contact, spec))};
}

constexpr NoFriction rolls{"wheels roll on each other without sliding"};

ElementType gear() {
  return {.kind = Kind::joint,
          .type = "gear",
          .doc =
              "Two gear wheels; the points are their centres, and the teeth mesh as in the given "
              "pose.",
          .geometry = two_origins(),
          .keys = {{.name = "radii",
                    .kind = ValueKind::numbers,
                    .dimensions = {dim::length, dim::length},
                    .otherwise = "from `ratio`",
                    .doc = "pitch radii of the first and the second wheel",
                    .range = Range::positive},
                   number_key("ratio",
                              dim::none,
                              "from `radii`",
                              "radius (or teeth) of the second wheel over that of the first",
                              Range::positive),
                   flag_key("internal", "one wheel is a ring with inner teeth")},
          .no_coordinate = "it relates the turns of two wheels",
          .friction = rolls,
          .embedding = embed_about_z,
          .drawing = Drawing::gear,
          .make = make_gear};
}

void embed_wheel_on_line(Side& line, Side& wheel) {
  line.across = left_of(line.axis);
  wheel.across = {1, 0, 0};
  wheel.axis = z_axis;
}

void embed_rack(const Model&, Element& e) {
  if (e.sides.size() == 2) embed_wheel_on_line(e.sides[1], e.sides[0]);
}

ElementType rack_and_pinion() {
  return {.kind = Kind::joint,
          .type = "rack-and-pinion",
          .doc = "A pinion meshes with a straight rack; they mesh as in the given pose.",
          .geometry = {.role = {"pinion", "rack"},
                       .point = origins,
                       .axis = {AxisRule::none, AxisRule::required},
                       .at = At::each},
          .keys = {number_key("radius", dim::length, "", "pitch radius", Range::positive)},
          .no_coordinate = "it relates the turn of the pinion and the rack's displacement",
          .friction = rolls,
          .embedding = embed_rack,
          .drawing = Drawing::rack,
          .make = make_rack_and_pinion};
}

void embed_rolling(const Model&, Element& e) {
  if (e.sides.size() == 2) embed_wheel_on_line(e.sides[0], e.sides[1]);
}

ElementType rolling() {
  return {.kind = Kind::joint,
          .type = "rolling",
          .doc = "A disc of the second body rolls without slip on a straight line of the first.",
          .geometry = {.role = {"line", "disc"},
                       .point = {PointRule::required, PointRule::origin},
                       .axis = first_axis,
                       .at = At::first},
          .keys = {number_key("radius", dim::length, "", "radius of the disc", Range::positive)},
          .no_coordinate = "turn and displacement of the disc are one freedom of two measures",
          .friction = rolls,
          .embedding = embed_rolling,
          .drawing = Drawing::line,
          .make = make_rolling};
}

}  // namespace

std::vector<ElementType> rolling_joint_types() {
  return {gear(), rack_and_pinion(), rolling()};
}

}  // namespace cardan
