// The table of drivers, requests and initial conditions: the same measures in three roles.
#include "cardan/model/type_parts.h"

namespace cardan {

namespace {

namespace dim = dimension;
using enum ValueKind;
using namespace type_parts;

KeySpec motion_key(Dimension d) {
  return {.name = "motion",
          .kind = motion,
          .dimensions = {d},
          .doc = "prescribed value: a formula of `t`, or the name of a curve"};
}

// What drivers, requests and initial conditions measure.
struct Measure {
  std::string_view type, doc;
  Geometry geometry;
  Dimension value, rate;
};

std::vector<Measure> measures() {
  Geometry along = one_frame(no_axes);
  along.point = origins;
  along.axis = {AxisRule::required, AxisRule::none};
  along.at = At::each;
  return {{"x",
           "x component of the vector from the first point to the second, in ground axes.",
           two_origins(),
           dim::length,
           dim::velocity},
          {"y",
           "y component of the vector from the first point to the second, in ground axes.",
           two_origins(),
           dim::length,
           dim::velocity},
          {"angle",
           "Angle of the second body (or marker) relative to the first.",
           bodies_only(),
           dim::none,
           dim::rate},
          {"distance", "Distance of two points.", two_points(), dim::length, dim::velocity},
          {"displacement",
           "Position of the second point along the axis of the first body, from the first point.",
           along,
           dim::length,
           dim::velocity}};
}

}  // namespace

std::vector<TypeSpec> measure_specs() {
  std::vector<TypeSpec> all;
  for (const auto& m : measures())
    all.push_back({Kind::driver, m.type, m.doc, m.geometry, {motion_key(m.value)}});
  all.push_back(
      {Kind::request, "point", "Path of a point: x and y in ground axes.", two_origins(), {}});
  for (const auto& m : measures()) all.push_back({Kind::request, m.type, m.doc, m.geometry, {}});
  all.push_back({Kind::request,
                 "expression",
                 "A formula of `t` and of other requests.",
                 {.sides = 0},
                 {{.name = "value", .kind = formula, .doc = "the formula"},
                  {.name = "unit",
                   .kind = text,
                   .otherwise = "that of the formula",
                   .doc = "SI unit of the values, or any word to show beside them"}}});
  for (const auto& m : measures())
    all.push_back({Kind::initial,
                   m.type,
                   m.doc,
                   m.geometry,
                   {number_key("value", m.value, "not prescribed", "value at the start"),
                    number_key("rate", m.rate, "not prescribed", "rate at the start")}});
  return all;
}

}  // namespace cardan
