// cardan resume RUN: goes on with a run that was stopped or killed, from its last checkpoint.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/results/faults.h"
#include "cardan/results/hash.h"
#include "cardan/results/json.h"
#include "cardan/results/manifest.h"
#include "cardan/results/run_folder.h"
#include "cardan/results/run_reader.h"
#include "command.h"
#include "model_arguments.h"
#include "run_session.h"

namespace cardan::app {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace command_resume {

struct Options {
  std::string run;
  OutputArguments output;
  bool strict = false;
};

struct Stored {  // what a run was made from, and where it stands
  Json manifest;
  std::vector<std::byte> checkpoint;
};

Result<Stored> read_run(const std::string& run) {
  const auto reader = RunReader::open(run);
  if (!reader) return reader.why();
  auto manifest = reader.value().manifest();
  if (!manifest) return manifest.why();
  auto checkpoint = reader.value().checkpoint();
  if (!checkpoint) return checkpoint.why();
  Stored stored{std::move(manifest).value(), {}};
  if (checkpoint.value()) stored.checkpoint = std::move(checkpoint.value()->data);
  return stored;
}

// Whether the files that the model includes, and so all parameters and settings, are as they were.
bool unchanged(const Json& manifest, const Model& model) {
  const Json& before = manifest.at("model").at("included");
  if (before.size() != model.included.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i].at("sha256") != sha256(model.included[i].second)) return false;
  // As text, where a number that is not finite is null.
  return to_line(settings_of(model)) == to_line(manifest.at("settings"));
}

Diagnostic model_changed(const fs::path& path) {
  Diagnostic d;
  d.id = "io.model-changed";
  d.where.file = std::make_shared<const std::string>(path.string());
  d.found = "a file that the model includes has changed since the run began";
  d.hint = "restore it, or start a new run";
  return d;
}

// The model as it was, from the text and the arguments in the manifest.
Result<Model> rebuild_model(const Json& manifest, const fs::path& path) {
  try {
    ModelArguments model_arguments;
    AnalysisArguments analysis_arguments;
    from_json(manifest.at("arguments"), model_arguments, analysis_arguments);
    const std::string text = manifest.at("model").at("text");
    if (sha256(text) != manifest.at("model").at("sha256").get<std::string>())
      return corrupt_store(path, "the model's text does not agree with its hash");
    auto model = read_stored(model_arguments, text);
    if (!model) return model;
    const Diagnostics faults = apply(analysis_arguments, model.value());
    if (!faults.empty()) return faults;
    const bool assemble = manifest.at("arguments").value("assemble", false);
    if (assemble || model.value().analyses.empty()) keep_assembly_only(model.value());
    if (!unchanged(manifest, model.value())) return model_changed(path);
    return model;
  } catch (const nlohmann::json::exception& error) {
    return corrupt_store(path, error.what());
  }
}

int work(Options options, const Console& console) {
  const fs::path path = run_file(options.run);
  const auto stored = read_run(options.run);
  if (!stored) return console.fail(stored.why());
  options.output.folder = path.parent_path().empty() ? "." : path.parent_path().string();
  const std::string status = stored.value().manifest.value("status", "");
  if (status == "complete" || status == "doubtful") {
    console.print(fmt::format("{} is complete, there is nothing to do\n", options.run));
    console.print_json("complete", {{"folder", options.output.folder}});
    return 0;
  }
  const auto model = rebuild_model(stored.value().manifest, path);
  if (!model) return console.fail(model.why());
  auto writer = RunWriter::append(path);
  if (!writer) return console.fail(writer.why());
  Json resumed = stored.value().manifest.value("resumed", Json::array());
  resumed.push_back({{"at", time_now()}, {"host", host_facts()}, {"versions", version_facts()}});
  if (const auto fault = writer.value()->set("resumed", resumed)) return console.fail(*fault);
  if (const auto fault = writer.value()->set("status", "running")) return console.fail(*fault);
  RunOutput output(options.output, std::move(writer).value());
  return run_session(model.value(), output, stored.value().checkpoint, console, options.strict);
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("RUN", options->run, "The run's folder or its run.db").required();
  line.flag("--strict", options->strict, "End with exit code 6 when the results are doubtful");
  line.flag("--csv", options->output.csv, "Write samples.csv too");
  line.flag("!--no-report", options->output.report, "Leave out report.html");
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_resume

extern const Command resume_command;
const Command resume_command{
    "resume", "Go on with a run that was stopped or killed", command_resume::define};

}  // namespace cardan::app
