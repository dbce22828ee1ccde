// The table of forces.
#include "cardan/model/type_parts.h"

namespace cardan {

namespace dim = dimension;
using enum ValueKind;
using namespace type_parts;

std::vector<TypeSpec> force_specs() {
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
        frame_key()}},
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
        law_key(
            "spring", dim::force, "length", dim::length, "tension over `length`, with a potential"),
        law_key("damper", dim::force, "rate", dim::velocity, "tension over `rate`"),
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
        law_key("spring", dim::torque, "angle", dim::none, "torque over `angle`, with a potential"),
        law_key("damper", dim::torque, "rate", dim::rate, "torque over `rate`"),
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

}  // namespace cardan
