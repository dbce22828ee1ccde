// The table of joints, drivers, forces, requests and initial conditions.
#include <algorithm>

#include "cardan/model/catalogue.h"

namespace cardan {

namespace {

namespace dim = dimension;
using enum ValueKind;

// Geometries, named by what meets what.
constexpr std::array<PointRule, 2> no_points{PointRule::none, PointRule::none};
constexpr std::array<PointRule, 2> both_points{PointRule::required, PointRule::required};
constexpr std::array<PointRule, 2> origins{PointRule::origin, PointRule::origin};
constexpr std::array<PointRule, 2> meeting_points{PointRule::meeting, PointRule::meeting};
constexpr std::array<AxisRule, 2> no_axes{AxisRule::none, AxisRule::none};
constexpr std::array<AxisRule, 2> both_axes{AxisRule::required, AxisRule::required};
constexpr std::array<AxisRule, 2> pose_axes{AxisRule::pose, AxisRule::pose};

constexpr std::string_view from_pose = "as in the given pose";

Geometry bodies_only() {
  return {.point = no_points, .axis = no_axes, .at = At::none};
}

Geometry one_point() {
  return {.point = both_points, .axis = no_axes, .at = At::both};
}

Geometry two_points() {
  return {.point = both_points, .axis = no_axes, .at = At::each};
}

Geometry two_origins() {
  return {.point = origins, .axis = no_axes, .at = At::each};
}

Geometry one_frame(std::array<AxisRule, 2> axis) {
  return {.point = meeting_points, .axis = axis, .at = At::both};
}

KeySpec number_key(std::string_view name,
                   Dimension d,
                   std::string_view otherwise,
                   std::string_view doc,
                   Range r = Range::any) {
  return {.name = name,
          .kind = number,
          .dimensions = {d},
          .otherwise = otherwise,
          .doc = doc,
          .range = r};
}

KeySpec curve_key() {
  return {.name = "curve",
          .kind = curve,
          .doc = "name of a planar `[[curve]]`, in the frame of the first side"};
}

KeySpec motion_key(Dimension d) {
  return {.name = "motion",
          .kind = motion,
          .dimensions = {d},
          .doc = "prescribed value: a formula of `t`, or the name of a curve"};
}

std::vector<TypeSpec> simple_joints() {
  return {
      {Kind::joint, "revolute", "Pin: one point of each body stays together.", one_point(), {}},
      {Kind::joint,
       "translational",
       "Slide along an axis without turning.",
       one_frame(both_axes),
       {}},
      {Kind::joint,
       "fixed",
       "The two bodies keep the relative position of the given pose.",
       one_frame(pose_axes),
       {}},
      {Kind::joint,
       "pin-in-slot",
       "A pin of the second body moves along a straight slot of the first.",
       {.role = {"slot", "pin"},
        .point = both_points,
        .axis = {AxisRule::required, AxisRule::none},
        .at = At::both},
       {}},
      {Kind::joint,
       "revolute-revolute",
       "A massless link with a pin at each end.",
       two_points(),
       {number_key(
           "length", dim::length, from_pose, "distance between the pins", Range::positive)}},
      {Kind::joint,
       "revolute-translational",
       "A massless slider on a straight guide of the first body, pinned to the second body.",
       {.role = {"guide", "pin"},
        .point = both_points,
        .axis = {AxisRule::required, AxisRule::none},
        .at = At::each},
       {number_key("distance",
                   dim::length,
                   from_pose,
                   "of the pin from the guide line, to the left of its axis")}},
      {Kind::joint,
       "x",
       "Holds the x component of the vector from the first point to the second, in ground axes.",
       two_origins(),
       {number_key("value", dim::length, from_pose, "the component held")}},
      {Kind::joint,
       "y",
       "Holds the y component of the vector from the first point to the second, in ground axes.",
       two_origins(),
       {number_key("value", dim::length, from_pose, "the component held")}},
      {Kind::joint,
       "angle",
       "Holds the angle of the second body relative to the first.",
       bodies_only(),
       {number_key("value", dim::none, from_pose, "the angle held")}},
      {Kind::joint,
       "distance",
       "Holds the distance of two points.",
       two_points(),
       {number_key("value", dim::length, from_pose, "the distance held", Range::positive)}},
  };
}

std::vector<TypeSpec> rolling_joints() {
  const std::vector<KeySpec> radius{
      number_key("radius", dim::length, "", "pitch radius", Range::positive)};
  return {
      {Kind::joint,
       "gear",
       "Two gear wheels; the points are their centres, and the teeth mesh as in the given pose.",
       two_origins(),
       {{.name = "radii",
         .kind = numbers,
         .dimensions = {dim::length, dim::length},
         .otherwise = "from `ratio`",
         .doc = "pitch radii of the first and the second wheel",
         .range = Range::positive},
        number_key("ratio",
                   dim::none,
                   "from `radii`",
                   "radius (or teeth) of the second wheel over that of the first",
                   Range::positive),
        {.name = "internal",
         .kind = boolean,
         .otherwise = "false",
         .doc = "one wheel is a ring with inner teeth"}}},
      {Kind::joint,
       "rack-and-pinion",
       "A pinion meshes with a straight rack; they mesh as in the given pose.",
       {.role = {"pinion", "rack"},
        .point = origins,
        .axis = {AxisRule::none, AxisRule::required},
        .at = At::each},
       radius},
      {Kind::joint,
       "rolling",
       "A disc of the second body rolls without slip on a straight line of the first.",
       {.role = {"line", "disc"},
        .point = {PointRule::required, PointRule::origin},
        .axis = {AxisRule::required, AxisRule::none},
        .at = At::first},
       {number_key("radius", dim::length, "", "radius of the disc", Range::positive)}},
  };
}

std::vector<TypeSpec> cam_joints() {
  return {
      {Kind::joint,
       "point-on-curve",
       "A point of the second body stays on a curve of the first.",
       {.role = {"curve", "point"},
        .point = {PointRule::origin, PointRule::required},
        .axis = {AxisRule::body, AxisRule::none},
        .at = At::second},
       {curve_key()}},
      {Kind::joint,
       "cam-flat",
       "A curve of the first body touches a flat face of the second; the axis runs along the face.",
       {.role = {"cam", "flat"},
        .point = {PointRule::origin, PointRule::required},
        .axis = {AxisRule::body, AxisRule::required},
        .at = At::second},
       {curve_key()}},
      {Kind::joint,
       "cam-cam",
       "Two convex curves, one on each body, touch from outside.",
       {.role = {"first cam", "second cam"},
        .point = origins,
        .axis = {AxisRule::body, AxisRule::body},
        .at = At::none},
       {{.name = "curves",
         .kind = curves,
         .doc = "names of the two planar curves",
         .parts = {"curve_i", "curve_j"}}}},
  };
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

void add_measures(std::vector<TypeSpec>& all) {
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
                   .doc = "unit shown beside the values"}}});
  for (const auto& m : measures())
    all.push_back({Kind::initial,
                   m.type,
                   m.doc,
                   m.geometry,
                   {number_key("value", m.value, "not prescribed", "value at the start"),
                    number_key("rate", m.rate, "not prescribed", "rate at the start")}});
}

