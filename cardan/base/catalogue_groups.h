#pragma once
// The two halves of the catalogue. Internal to it.
#include "cardan/base/catalogue.h"

namespace cardan {

std::span<const CatalogueEntry> entries_of_models();
std::span<const CatalogueEntry> entries_of_runs();

}  // namespace cardan
