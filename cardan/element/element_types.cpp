// All joints, drivers, forces, requests, initial conditions, stops and contacts.
#include <map>
#include <tuple>

#include "cardan/element/element_type.h"
#include "cardan/element/type_parts.h"

namespace cardan {

const std::vector<ElementType>& element_types() {
  static const std::vector<ElementType> all = [] {
    std::vector<ElementType> types;
    for (const auto& group : {planar_joint_types(),
                              rolling_joint_types(),
                              cam_joint_types(),
                              spatial_joint_types(),
                              spatial_link_types(),
                              spatial_wheel_types(),
                              spatial_coupling_types(),
                              embedded_joint_types(),
                              relation_types(),
                              measure_types(),
                              planar_force_types(),
                              spatial_force_types(),
                              planar_contact_types(),
                              spatial_contact_types()})
      types.insert(types.end(), group.begin(), group.end());
    return types;
  }();
  return all;
}

const ElementType* find_type(Kind kind, std::string_view type, Space space) {
  using Key = std::tuple<Kind, Space, std::string_view>;
  static const std::map<Key, const ElementType*> by_name = [] {
    std::map<Key, const ElementType*> table;
    for (const ElementType& t : element_types()) table.emplace(Key{t.kind, t.space, t.type}, &t);
    return table;
  }();
  const auto found = by_name.find({kind, space, type});
  return found == by_name.end() ? nullptr : found->second;
}

std::vector<std::string> type_names(Kind kind, Space space) {
  std::vector<std::string> names;
  for (const auto& t : element_types())
    if (t.kind == kind && t.space == space && t.written) names.emplace_back(t.type);
  return names;
}

std::string_view name_of(Drawing drawing) {
  static constexpr std::array<std::string_view, 27> names{"unstated",
                                                          "none",
                                                          "pin",
                                                          "weld",
                                                          "slide",
                                                          "sleeve",
                                                          "slot",
                                                          "ball",
                                                          "cross",
                                                          "plate",
                                                          "rail",
                                                          "track",
                                                          "line",
                                                          "gear",
                                                          "rack",
                                                          "stand",
                                                          "wheel",
                                                          "globe",
                                                          "rod",
                                                          "ball-ball-link",
                                                          "pin-ball-link",
                                                          "pin-pin-link",
                                                          "pin-sleeve-link",
                                                          "spring",
                                                          "torsion-spring",
                                                          "bushing",
                                                          "arrow"};
  return names[static_cast<std::size_t>(drawing)];
}

}  // namespace cardan
