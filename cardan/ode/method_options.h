#pragma once
// Which option belongs to which methods. One given to another is a fault: it would do nothing.
#include <optional>
#include <string_view>
#include <vector>

#include "cardan/ode/registry.h"

namespace cardan {

struct MethodOption {
  std::string_view name;
  std::vector<std::string_view> methods;  // that use it
  bool (*given)(const MethodOptions&);
};

const std::vector<MethodOption>& method_option_table();

// All options given that the method does not use, in one diagnostic.
std::optional<Diagnostic> foreign_options(std::string_view method, const MethodOptions&);

}  // namespace cardan
