// The table of spatial joints.
#include "cardan/model/type_parts.h"

namespace cardan {

namespace {

namespace dim = dimension;
using enum ValueKind;
using namespace type_parts;

TypeSpec joint(std::string_view type,
               std::string_view doc,
               Geometry geometry,
               std::vector<KeySpec> keys = {}) {
  return {Kind::joint, type, doc, geometry, std::move(keys), Space::spatial};
}

Geometry point_and_axis() {
  return {.point = both_points, .axis = both_axes, .at = At::both};
}

Geometry crossing_axes() {
  Geometry g = point_and_axis();
  g.cross = true;
  return g;
}

Geometry axes_only() {
  return {.point = no_points, .axis = both_axes, .at = At::none};
}

Geometry feature_and_point(std::string_view feature) {
  return {.role = {feature, "point"},
          .point = both_points,
          .axis = {AxisRule::required, AxisRule::none},
          .at = At::both};
}

std::vector<KeySpec> with_friction(std::vector<KeySpec> own) {
  std::vector<KeySpec> keys = friction_keys();
  for (auto& key : own) keys.push_back(std::move(key));
  return keys;
}

KeySpec size_key(std::string_view name, std::string_view otherwise, std::string_view doc) {
  return number_key(name, dim::length, otherwise, doc, Range::positive);
}

KeySpec bearing_length() {
  return size_key("bearing_length",
                  "none: bending makes no friction",
                  "for friction: distance of the bearing's two ends, which carry force and bending "
                  "moment; midway lies the point of the second body");
}

std::vector<TypeSpec> single_joints() {
  return {
      joint("fixed",
            "The two bodies keep the relative position of the given pose.",
            one_frame(pose_axes)),
      joint("revolute",
            "A hinge: turning about an axis is free.",
            point_and_axis(),
            with_friction({size_key("pin_radius",
                                    "none",
                                    "of the pin, for friction: its torque is friction times radius "
                                    "times the load across the axis"),
                           bearing_length(),
                           size_key("collar_radius",
                                    "none: the force along the axis makes no friction",
                                    "of a collar that carries the force along the axis")})),
      joint("translational",
            "A slide along an axis without turning.",
            one_frame(both_axes),
            with_friction(
                {size_key("guide_length",
                          "none: bending makes no friction",
                          "for friction: distance of the guide's two edges, which carry force and "
                          "bending moment; midway lies the point of the second body"),
                 size_key("guide_width",
                          "none: the torque about the axis makes no friction",
                          "for friction: distance of the two flanks that carry the torque about "
                          "the axis")})),
      joint("cylindrical",
            "Sliding along and turning about an axis are free.",
            point_and_axis(),
            with_friction({size_key("pin_radius",
                                    "none",
                                    "of the pin, for friction against sliding along it and around "
                                    "it at once"),
                           bearing_length()})),
      joint("spherical",
            "A ball joint: one point of each body stays together.",
            one_point(),
            with_friction({size_key("ball_radius",
                                    "none",
                                    "of the ball, for friction: its torque is friction times "
                                    "radius times reaction, against the relative rotation")})),
      joint("universal",
            "A cross: one point of each body stays together, and the axis on the first body "
            "stays perpendicular to that on the second. `axis` has two directions.",
            crossing_axes()),
      joint("planar",
            "A plane of the second body stays in a plane of the first; the axis is its normal.",
            one_frame(both_axes)),
      joint("screw",
            "Like cylindrical, with the displacement in proportion to the angle.",
            point_and_axis(),
            {number_key("pitch", dim::length, "", "displacement of a full turn")}),
      joint("constant-velocity",
            "One point of each body stays together, and both bodies turn at one speed about "
            "their axes at any bend.",
            point_and_axis()),
      joint("point-on-line",
            "A point of the second body stays on a line of the first.",
            feature_and_point("line")),
      joint("point-in-plane",
            "A point of the second body stays in a plane of the first; the axis is its normal.",
            feature_and_point("plane"),
            {number_key("distance", dim::length, "0", "of the point, along the normal")}),
      joint("line-in-plane",
            "A line of the second body stays in a plane of the first. `axis` has two directions: "
            "the plane's normal and the line.",
            {.role = {"plane", "line"}, .point = both_points, .axis = both_axes, .at = At::both}),
      joint("parallel-axes", "Two axes stay parallel.", axes_only()),
      joint("perpendicular-axes",
            "Two axes stay perpendicular. `axis` has two directions.",
            axes_only()),
  };
}

std::vector<TypeSpec> composite_joints() {
  const auto length = [](std::string_view doc) {
    return std::vector<KeySpec>{number_key("length", dim::length, from_pose, doc, Range::positive)};
  };
  return {
      joint("spherical-spherical",
            "A massless link with a ball joint at each end.",
            two_points(),
            length("distance of the balls")),
      joint("revolute-spherical",
            "A massless link, hinged to the first body and with a ball joint to the second.",
            {.point = both_points, .axis = {AxisRule::required, AxisRule::none}, .at = At::each},
            length("distance of the ball from the hinge's axis")),
      joint("revolute-revolute",
            "A massless link with a hinge at each end; the hinges are parallel.",
            {.point = both_points, .axis = both_axes, .at = At::each},
            length("distance of the hinges' axes")),
      joint("revolute-cylindrical",
            "A massless link, hinged to the first body and sliding along and turning about an axis "
            "of the second. `axis` has two directions.",
            {.point = both_points, .axis = both_axes, .at = At::each},
            length("distance of the axes")),
  };
}

std::vector<TypeSpec> geared_joints() {
  const KeySpec ratio =
      number_key("ratio", dim::none, "", "turns of the worm for one of the wheel", Range::positive);
  return {
      joint(
          "gear",
          "Two gear wheels, spur or bevel; the points are their centres, and the teeth mesh as in "
          "the given pose. `axis` has two directions where they are not parallel.",
          {.point = origins, .axis = both_axes, .at = At::each},
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
            .doc = "one wheel is a ring with inner teeth"}}),
      joint("worm-gear",
            "A worm drives a wheel; they mesh as in the given pose. `axis` has two directions.",
            {.role = {"worm", "wheel"}, .point = origins, .axis = both_axes, .at = At::each},
            {ratio,
             {.name = "left_handed",
              .kind = boolean,
              .otherwise = "false",
              .doc = "hand of the worm's thread"}}),
      joint("rack-and-pinion",
            "A pinion meshes with a straight rack; they mesh as in the given pose. `axis` has two "
            "directions: that of the pinion and that along the rack.",
            {.role = {"pinion", "rack"}, .point = origins, .axis = both_axes, .at = At::each},
            {number_key("radius", dim::length, "", "pitch radius", Range::positive)}),
      joint("coupler",
            "A linear relation of two joint coordinates: factor_1 y_1 + factor_2 y_2 = value.",
            {.sides = 0},
            {{.name = "joints", .kind = names, .doc = "names of the two joints"},
             {.name = "factors",
              .kind = numbers,
              .dimensions = {},
              .doc = "of their coordinates, as plain numbers (metres and radians)"},
             {.name = "coordinates",
              .kind = names,
              .otherwise = "the joint's own",
              .doc = "`angle` or `displacement` of each, for cylindrical joints"},
             {.name = "value",
              .kind = numbers,
              .dimensions = {},
              .otherwise = from_pose,
              .doc = "of the sum, as a list of one number"}}),
  };
}

