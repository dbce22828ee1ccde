#pragma once
// Formulations and integrators, each with its line, from the tables that make them.
#include <string>

#include "cardan/io/schema.h"

namespace cardan {

const MethodWords& method_text();

std::string method_page();   // docs/user-guide/methods.md
std::string method_lines();  // for --help

}  // namespace cardan
