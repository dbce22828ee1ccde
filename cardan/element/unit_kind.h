#pragma once
// What an equation or a measure is in: metres or radians. Everything that depends on it
// (tolerances, channels, stiffness of a stop) asks for the unit, never for a name.
#include <string_view>

#include "cardan/base/units.h"

namespace cardan {

enum class UnitKind { length, angle };

inline Dimension value_dimension(UnitKind q) {
  return q == UnitKind::angle ? dimension::none : dimension::length;
}

inline Dimension rate_dimension(UnitKind q) {
  return q == UnitKind::angle ? dimension::rate : dimension::velocity;
}

// Of the force or torque that acts along the measure, per value and per rate.
inline Dimension stiffness_dimension(UnitKind q) {
  return q == UnitKind::angle ? dimension::torque : dimension::stiffness;
}

inline Dimension damping_dimension(UnitKind q) {
  return q == UnitKind::angle ? dimension::rotational_damping : dimension::damping;
}

inline std::string_view unit_text(UnitKind q) {
  return q == UnitKind::angle ? "rad" : "m";
}

struct EquationLabel {
  std::string_view text;  // for messages: "x", "distance from the plane"
  UnitKind unit;
};

constexpr EquationLabel in_length(std::string_view text) {
  return {text, UnitKind::length};
}

constexpr EquationLabel in_angle(std::string_view text) {
  return {text, UnitKind::angle};
}

}  // namespace cardan
