#pragma once
// From a model file to a Model, or to everything that is wrong with it. Format:
// docs/user-guide/model-file.md.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/math/function.h"
#include "cardan/model/model.h"

namespace cardan {

struct ReadOptions {
  std::vector<std::pair<std::string, std::string>> set;  // parameters overridden: name and formula
  // Of read_model_text: where includes and tables are looked for; empty: nowhere.
  std::filesystem::path folder;
  bool spatial = false;  // a planar model becomes a spatial one in the plane z = 0
  // Functions of the calling program, which formulas use as they use curves.
  std::vector<std::pair<std::string, FunctionPtr>> functions{};
  // Files that the model names, by their place below its folder, and their text: these are taken
  // instead of what stands there, if anything does.
  std::vector<std::pair<std::string, std::string>> files{};
};

Result<Model> read_model(const std::filesystem::path& path, const ReadOptions& = {});

// The text of a model that is not in a file; `name` stands for the file in messages.
Result<Model> read_model_text(std::string text, std::string name, const ReadOptions& = {});

}  // namespace cardan
