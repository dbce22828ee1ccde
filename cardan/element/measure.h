#pragma once
// What drivers, requests, stops and initial conditions measure between the two ends of an element.
#include <string_view>

#include "cardan/element/unit_kind.h"

namespace cardan {

enum class Measure {
  x,
  y,
  z,
  angle,
  angle_1,  // the three of a sequence of turns
  angle_2,
  angle_3,
  distance,
  displacement,
  angular_velocity,      // along an axis of the ground
  angular_velocity_body  // along an axis of the second body
};

std::string_view name_of(Measure);  // as the model file writes it: "angle-1"
UnitKind unit_kind_of(Measure);

}  // namespace cardan
