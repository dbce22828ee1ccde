#pragma once
// What descriptions of element types are made of. Internal to element/.
#include <numbers>

#include "cardan/element/contact/friction_plan.h"
#include "cardan/element/element_type.h"
#include "cardan/model/key_parts.h"

namespace cardan {

namespace type_parts {

using key_parts::number_key;

// ---- geometries, named by what meets what

inline constexpr std::array<PointRule, 2> no_points{PointRule::none, PointRule::none};
inline constexpr std::array<PointRule, 2> both_points{PointRule::required, PointRule::required};
inline constexpr std::array<PointRule, 2> origins{PointRule::origin, PointRule::origin};
inline constexpr std::array<PointRule, 2> meeting_points{PointRule::meeting, PointRule::meeting};
inline constexpr std::array<AxisRule, 2> no_axes{AxisRule::none, AxisRule::none};
inline constexpr std::array<AxisRule, 2> first_axis{AxisRule::required, AxisRule::none};
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

inline Geometry axes_only() {
  return {.point = no_points, .axis = both_axes, .at = At::none};
}

inline Geometry frames_only() {
  return {.point = no_points, .axis = pose_axes, .at = At::none};
}

inline Geometry points_along_axis() {
  return {.point = origins, .axis = first_axis, .at = At::each};
}

// ---- keys

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

inline KeySpec flag_key(std::string_view name, std::string_view doc) {
  return {.name = name, .kind = ValueKind::boolean, .otherwise = "false", .doc = doc};
}

// Coulomb's friction of a joint or a contact; without `friction` there is none.
std::vector<KeySpec> friction_keys(std::vector<KeySpec> own);

// ---- coordinates of joints

inline std::optional<double> same_angle(const Element&, double value) {
  return value;
}

inline JointCoordinate held(Measure measure) {
  return {.measure = measure, .free = false, .no_channel = "its value is held"};
}

inline JointCoordinate planar_coordinate(Measure measure) {
  return {.measure = measure, .no_channel = "planar joints show theirs by requests"};
}

inline JointCoordinate free_angle() {
  return {.measure = Measure::angle, .channel = "angle", .angle_at = same_angle};
}

inline JointCoordinate free_displacement() {
  return {.measure = Measure::displacement, .channel = "displacement"};
}

// ---- embedding of planar elements

inline constexpr Triple z_axis{0, 0, 1};

inline Triple left_of(const Triple& a) {
  return {-a[1], a[0], 0};
}

inline void embed_unchanged(const Model&, Element&) {}

// Axes become z, and angles count from the planar ones.
inline void embed_about_z(const Model&, Element& e) {
  for (Side& side : e.sides) {
    side.across = side.axis;
    side.axis = z_axis;
  }
}

inline void embed_along_axis(const Model&, Element& e) {
  for (Side& side : e.sides) side.across = z_axis;
}

// Planar angles count turns: which one is meant at the start is that of the given pose.
void embed_counted_angle(const Model&, Element&);

// Normals to the left of the axes, which are those of planes in space.
inline void embed_normals(Element& e) {
  for (Side& side : e.sides) {
    side.axis = left_of(side.axis);
    side.across = z_axis;
  }
}

inline void rename_setting(Element& e, std::string_view from, std::string_view to) {
  for (auto& [key, value] : e.settings)
    if (key == from) key = to;
}

// Of the second point from the line through the first along its axis, in the given pose.
double distance_left(const Model&, const Element&);

}  // namespace type_parts

// The tables, one a file.
std::vector<ElementType> planar_joint_types();
std::vector<ElementType> rolling_joint_types();
std::vector<ElementType> cam_joint_types();
std::vector<ElementType> spatial_joint_types();
std::vector<ElementType> spatial_link_types();
std::vector<ElementType> spatial_wheel_types();
std::vector<ElementType> spatial_coupling_types();
std::vector<ElementType> embedded_joint_types();  // of planar models run in space
std::vector<ElementType> measure_types();         // drivers, requests, initial conditions, stops
std::vector<ElementType> relation_types();        // equations by formulas
std::vector<ElementType> planar_force_types();
std::vector<ElementType> spatial_force_types();
std::vector<ElementType> planar_contact_types();
std::vector<ElementType> spatial_contact_types();

}  // namespace cardan
