#pragma once
// MODEL and the options that change what it says: the same for every command that reads a model.
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cardan/base/result.h"
#include "cardan/model/model.h"
#include "command_line.h"

namespace cardan::app {

struct ModelArguments {
  std::string path;              // a file, or a folder with a model.toml
  std::vector<std::string> set;  // "name=value"
  bool spatial = false;          // a planar model is run in space

  void add_to(CommandLine&);
};

// What the command line says about the dynamic analyses of a model; empty: as the model has it.
struct AnalysisArguments {
  std::string formulation, integrator, order, step, rtol, atol, until, output_step;
  bool error_estimate = false;

  void add_to(CommandLine&);
};

std::string model_file(const std::string& path);  // a folder stands for its model.toml

Result<Model> read(const ModelArguments&);

// The model's text as a run has stored it; includes and tables are looked for where the file was.
Result<Model> read_stored(const ModelArguments&, std::string text);

// Changes the model's dynamic analyses: all of them, but `until` only the last.
Diagnostics apply(const AnalysisArguments&, Model&);

// For `assemble`: one assembly, as the model has it if it has one.
void keep_assembly_only(Model&);

// For the manifest: what was asked for, to be asked again when the run is resumed ...
nlohmann::ordered_json to_json(const ModelArguments&, const AnalysisArguments&);
void from_json(const nlohmann::ordered_json&, ModelArguments&, AnalysisArguments&);

// ... and all that follows from it, defaults filled in.
nlohmann::ordered_json settings_of(const Model&);

}  // namespace cardan::app
