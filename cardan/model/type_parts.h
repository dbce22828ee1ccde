#pragma once
// What the tables of element types are made of. Internal to the catalogue.
#include "cardan/model/catalogue.h"

namespace cardan {

namespace type_parts {

// Geometries, named by what meets what.
inline constexpr std::array<PointRule, 2> no_points{PointRule::none, PointRule::none};
inline constexpr std::array<PointRule, 2> both_points{PointRule::required, PointRule::required};
inline constexpr std::array<PointRule, 2> origins{PointRule::origin, PointRule::origin};
inline constexpr std::array<PointRule, 2> meeting_points{PointRule::meeting, PointRule::meeting};
inline constexpr std::array<AxisRule, 2> no_axes{AxisRule::none, AxisRule::none};
inline constexpr std::array<AxisRule, 2> both_axes{AxisRule::required, AxisRule::required};
inline constexpr std::array<AxisRule, 2> pose_axes{AxisRule::pose, AxisRule::pose};

inline constexpr std::string_view from_pose = "as in the given pose";

inline Geometry bodies_only() {
  return {.point = no_points, .axis = no_axes, .at = At::none};
}

inline Geometry one_point() {
  return {.point = both_points, .axis = no_axes, .at = At::both};
}

inline Geometry two_points() {
  return {.point = both_points, .axis = no_axes, .at = At::each};
}

inline Geometry two_origins() {
  return {.point = origins, .axis = no_axes, .at = At::each};
}

inline Geometry one_frame(std::array<AxisRule, 2> axis) {
  return {.point = meeting_points, .axis = axis, .at = At::both};
}

inline KeySpec number_key(std::string_view name,
                          Dimension d,
                          std::string_view otherwise,
                          std::string_view doc,
                          Range r = Range::any) {
  return {.name = name,
          .kind = ValueKind::number,
          .dimensions = {d},
          .otherwise = otherwise,
          .doc = doc,
          .range = r};
}

// A law of a spring or damper beside its constants.
inline KeySpec law_key(std::string_view name,
                       Dimension d,
                       std::string_view variable,
                       Dimension of_variable,
                       std::string_view doc) {
  return {.name = name,
          .kind = ValueKind::motion,
          .dimensions = {d},
          .otherwise = "none",
          .doc = doc,
          .variable = variable,
          .of_variable = of_variable};
}

inline KeySpec frame_key() {
  return {.name = "frame",
          .kind = ValueKind::choice,
          .otherwise = "ground",
          .doc = "axes of the components: the ground's, or the second body's",
          .choices = {"ground", "body"},
          .parts = {"", "body_fixed"}};
}

KeySpec sequence_key();  // of three angles in space (spatial_measure_types.cpp)

// Coulomb's friction of a joint or a contact; without `friction` there is none.
inline std::vector<KeySpec> friction_keys() {
  namespace dim = dimension;
  return {
      number_key("friction", dim::none, "0", "coefficient of friction", Range::not_negative),
      number_key("static_friction",
                 dim::none,
                 "as `friction`",
                 "coefficient as the sliding begins",
                 Range::not_negative),
      number_key("stribeck_speed",
                 dim::velocity,
                 "10 times `transition_speed`",
                 "sliding speed at which the coefficient has fallen from `static_friction` most "
                 "of the way to `friction`",
                 Range::positive),
      number_key("transition_speed",
                 dim::velocity,
                 "1 mm/s",
                 "sliding speed over which the friction changes its sense: friction times "
                 "tanh(speed / transition_speed)",
                 Range::positive)};
}

}  // namespace type_parts

std::vector<TypeSpec> joint_specs();
std::vector<TypeSpec> measure_specs();  // drivers, requests and initial conditions
std::vector<TypeSpec> force_specs();
std::vector<TypeSpec> contact_specs();  // stops and contacts
std::vector<TypeSpec> spatial_joint_specs();
std::vector<TypeSpec> spatial_measure_specs();
std::vector<TypeSpec> spatial_force_specs();
std::vector<SectionSpec> spatial_sections();
std::vector<SectionSpec> state_sections();

}  // namespace cardan
