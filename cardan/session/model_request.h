#pragma once
// Which model, and what is changed in it before it runs: what a command line, a script or a stored
// run says beside the model file.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cardan/base/result.h"
#include "cardan/io/parametric_model.h"
#include "cardan/model/model.h"
#include "cardan/results/summary.h"

namespace cardan {

struct ModelRequest {
  std::string path;              // a file, or a folder with a model.toml
  std::vector<std::string> set;  // "name=value": another value for a parameter
  bool spatial = false;          // a planar model is run in space
  // Options of the analyses, as the model file would write them: {"rtol", "1e-9"}.
  std::vector<std::pair<std::string, std::string>> options{};
  std::string analysis{};  // only this one; empty: those of the model
  // The model itself, where it is not what stands in the file; the path then names it in messages,
  // and includes are looked for beside it.
  std::optional<std::string> text{};
  // Functions of the calling program, for formulas (io/read_model.h). A stored run knows their names
  // only, so that it can be neither resumed nor verified.
  std::vector<std::pair<std::string, FunctionPtr>> functions{};
  // Files that the model names, as they were read once (ReadOptions::files); others are opened.
  std::vector<std::pair<std::string, std::string>> files{};

  void give(std::string key, std::string value) {
    options.emplace_back(std::move(key), std::move(value));
  }
};

std::string model_file(const std::string& path);  // a folder stands for its model.toml

// Reads the model and applies the request. All faults, not the first.
Result<Model> read(const ModelRequest&);

// Analyses and their options as the request wants them; `parameters`: of the model, with their units.
Result<Model> with_request(const ModelRequest&,
                           const std::vector<ParameterInfo>& parameters,
                           Result<Model>);

// The same with a text that a run has stored; includes and tables are looked for where the file was.
Result<Model> read_stored(const ModelRequest&, std::string text);

// Parameters from which no number of the model follows.
std::vector<std::string> unused_parameters(const Model&);

// The model with other values of its parameters, from the text that it was read from.
Result<ParametricModel> parametric(const ModelRequest&, const Model&);

// For the manifest: what was asked for, to be asked again when the run is resumed ...
nlohmann::ordered_json to_json(const ModelRequest&);
ModelRequest model_request(const nlohmann::ordered_json&);  // throws nlohmann::json::exception

// ... and all that follows from it, defaults filled in.
nlohmann::ordered_json settings_of(const Model&);

// The settings that a run has used: what was left to the program as it was chosen, and nothing that
// was not given and has no value of its own.
nlohmann::ordered_json settings_used(const Model&, const Summary&);

}  // namespace cardan
