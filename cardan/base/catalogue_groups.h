#pragma once
// The parts of the catalogue. Internal to it.
#include "cardan/base/catalogue.h"

namespace cardan {

std::span<const CatalogueEntry> entries_of_models();
std::span<const CatalogueEntry> entries_of_runs();
std::span<const CatalogueEntry> entries_of_commands();

}  // namespace cardan
