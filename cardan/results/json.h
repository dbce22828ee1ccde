#pragma once
// JSON texts of what a run says. Numbers keep every bit (shortest text that reads back the same); a
// number that is not finite is null.
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "cardan/base/diagnostic.h"

namespace cardan {

// {"id", "severity", "file", "line", "column", "element", "found", "expected", "hint", "t", "h",
// "worst"}: what is empty is left out.
nlohmann::ordered_json to_json(const Diagnostic&);
nlohmann::ordered_json to_json(const Diagnostics&);
Diagnostic diagnostic_from_json(const nlohmann::ordered_json&);

// A text from a file; nothing where it is not JSON, or is nested deeper than anything that Cardan
// writes (what is nested without end overflows the stack of who prints it).
std::optional<nlohmann::ordered_json> parse_json(std::string_view);

// One line of text; bytes that are not UTF-8 are replaced, so that a bad name cannot spoil the
// file.
std::string to_line(const nlohmann::ordered_json&);

}  // namespace cardan