std::vector<TypeSpec> surface_joints() {
  Geometry round = feature_and_point("surface");
  round.at = At::second;
  round.point = {PointRule::origin, PointRule::required};
  Geometry ball = round;
  ball.axis = no_axes;
  const auto radius = [](std::string_view otherwise, std::string_view doc) {
    return std::vector<KeySpec>{number_key("radius", dim::length, otherwise, doc, Range::positive)};
  };
  Geometry wheel{.role = {"plane", "wheel"},
                 .point = {PointRule::required, PointRule::origin},
                 .axis = both_axes,
                 .at = At::first};
  Geometry rolling_ball = wheel;
  rolling_ball.role = {"plane", "ball"};
  rolling_ball.axis = {AxisRule::required, AxisRule::none};
  return {
      joint("point-on-sphere",
            "A point of the second body stays on a sphere about a point of the first.",
            ball,
            radius(from_pose, "of the sphere")),
      joint("point-on-cylinder",
            "A point of the second body stays on a cylinder about an axis of the first.",
            round,
            radius(from_pose, "of the cylinder")),
      joint("point-on-curve",
            "A point of the second body stays on a curve of the first: a planar one in the plane "
            "across its axis with x along `across`, or one in space with z along the axis.",
            round,
            {{.name = "curve", .kind = curve, .doc = "name of a `[[curve]]`, planar or in space"}}),
      joint(
          "rolling-disc",
          "The rim of a disc rolls without slip on a plane. `axis` has two directions: the plane's "
          "normal and the disc's axis.",
          wheel,
          radius("", "of the disc")),
      joint("rolling-sphere",
            "A sphere rolls without slip on a plane; the axis is the plane's normal.",
            rolling_ball,
            radius("", "of the sphere")),
  };
}

std::vector<TypeSpec> held_joints() {
  std::vector<TypeSpec> all;
  for (const auto& [type, doc] :
       {std::pair{"x", "Holds the x component of the vector from the first point to the second."},
        std::pair{"y", "Holds the y component of the vector from the first point to the second."},
        std::pair{"z", "Holds the z component of the vector from the first point to the second."}})
    all.push_back(joint(type,
                        doc,
                        two_origins(),
                        {number_key("value", dim::length, from_pose, "the component held")}));
  all.push_back(joint("angle",
                      "Holds the angle of the second body about the axis of the first.",
                      axes_only(),
                      {number_key("value", dim::none, from_pose, "the angle held")}));
  all.push_back(
      joint("distance",
            "Holds the distance of two points.",
            two_points(),
            {number_key("value", dim::length, from_pose, "the distance held", Range::positive)}));
  all.push_back(joint("orientation",
                      "The second body keeps its orientation relative to the first.",
                      one_frame(pose_axes)));
  return all;
}

}  // namespace

std::vector<TypeSpec> spatial_joint_specs() {
  std::vector<TypeSpec> all = single_joints();
  for (auto&& group : {composite_joints(), geared_joints(), surface_joints(), held_joints()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace cardan
