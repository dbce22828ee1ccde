// What the descriptions of planar and spatial forces have in common.
#include "cardan/element/force/force_maker.h"

namespace cardan {

namespace {

namespace dim = dimension;
using namespace type_parts;

// Constants, laws and the actuator of a spring along a measure of this unit.
struct SpringTexts {
  std::string_view stiffness, free_key, free_doc, spring_doc, damper_doc, actuator, actuator_doc;
};

std::vector<KeySpec> spring_keys(UnitKind unit,
                                 std::string_view measure,
                                 const SpringTexts& text,
                                 Range of_free) {
  const Dimension force = unit == UnitKind::angle ? dim::torque : dim::force;
  return {
      number_key("stiffness", stiffness_dimension(unit), "0", text.stiffness, Range::not_negative),
      number_key("damping", damping_dimension(unit), "0", "of the damper", Range::not_negative),
      number_key(text.free_key, value_dimension(unit), from_pose, text.free_doc, of_free),
      law_key("spring", force, measure, value_dimension(unit), text.spring_doc),
      law_key("damper", force, "rate", rate_dimension(unit), text.damper_doc),
      {.name = text.actuator,
       .kind = ValueKind::formula,
       .dimensions = {force},
       .otherwise = "none",
       .doc = text.actuator_doc}};
}

}  // namespace

ElementType spring_type() {
  return {
      .kind = Kind::force,
      .type = "spring",
      .doc = "Spring, damper and actuator along the line between two points. Tension is positive.",
      .geometry = two_points(),
      .keys = spring_keys(UnitKind::length,
                          "length",
                          {"of the spring",
                           "free_length",
                           "length without force",
                           "tension over `length`, with a potential",
                           "tension over `rate`",
                           "force",
                           "added tension: a formula of `length`, `rate`, `t` and requests"},
                          Range::not_negative),
      .own = OwnVariable{"length", UnitKind::length},
      .drawing = Drawing::spring};
}

ElementType torsion_spring_type(std::string_view doc, Geometry geometry) {
  return {.kind = Kind::force,
          .type = "rotational-spring",
          .doc = doc,
          .geometry = geometry,
          .keys = spring_keys(
              UnitKind::angle,
              "angle",
              {"of the spring, per radian",
               "free_angle",
               "angle of the second body relative to the first without torque",
               "torque over `angle`, with a potential",
               "torque over `rate`",
               "torque",
               "added torque that turns the bodies together: a formula of `angle`, `rate`, `t` "
               "and requests"},
              Range::any),
          .own = OwnVariable{"angle", UnitKind::angle},
          .drawing = Drawing::torsion_spring};
}

ElementType bushing_type(std::string_view doc,
                         std::vector<Dimension> stiffness,
                         std::vector<Dimension> damping,
                         std::string_view axes,
                         std::string_view no_damping) {
  return {.kind = Kind::force,
          .type = "bushing",
          .doc = doc,
          .geometry = one_frame(pose_axes),
          .keys = {{.name = "stiffness",
                    .kind = ValueKind::numbers,
                    .dimensions = std::move(stiffness),
                    .doc = axes,
                    .range = Range::not_negative},
                   {.name = "damping",
                    .kind = ValueKind::numbers,
                    .dimensions = std::move(damping),
                    .otherwise = no_damping,
                    .doc = "likewise",
                    .range = Range::not_negative}},
          .drawing = Drawing::bushing};
}

ElementType formula_force(std::string_view type,
                          std::string_view doc,
                          Geometry geometry,
                          std::vector<KeySpec> keys) {
  geometry.role = {"reaction", "acted on"};
  return {.kind = Kind::force,
          .type = type,
          .doc = doc,
          .geometry = geometry,
          .keys = std::move(keys),
          .drawing = Drawing::arrow};
}

KeySpec component_key(std::vector<Dimension> dimensions, std::vector<std::string_view> parts) {
  return {.name = "value",
          .kind = ValueKind::formulas,
          .dimensions = std::move(dimensions),
          .doc = "components, each a formula of `t` and of requests",
          .parts = std::move(parts)};
}

KeySpec frame_key() {
  return {.name = "frame",
          .kind = ValueKind::choice,
          .otherwise = "ground",
          .doc = "axes of the components: the ground's, or the second body's",
          .choices = words_of(body_frames)};
}

}  // namespace cardan
