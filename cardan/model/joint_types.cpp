// The table of joints.
#include "cardan/model/type_parts.h"

namespace cardan {

namespace {

namespace dim = dimension;
using enum ValueKind;
using namespace type_parts;

KeySpec curve_key() {
  return {.name = "curve",
          .kind = curve,
          .doc = "name of a planar `[[curve]]`, in the frame of the first side"};
}

std::vector<KeySpec> with_friction(KeySpec own) {
  std::vector<KeySpec> keys = friction_keys();
  keys.push_back(std::move(own));
  return keys;
}

std::vector<TypeSpec> simple_joints() {
  return {
      {Kind::joint,
       "revolute",
       "Pin: one point of each body stays together.",
       one_point(),
       with_friction(number_key("pin_radius",
                                dim::length,
                                "none",
                                "of the pin, for friction: its torque is friction times radius "
                                "times reaction",
                                Range::positive))},
      {Kind::joint,
       "translational",
       "Slide along an axis without turning.",
       one_frame(both_axes),
       with_friction(number_key("guide_length",
                                dim::length,
                                "none: the reaction torque makes no friction",
                                "distance of the guide's two edges, which carry force and torque; "
                                "midway lies the point of the second body",
                                Range::positive))},
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

}  // namespace

std::vector<TypeSpec> joint_specs() {
  std::vector<TypeSpec> all = simple_joints();
  for (auto&& group : {rolling_joints(), cam_joints()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace cardan
