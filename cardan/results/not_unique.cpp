#include "cardan/results/not_unique.h"

#include <nlohmann/json.hpp>

namespace cardan {

std::set<std::string> not_unique_channels(const RunReader& run, int segment) {
  std::set<std::string> names;
  const auto stored = run.summary();
  if (!stored || !stored.value().is_object() || segment < 0) return names;
  const nlohmann::ordered_json* summary = &stored.value();
  const auto place = static_cast<std::size_t>(segment);
  if (summary->contains("earlier") && place < summary->at("earlier").size())
    summary = &summary->at("earlier")[place];
  if (!summary->contains("not_unique")) return names;
  for (const auto& name : summary->at("not_unique"))
    if (name.is_string()) names.insert(name.get<std::string>());
  return names;
}

}  // namespace cardan
