#pragma once

#include <string>
#include <string_view>

namespace cardan {

// The unit that a word most likely stands for which is none: m^2 for m2, s for sec, kg*m^2 for
// kgm2. Empty where there is no such unit.
std::string meant_unit(std::string_view word);

// Whether the word at `at` goes on a unit of the formula: s2 in "9.81 m/s2".
bool continues_unit(std::string_view formula, std::size_t at);

}  // namespace cardan
