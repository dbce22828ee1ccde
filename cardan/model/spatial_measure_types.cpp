// The table of drivers, requests and initial conditions in space: the same measures in three roles.
#include "cardan/model/type_parts.h"

namespace cardan {

namespace type_parts {

KeySpec sequence_key() {
  return {.name = "sequence",
          .kind = ValueKind::choice,
          .otherwise = "xyz",
          .doc =
              "axes of the three turns from the first frame to the second, each about the axis "
              "as turned before; `universal`: of the cross of a universal joint",
          .choices = {"xyz",
                      "yzx",
                      "zxy",
                      "xzy",
                      "yxz",
                      "zyx",
                      "xyx",
                      "xzx",
                      "yxy",
                      "yzy",
                      "zxz",
                      "zyz",
                      "universal"}};
}

}  // namespace type_parts

namespace {

namespace dim = dimension;
using enum ValueKind;
using namespace type_parts;

struct Measure {
  std::string_view type, doc;
  Geometry geometry;
  Dimension value, rate;
  bool sequence = false;
};

std::vector<Measure> measures() {
  Geometry along{.point = origins, .axis = {AxisRule::required, AxisRule::none}, .at = At::each};
  Geometry about{.point = no_points, .axis = both_axes, .at = At::none};
  Geometry frames{.point = no_points, .axis = pose_axes, .at = At::none};
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
          {"z",
           "z component of the vector from the first point to the second, in ground axes.",
           two_origins(),
           dim::length,
           dim::velocity},
          {"angle",
           "Angle of the second body about the axis of the first, from `across` to `across`.",
           about,
           dim::none,
           dim::rate},
          {"angle-1",
           "First of three angles that turn the first frame into the second.",
           frames,
           dim::none,
           dim::rate,
           true},
          {"angle-2",
           "Second of three angles that turn the first frame into the second.",
           frames,
           dim::none,
           dim::rate,
           true},
          {"angle-3",
           "Third of three angles that turn the first frame into the second.",
           frames,
           dim::none,
           dim::rate,
           true},
          {"distance", "Distance of two points.", two_points(), dim::length, dim::velocity},
          {"displacement",
           "Position of the second point along the axis of the first body, from the first point.",
           along,
           dim::length,
           dim::velocity}};
}

TypeSpec spec(Kind kind, const Measure& m, std::vector<KeySpec> keys) {
  if (m.sequence) keys.push_back(sequence_key());
  return {kind, m.type, m.doc, m.geometry, std::move(keys), Space::spatial};
}

}  // namespace

std::vector<TypeSpec> spatial_measure_specs() {
  std::vector<TypeSpec> all;
  for (const auto& m : measures())
    all.push_back(spec(Kind::driver,
                       m,
                       {{.name = "motion",
                         .kind = motion,
                         .dimensions = {m.value},
                         .doc = "prescribed value: a formula of `t`, or the name of a curve"}}));
  all.push_back({Kind::request,
                 "point",
                 "Path of a point: x, y and z in ground axes.",
                 two_origins(),
                 {},
                 Space::spatial});
  for (const auto& m : measures()) all.push_back(spec(Kind::request, m, {}));
  all.push_back({Kind::request,
                 "expression",
                 "A formula of `t` and of other requests.",
                 {.sides = 0},
                 {{.name = "value", .kind = formula, .doc = "the formula"},
                  {.name = "unit",
                   .kind = text,
                   .otherwise = "that of the formula",
                   .doc = "SI unit of the values, or any word to show beside them"}},
                 Space::spatial});
  for (const auto& m : measures())
    all.push_back(spec(Kind::initial,
                       m,
                       {number_key("value", m.value, "not prescribed", "value at the start"),
                        number_key("rate", m.rate, "not prescribed", "rate at the start")}));
  const Geometry directions{.point = no_points, .axis = both_axes, .at = At::none};
  for (const auto& [type, doc] :
       {std::pair<std::string_view, std::string_view>{
            "angular-velocity", "Angular velocity of the second body along the axis of the first."},
        {"angular-velocity-body", "Angular velocity of the second body along its own axis."}})
    all.push_back({Kind::initial,
                   type,
                   doc,
                   directions,
                   {number_key("rate", dim::rate, "", "value at the start")},
                   Space::spatial});
  return all;
}

}  // namespace cardan
