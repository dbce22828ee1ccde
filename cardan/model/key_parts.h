#pragma once
// What tables of keys are made of. Internal to the catalogue and the element types.
#include "cardan/model/catalogue.h"

namespace cardan {

namespace key_parts {

inline KeySpec number_key(std::string_view name,
                          Dimension d,
                          std::string_view otherwise,
                          std::string_view doc,
                          Range r = Range::any) {
  return {.name = name,
          .kind = ValueKind::number,
          .dimensions = {d},
          .otherwise = otherwise,
          .doc = doc,
          .range = r};
}

// A number whose dimension is that of whatever it is used for.
inline KeySpec free_number(std::string_view name,
                           std::string_view otherwise,
                           std::string_view doc) {
  return {.name = name, .kind = ValueKind::number, .otherwise = otherwise, .doc = doc};
}

inline KeySpec simple_key(std::string_view name,
                          ValueKind kind,
                          std::string_view otherwise,
                          std::string_view doc) {
  return {.name = name, .kind = kind, .otherwise = otherwise, .doc = doc};
}

}  // namespace key_parts

std::vector<SectionSpec> spatial_sections();
std::vector<SectionSpec> state_sections();
std::vector<SectionSpec> equation_sections();

}  // namespace cardan
