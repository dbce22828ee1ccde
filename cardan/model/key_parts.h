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

}  // namespace key_parts

std::vector<SectionSpec> spatial_sections();
std::vector<SectionSpec> state_sections();

}  // namespace cardan
