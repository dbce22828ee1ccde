#pragma once
// Which option of a dynamic analysis belongs to which formulations. One given to another is a
// fault: it would do nothing.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/model/options.h"

namespace cardan {

struct OwnedOption {
  std::string_view key;                        // in the model file
  std::vector<std::string_view> formulations;  // that use it
  bool (*given)(const DynamicOptions&);
  void (*clear)(DynamicOptions&);
};

const std::vector<OwnedOption>& formulation_options();

// All options given that the formulation does not use, in one diagnostic.
std::optional<Diagnostic> foreign_options(const DynamicOptions&);

// Takes them out, for a run with another formulation than the one they were written for; their keys.
std::vector<std::string> drop_foreign_options(DynamicOptions&);

}  // namespace cardan
