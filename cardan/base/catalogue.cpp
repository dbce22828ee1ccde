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

bool never_an_error(std::string_view id) {
  static constexpr std::string_view ids[] = {"assembly.redundant",
                                             "assembly.free-motion",
                                             "assembly.moved",
                                             "assembly.dropped-velocity",
                                             "assembly.singular-pose",
                                             "model.no-gravity",
                                             "model.unlikely",
                                             "numeric.auto-choice",
                                             "numeric.first-step",
                                             "numeric.coarse-rows",
                                             "numeric.change-over",
                                             "numeric.singular-passage",
                                             "numeric.backwards",
                                             "numeric.own-method",
                                             "numeric.not-for-singular-poses",
                                             "numeric.held-forces",
                                             "numeric.many-starts",
                                             "limit.faults"};
  for (const std::string_view one : ids)
    if (one == id) return true;
  return false;
}

}  // namespace cardan
