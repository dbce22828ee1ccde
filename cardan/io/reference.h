#pragma once
// The tables of the user guide, made from the element types and the keys of the catalogue.
#include <string>
#include <string_view>

namespace cardan {

// Markdown for one part: "joint", "driver", ..., "curve", or a section.
std::string reference_tables(std::string_view part);

}  // namespace cardan
