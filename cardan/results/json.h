#pragma once
// JSON texts of what a run says. Numbers keep every bit (shortest text that reads back the same); a
// number that is not finite is null.
#include <nlohmann/json_fwd.hpp>

#include "cardan/base/diagnostic.h"

namespace cardan {

// {"id", "severity", "file", "line", "column", "element", "found", "expected", "hint", "t", "h",
// "worst"}: what is empty is left out.
nlohmann::ordered_json to_json(const Diagnostic&);
nlohmann::ordered_json to_json(const Diagnostics&);
Diagnostic diagnostic_from_json(const nlohmann::json&);

// One line of text; bytes that are not UTF-8 are replaced, so that a bad name cannot spoil the
// file.
std::string to_line(const nlohmann::ordered_json&);

}  // namespace cardan
