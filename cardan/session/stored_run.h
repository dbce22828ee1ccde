#pragma once
// What a stored run was made from, and where it stands.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cardan/base/result.h"
#include "cardan/model/model.h"

namespace cardan {

struct StoredRun {
  nlohmann::ordered_json manifest;
  nlohmann::ordered_json summary;     // null: the run has not ended
  std::vector<std::byte> checkpoint;  // empty: there is none
};

Result<StoredRun> read_run(const std::string& run);

// The model as it was, from the text and the request in the manifest. io.model-changed where a file
// that it includes is another one now.
Result<Model> rebuild_model(const nlohmann::ordered_json& manifest,
                            const std::filesystem::path& store);

}  // namespace cardan
