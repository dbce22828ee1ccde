// Equations by a formula of requests: joints that no type describes, and initial conditions.
#include "cardan/element/type_parts.h"

namespace cardan {

namespace {

using namespace type_parts;

ElementType relation_joint(Space space) {
  ElementType type{
      .kind = Kind::joint,
      .type = "formula",
      .doc =
          "An equation of one's own: a formula of `t` and requests (coordinates, distances, "
          "angles, displacements, points, formulas of these) that stays zero. One that uses "
          "`rate(...)` is at velocity level and must be linear in the rates.",
      .geometry = {.sides = 0},
      .keys = {{.name = "phi", .kind = ValueKind::formula, .doc = "the formula that stays zero"}},
      .space = space,
      .no_coordinate = "it relates what requests measure",
      .friction = NoFriction{"it has no place"},
      .drawing = Drawing::none,
      .make = FormulaRelation{}};
  if (space == Space::planar) type.embedding = embed_unchanged;
  return type;
}

ElementType relation_initial(Space space) {
  ElementType type{.kind = Kind::initial,
                   .type = "formula",
                   .doc =
                       "A formula of requests, its value and its rate at the start. One that uses "
                       "`rate(...)` is linear in the rates and has a value only.",
                   .geometry = {.sides = 0},
                   .keys = {{.name = "formula", .kind = ValueKind::formula, .doc = "the formula"},
                            key_parts::free_number("value", "not prescribed", "value at the start"),
                            key_parts::free_number("rate", "not prescribed", "rate at the start")},
                   .space = space,
                   .make = FormulaRelation{}};
  if (space == Space::planar) type.embedding = embed_unchanged;
  return type;
}

}  // namespace

std::vector<ElementType> relation_types() {
  return {relation_joint(Space::planar),
          relation_joint(Space::spatial),
          relation_initial(Space::planar),
          relation_initial(Space::spatial)};
}

}  // namespace cardan
