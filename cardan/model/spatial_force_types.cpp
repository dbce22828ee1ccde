// The table of spatial forces.
#include "cardan/model/type_parts.h"

namespace cardan {

namespace {

namespace dim = dimension;
using enum ValueKind;
using namespace type_parts;

std::vector<Dimension> six(Dimension of_shift, Dimension of_turn) {
  return {of_shift, of_shift, of_shift, of_turn, of_turn, of_turn};
}

TypeSpec force(std::string_view type,
               std::string_view doc,
               Geometry geometry,
               std::vector<KeySpec> keys) {
  return {Kind::force, type, doc, geometry, std::move(keys), Space::spatial};
}

}  // namespace

std::vector<TypeSpec> spatial_force_specs() {
  const std::string_view zero = "0";
  Geometry at_body{
      .role = {"reaction", "acted on"}, .point = meeting_points, .axis = no_axes, .at = At::both};
  Geometry couple = bodies_only();
  couple.role = at_body.role;
  Geometry about_axis{.point = no_points, .axis = both_axes, .at = At::none};
  return {
      force(
          "force",
          "A force on a point of the (second) body; between two bodies, its opposite on the "
          "first at that body's own point, which may part from it (`general-force` has one point).",
          at_body,
          {{.name = "value",
            .kind = formulas,
            .dimensions = {dim::force, dim::force, dim::force},
            .doc = "components, each a formula of `t` and of requests",
            .parts = {"fx", "fy", "fz"}},
           frame_key()}),
      force("torque",
            "A torque on the (second) body; between two bodies, its opposite on the first.",
            couple,
            {{.name = "value",
              .kind = formulas,
              .dimensions = {dim::torque, dim::torque, dim::torque},
              .doc = "components, each a formula of `t` and of requests",
              .parts = {"tx", "ty", "tz"}},
             frame_key()}),
      force("general-force",
            "Force and torque by formulas on the (second) body at its point; the opposite on the "
            "first.",
            {.role = {"reaction", "acted on"},
             .point = meeting_points,
             .axis = pose_axes,
             .at = At::both},
            {{.name = "value",
              .kind = formulas,
              .dimensions = six(dim::force, dim::torque),
              .doc = "three components of the force, then of the torque",
              .parts = {"fx", "fy", "fz", "tx", "ty", "tz"}},
             {.name = "frame",
              .kind = choice,
              .otherwise = "ground",
              .doc = "axes of the components: the ground's, or those of one end (z along `axis`, x "
                     "along `across`)",
              .choices = {"ground", "first", "second"}}}),
      force(
          "spring",
          "Spring, damper and actuator along the line between two points. Tension is positive.",
          two_points(),
          {number_key("stiffness", dim::stiffness, zero, "of the spring", Range::not_negative),
           number_key("damping", dim::damping, zero, "of the damper", Range::not_negative),
           number_key(
               "free_length", dim::length, from_pose, "length without force", Range::not_negative),
           law_key("spring",
                   dim::force,
                   "length",
                   dim::length,
                   "tension over `length`, with a potential"),
           law_key("damper", dim::force, "rate", dim::velocity, "tension over `rate`"),
           {.name = "force",
            .kind = formula,
            .dimensions = {dim::force},
            .otherwise = "none",
            .doc = "added tension: a formula of `length`, `rate`, `t` and requests"}}),
      force(
          "rotational-spring",
          "Rotational spring, damper and actuator between two bodies about an axis.",
          about_axis,
          {number_key(
               "stiffness", dim::torque, zero, "of the spring, per radian", Range::not_negative),
           number_key(
               "damping", dim::rotational_damping, zero, "of the damper", Range::not_negative),
           number_key("free_angle",
                      dim::none,
                      from_pose,
                      "angle of the second body relative to the first without torque"),
           law_key(
               "spring", dim::torque, "angle", dim::none, "torque over `angle`, with a potential"),
           law_key("damper", dim::torque, "rate", dim::rate, "torque over `rate`"),
           {.name = "torque",
            .kind = formula,
            .dimensions = {dim::torque},
            .otherwise = "none",
            .doc = "added torque that turns the bodies together: a formula of `angle`, `rate`, "
                   "`t` and requests"}}),
      force(
          "bushing",
          "Springs and dampers along and about three axes between two frames that coincide when "
          "free, in the axes of the first.",
          one_frame(pose_axes),
          {{.name = "stiffness",
            .kind = numbers,
            .dimensions = six(dim::stiffness, dim::torque),
            .doc = "along x, y, z of the frame (z along `axis`, x along `across`), then about them",
            .range = Range::not_negative},
           {.name = "damping",
            .kind = numbers,
            .dimensions = six(dim::damping, dim::rotational_damping),
            .otherwise = "[0, 0, 0, 0, 0, 0]",
            .doc = "likewise",
            .range = Range::not_negative}}),
  };
}

}  // namespace cardan
