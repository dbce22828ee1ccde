// All joints, drivers, forces, requests, initial conditions, stops and contacts.
#include <algorithm>

#include "cardan/model/type_parts.h"

namespace cardan {

const std::vector<TypeSpec>& element_types() {
  static const std::vector<TypeSpec> all = [] {
    std::vector<TypeSpec> types = joint_specs();
    for (auto&& group : {measure_specs(),
                         force_specs(),
                         contact_specs(),
                         spatial_joint_specs(),
                         spatial_measure_specs(),
                         spatial_force_specs()})
      types.insert(types.end(), group.begin(), group.end());
    return types;
  }();
  return all;
}

const TypeSpec* find_type(Kind kind, std::string_view type, Space space) {
  const auto& all = element_types();
  const auto found = std::find_if(all.begin(), all.end(), [&](const TypeSpec& s) {
    return s.kind == kind && s.type == type && s.space == space;
  });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> type_names(Kind kind, Space space) {
  std::vector<std::string> names;
  for (const auto& s : element_types())
    if (s.kind == kind && s.space == space) names.emplace_back(s.type);
  return names;
}

std::string_view measure_of_joint(std::string_view type) {
  if (type == "revolute" || type == "angle" || type == "cylindrical" || type == "screw")
    return "angle";
  if (type == "translational" || type == "pin-in-slot" || type == "revolute-translational")
    return "displacement";
  if (type == "revolute-revolute" || type == "distance" || type == "spherical-spherical")
    return "distance";
  for (const std::string_view axis : {"x", "y", "z"})
    if (type == axis) return axis;
  return {};
}

std::vector<std::string_view> measures_of_joint(std::string_view type) {
  if (type == "cylindrical" || type == "screw") return {"angle", "displacement"};
  if (type == "universal") return {"angle-1", "angle-2"};
  const std::string_view one = measure_of_joint(type);
  if (one.empty()) return {};
  return {one};
}

}  // namespace cardan
