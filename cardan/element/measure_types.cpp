// Drivers, requests, initial conditions and stops: the same measures in four roles. What differs
// between plane and space is in planar_measures.cpp and spatial_measures.cpp.
#include "cardan/element/contact/limit_maker.h"
#include "cardan/element/type_parts.h"

namespace cardan {

namespace {

namespace dim = dimension;
using namespace type_parts;

struct Text {
  std::string_view name, doc, limits;
};

Text text_of(Measure measure, Space space) {
  const bool spatial = space == Space::spatial;
  switch (measure) {
    case Measure::x:
      return {"x",
              "x component of the vector from the first point to the second, in ground axes.",
              "Limits the x component of the vector from the first point to the second, in ground "
              "axes."};
    case Measure::y:
      return {"y",
              "y component of the vector from the first point to the second, in ground axes.",
              "Limits the y component of the vector from the first point to the second, in ground "
              "axes."};
    case Measure::z:
      return {"z",
              "z component of the vector from the first point to the second, in ground axes.",
              "Limits the z component of the vector from the first point to the second, in ground "
              "axes."};
    case Measure::angle:
      if (spatial)
        return {"angle",
                "Angle of the second body about the axis of the first, from `across` to `across`.",
                "Limits the angle of the second body about the axis of the first, from `across` to "
                "`across`; turns are counted, from an angle between -180 and 180 deg at the start "
                "unless an `[[initial]]` says another."};
      return {"angle",
              "Angle of the second body (or marker) relative to the first.",
              "Limits the angle of the second body relative to the first."};
    case Measure::angle_1:
      return {"angle-1",
              "First of three angles that turn the first frame into the second.",
              "Limits the first of three angles that turn the first frame into the second."};
    case Measure::angle_2:
      return {"angle-2",
              "Second of three angles that turn the first frame into the second.",
              "Limits the second of three angles that turn the first frame into the second."};
    case Measure::angle_3:
      return {"angle-3",
              "Third of three angles that turn the first frame into the second.",
              "Limits the third of three angles that turn the first frame into the second."};
    case Measure::distance:
      return {"distance",
              "Distance of two points.",
              "Limits the distance of two points: an upper limit is a rope."};
    case Measure::displacement:
      return {
          "displacement",
          "Position of the second point along the axis of the first body, from the first point.",
          "Limits the position of the second point along the axis of the first body."};
    case Measure::angular_velocity:
      return {"angular-velocity",
              "Angular velocity of the second body along the axis of the first.",
              ""};
    case Measure::angular_velocity_body:
      return {
          "angular-velocity-body", "Angular velocity of the second body along its own axis.", ""};
  }
  return {};
}

bool of_sequence(Measure measure) {
  return measure == Measure::angle_1 || measure == Measure::angle_2 || measure == Measure::angle_3;
}

std::variant<Unstated, EmbeddingRule, NotInSpace> embedding_of(Measure measure, Space space) {
  if (space == Space::spatial) return Unstated{};
  if (measure == Measure::angle) return embed_counted_angle;
  if (measure == Measure::displacement) return embed_along_axis;
  return embed_unchanged;
}

ElementType measuring(Kind kind, const MeasureRow& row, Space space, std::vector<KeySpec> keys) {
  if (of_sequence(row.measure)) keys.push_back(sequence_key());
  const Text text = text_of(row.measure, space);
  return {.kind = kind,
          .type = text.name,
          .doc = text.doc,
          .geometry = row.geometry,
          .keys = std::move(keys),
          .space = space,
          .measure = row.measure,
          .embedding = embedding_of(row.measure, space),
          .make = row.make};
}

ElementType driver(const MeasureRow& row, Space space) {
  return measuring(Kind::driver,
                   row,
                   space,
                   {{.name = "motion",
                     .kind = ValueKind::motion,
                     .dimensions = {value_dimension(unit_kind_of(row.measure))},
                     .doc = "prescribed value: a formula of `t`, or the name of a curve"}});
}

ElementType initial(const MeasureRow& row, Space space) {
  const UnitKind unit = unit_kind_of(row.measure);
  return measuring(
      Kind::initial,
      row,
      space,
      {number_key("value", value_dimension(unit), "not prescribed", "value at the start"),
       number_key("rate", rate_dimension(unit), "not prescribed", "rate at the start")});
}

ElementType stop(const MeasureRow& row, Space space) {
  const UnitKind unit = unit_kind_of(row.measure);
  const Dimension value = value_dimension(unit);
  ElementType type = measuring(Kind::stop,
                               row,
                               space,
                               {number_key("lower", value, "none", "smallest value"),
                                number_key("upper", value, "none", "largest value")});
  const auto keys = limit_keys(unit);
  type.keys.insert(type.keys.end(), keys.begin(), keys.end());
  type.doc = text_of(row.measure, space).limits;
  type.make = row.limit;
  return type;
}

ElementType point_request(Space space) {
  ElementType type{.kind = Kind::request,
                   .type = "point",
                   .doc = space == Space::planar ? "Path of a point: x and y in ground axes."
                                                 : "Path of a point: x, y and z in ground axes.",
                   .geometry = two_origins(),
                   .space = space,
                   .make = PointRequest{}};
  if (space == Space::planar) type.embedding = embed_unchanged;
  return type;
}

ElementType formula_request(Space space) {
  ElementType type{.kind = Kind::request,
                   .type = "expression",
                   .doc =
                       "A formula of `t`, of other requests and of results of the run by their "
                       "names, as in hypot(main.first.fx, main.first.fy).",
                   .geometry = {.sides = 0},
                   .keys = {{.name = "value", .kind = ValueKind::formula, .doc = "the formula"},
                            {.name = "unit",
                             .kind = ValueKind::text,
                             .otherwise = "that of the formula",
                             .doc = "SI unit of the values, or any word to show beside them"}},
                   .space = space,
                   .make = FormulaRequest{}};
  if (space == Space::planar) type.embedding = embed_unchanged;
  return type;
}

ElementType turning(Measure measure, MeasureMaker make) {
  const Text text = text_of(measure, Space::spatial);
  return {.kind = Kind::initial,
          .type = text.name,
          .doc = text.doc,
          .geometry = axes_only(),
          .keys = {number_key("rate", dim::rate, "", "value at the start")},
          .space = Space::spatial,
          .measure = measure,
          .make = make};
}

}  // namespace

std::string_view name_of(Measure measure) {
  return text_of(measure, Space::planar).name;
}

UnitKind unit_kind_of(Measure measure) {
  switch (measure) {
    case Measure::x:
    case Measure::y:
    case Measure::z:
    case Measure::distance:
    case Measure::displacement:
      return UnitKind::length;
    default:
      return UnitKind::angle;
  }
}

std::vector<KeySpec> limit_keys(UnitKind unit) {
  return {
      number_key("restitution",
                 dim::none,
                 "0",
                 "of a hard one: rate after an impact over rate before it, 0 to 1",
                 Range::not_negative),
      number_key("rest_speed",
                 rate_dimension(unit),
                 "1 mm/s, for angles over the mechanism's size",
                 "of a hard one: an impact that would rebound slower ends the bouncing, and the "
                 "bodies stay together until they pull apart",
                 Range::positive),
      number_key("stiffness",
                 stiffness_dimension(unit),
                 "none: it is hard",
                 "of a compliant one",
                 Range::positive),
      number_key("damping",
                 damping_dimension(unit),
                 "0",
                 "of a compliant one; it never pulls",
                 Range::not_negative),
      number_key("onset",
                 value_dimension(unit),
                 "0.001 of the mechanism's size, for angles 0.001",
                 "of a compliant one: depth over which stiffness and damping grow from nothing",
                 Range::positive)};
}

std::vector<ElementType> measure_types() {
  std::vector<ElementType> all;
  for (const Space space : {Space::planar, Space::spatial}) {
    const auto rows = space == Space::planar ? planar_measures() : spatial_measures();
    for (const auto& row : rows) all.push_back(driver(row, space));
    all.push_back(point_request(space));
    for (const auto& row : rows) all.push_back(measuring(Kind::request, row, space, {}));
    all.push_back(formula_request(space));
    for (const auto& row : rows) all.push_back(initial(row, space));
    for (const auto& row : rows) all.push_back(stop(row, space));
  }
  all.push_back(turning(Measure::angular_velocity, {make_angular_velocity}));
  all.push_back(turning(Measure::angular_velocity_body, {make_angular_velocity_body}));
  return all;
}

}  // namespace cardan
