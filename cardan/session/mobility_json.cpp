#include "cardan/session/mobility_json.h"

#include <nlohmann/json.hpp>

namespace cardan {

nlohmann::ordered_json to_json(const Mobility& m, const std::string& words) {
  auto redundancies = nlohmann::ordered_json::array();
  for (const Redundancy& r : m.redundant)
    redundancies.push_back({{"any_one_of", r.words}, {"always", r.structural}});
  return {{"bodies", m.bodies},
          {"coordinates", m.coordinates},
          {"equations", m.equations},
          {"dof", m.dof},
          {"redundant", m.redundant.size()},
          {"counted_dof", m.counted_dof},
          {"free", m.free_coordinates},
          {"redundancies", redundancies},
          {"not_unique", m.not_unique},
          {"distance_to_singular", m.distance_to_singular},
          {"text", words}};
}

}  // namespace cardan
