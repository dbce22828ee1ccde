#pragma once
// Shows a file in the user's browser or viewer, as the desktop does it.
#include <filesystem>
#include <optional>

#include "cardan/base/diagnostic.h"

namespace cardan::app {

std::optional<Diagnostic> open_page(const std::filesystem::path&);

}  // namespace cardan::app
