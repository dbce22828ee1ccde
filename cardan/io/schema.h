#pragma once
#include <span>
#include <string>
#include <string_view>

namespace cardan {

struct SchemaWord {  // a word that may stand somewhere, and what it means
  std::string_view name, doc;
};

// Words that other rooms know.
struct MethodWords {
  std::span<const SchemaWord> formulations{}, integrators{};
};

// JSON Schema (draft 7) of model files, made from the catalogue, for editors that complete and
// check while one types.
std::string model_schema(const MethodWords& = {});

}  // namespace cardan
