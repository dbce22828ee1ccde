#pragma once
#include <string>

namespace cardan {

// JSON Schema (draft 7) of model files, made from the catalogue, for editors that complete and
// check while one types.
std::string model_schema();

}  // namespace cardan