std::vector<TypeSpec> forces() {
  const std::string_view zero = "0";
  Geometry at_body = one_frame(no_axes);
  at_body.role = {"reaction", "acted on"};
  Geometry couple = bodies_only();
  couple.role = at_body.role;
  return {
      {Kind::force,
       "force",
       "A force on a point of the (second) body; between two bodies, its opposite on the first.",
       at_body,
       {{.name = "value",
         .kind = formulas,
         .dimensions = {dim::force, dim::force},
         .doc = "components, each a formula of `t` and of requests",
         .parts = {"fx", "fy"}},
        {.name = "frame",
         .kind = choice,
         .otherwise = "ground",
         .doc = "axes of the components: the ground's, or the second body's",
         .choices = {"ground", "body"}}}},
      {Kind::force,
       "torque",
       "A torque on the (second) body; between two bodies, its opposite on the first.",
       couple,
       {{.name = "value",
         .kind = formula,
         .dimensions = {dim::torque},
         .doc = "a formula of `t` and of requests"}}},
      {Kind::force,
       "spring",
       "Spring, damper and actuator along the line between two points. Tension is positive.",
       two_points(),
       {number_key("stiffness", dim::stiffness, zero, "of the spring", Range::not_negative),
        number_key("damping", dim::damping, zero, "of the damper", Range::not_negative),
        number_key(
            "free_length", dim::length, from_pose, "length without force", Range::not_negative),
        {.name = "force",
         .kind = formula,
         .dimensions = {dim::force},
         .otherwise = "none",
         .doc = "added tension: a formula of `length`, `rate`, `t` and requests"}}},
      {Kind::force,
       "rotational-spring",
       "Rotational spring, damper and actuator between two bodies.",
       bodies_only(),
       {number_key(
            "stiffness", dim::torque, zero, "of the spring, per radian", Range::not_negative),
        number_key("damping", dim::rotational_damping, zero, "of the damper", Range::not_negative),
        number_key("free_angle",
                   dim::none,
                   from_pose,
                   "angle of the second body relative to the first without torque"),
        {.name = "torque",
         .kind = formula,
         .dimensions = {dim::torque},
         .otherwise = "none",
         .doc = "added torque that turns the bodies together: a formula of `angle`, `rate`, `t` "
                "and requests"}}},
      {Kind::force,
       "bushing",
       "Springs and dampers in x, y and angle between two frames that coincide when free, in the "
       "axes of the first.",
       one_frame(pose_axes),
       {{.name = "stiffness",
         .kind = numbers,
         .dimensions = {dim::stiffness, dim::stiffness, dim::torque},
         .doc = "along x, along y, about the angle",
         .range = Range::not_negative},
        {.name = "damping",
         .kind = numbers,
         .dimensions = {dim::damping, dim::damping, dim::rotational_damping},
         .otherwise = "[0, 0, 0]",
         .doc = "likewise",
         .range = Range::not_negative}}},
  };
}

std::vector<TypeSpec> make_types() {
  std::vector<TypeSpec> all = simple_joints();
  for (auto&& group : {rolling_joints(), cam_joints()})
    all.insert(all.end(), group.begin(), group.end());
  add_measures(all);
  const auto force_types = forces();
  all.insert(all.end(), force_types.begin(), force_types.end());
  return all;
}

}  // namespace

const std::vector<TypeSpec>& element_types() {
  static const std::vector<TypeSpec> all = make_types();
  return all;
}

const TypeSpec* find_type(Kind kind, std::string_view type) {
  const auto& all = element_types();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const TypeSpec& s) { return s.kind == kind && s.type == type; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> type_names(Kind kind) {
  std::vector<std::string> names;
  for (const auto& s : element_types())
    if (s.kind == kind) names.emplace_back(s.type);
  return names;
}

std::string_view measure_of_joint(std::string_view type) {
  if (type == "revolute" || type == "angle") return "angle";
  if (type == "translational" || type == "pin-in-slot" || type == "revolute-translational")
    return "displacement";
  if (type == "revolute-revolute" || type == "distance") return "distance";
  if (type == "x" || type == "y") return type == "x" ? "x" : "y";
  return {};
}

}  // namespace cardan
