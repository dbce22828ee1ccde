// The rows are in catalogue_command.cpp, catalogue_model.cpp and catalogue_run.cpp; the part of an
// id before the dot sets the exit code.
#include "cardan/base/catalogue.h"

#include <vector>

#include "cardan/base/catalogue_groups.h"

namespace cardan {
namespace {

std::vector<CatalogueEntry> gather() {
  std::vector<CatalogueEntry> all;
  for (const auto group : {entries_of_commands(), entries_of_models(), entries_of_runs()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> all = gather();
  return all;
}

const CatalogueEntry* explain(std::string_view id) {
  for (const auto& entry : catalogue())
    if (entry.id == id) return &entry;
  return nullptr;
}

}  // namespace cardan
