#include "cardan/session/session.h"

#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cardan/analysis/error_estimate.h"
#include "cardan/io/output_blocks.h"
#include "cardan/io/scene.h"
#include "cardan/results/faults.h"
#include "cardan/results/hash.h"
#include "cardan/results/json.h"
#include "cardan/results/manifest.h"
#include "cardan/results/run_folder.h"
#include "cardan/results/run_lock.h"
#include "cardan/results/run_reader.h"
#include "cardan/results/run_schema.h"
#include "cardan/session/changed_settings.h"
#include "cardan/session/memory_run.h"
#include "cardan/session/mobility_json.h"
#include "cardan/session/start_equations.h"
#include "cardan/session/stored_run.h"

namespace cardan {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

Sink::Fault estimate(const Model& model,
                     const ModelVariants* variants,
                     RunTarget& target,
                     Outcome& outcome,
                     const Control& control) {
  auto samples = target.stored_rows();
  if (!samples) return samples.why().front();
  estimate_errors(
      model,
      outcome,
      *samples.value(),
      [&](int analysis, std::span<const double> row) { return target.estimate(analysis, row); },
      control,
      variants);
  return {};
}

// The analyses, then what is made of their results. A fault of the files at the end is one more
// diagnostic.
Outcome run_into(const Model& model,
                 const ModelRequest& request,
                 const ModelVariants* variants,
                 RunTarget& target,
                 std::span<const std::byte> checkpoint,
                 const Control& control) {
  Control stored = control;
  stored.rows_follow = true;
  Outcome outcome = run_model(model, target, stored, checkpoint, variants);
  outcome.summary.changed = changed_settings(request, model);
  if (wants_error_estimate(model) && ended_well(outcome.summary)) {
    if (const auto fault = estimate(model, variants, target, outcome, control))
      outcome.summary.diagnostics.push_back(*fault);
  }
  target.keep("mobility", to_json(outcome.mobility, outcome.mobility_words));
  target.keep("settings", settings_used(model, outcome.summary));
  if (const auto fault = target.finish(outcome.summary))
    outcome.summary.diagnostics.push_back(*fault);
  return outcome;
}

// Where sensitivities or root loci are asked for: the model with other values of parameters; otherwise null.
Result<std::shared_ptr<const ModelVariants>> variants_of(const ModelRequest& request,
                                                         const Model& model) {
  if (!wants_variants(model)) return std::shared_ptr<const ModelVariants>();
  auto made = parametric(request, model);
  if (!made) return made.why();
  return std::shared_ptr<const ModelVariants>(
      std::make_shared<ParametricModel>(std::move(made).value()));
}

Json first_manifest(const Model& model, const ModelRequest& request) {
  auto manifest = make_manifest({model.path, model.text, model.included}, settings_of(model));
  manifest["asked"] = settings_of(model);
  manifest["arguments"] = to_json(request);
  if (const AskedOutput asked = asked_output_of(model.text); asked.any())
    manifest[asked_key] = to_json(asked);
  manifest["status"] = "running";
  return manifest;
}

Result<RunResult> run_from_start(const Model& model, const RunRequest& request) {
  RunOutput output(request.output,
                   model_file(request.model.path),
                   first_manifest(model, request.model),
                   scene_text(model));
  if (const auto fault = output.check()) return *fault;
  const auto variants = variants_of(request.model, model);
  if (!variants) return variants.why();
  RunResult result;
  output.keep("equations", start_equations(model));
  result.outcome =
      run_into(model, request.model, variants.value().get(), output, {}, request.control);
  result.folder = output.folder();
  return result;
}

// What a process that was killed after the last transaction did not get to.
Sink::Fault write_missing(const OutputSetting& setting, const Json& summary) {
  try {
    return write_files(setting.folder, setting, summary_from_json(summary), summary, true);
  } catch (const nlohmann::json::exception& error) {
    return corrupt_store(fs::path(setting.folder) / run_store_name, error.what());
  }
}

}  // namespace

Result<RunResult> run_model_file(const RunRequest& request) {
  const auto model = read(request.model);
  if (!model) return model.why();
  return run_from_start(model.value(), request);
}

Result<MemoryResult> run_in_memory(const RunRequest& request) {
  const auto model = read(request.model);
  if (!model) return model.why();
  const auto variants = variants_of(request.model, model.value());
  if (!variants) return variants.why();
  Json manifest = first_manifest(model.value(), request.model);
  manifest["scene"] = scene_of(model.value());
  auto run = std::make_shared<MemoryRun>(std::move(manifest));
  MemoryResult result;
  result.outcome =
      run_into(model.value(), request.model, variants.value().get(), *run, {}, request.control);
  result.run = std::move(run);
  return result;
}

Result<RunResult> run_stored_again(const std::string& run,
                                   const OutputSetting& output,
                                   const Control& control) {
  const auto stored = read_run(run);
  if (!stored) return stored.why();
  const auto model = rebuild_model(stored.value().manifest, run_file(run));
  if (!model) return model.why();
  RunRequest request{model_request(stored.value().manifest.at("arguments")), output, control};
  const Json& summary = stored.value().summary;
  request.control.branches = summary.is_object() && summary.contains("branches");
  return run_from_start(model.value(), request);
}

Result<RunResult> resume_run(const std::string& run,
                             const OutputSetting& output_setting,
                             const Control& control) {
  const fs::path path = run_file(run);
  const auto file = run_schema::check_file(path);
  if (!file) return file.why();
  auto lock = RunLock::take(path);  // before anything is read: it stays true until we write
  if (!lock) return lock.why();
  const auto stored = read_run(run);
  if (!stored) return stored.why();
  OutputSetting setting = output_setting;
  setting.folder = path.parent_path().empty() ? "." : path.parent_path().string();
  const std::string status = stored.value().manifest.value("status", "");
  if (status == "complete" || status == "doubtful") {
    if (const auto fault = write_missing(setting, stored.value().summary)) return *fault;
    RunResult result;
    result.folder = setting.folder;
    result.was_complete = true;
    return result;
  }
  const auto model = rebuild_model(stored.value().manifest, path);
  if (!model) return model.why();
  auto writer = RunWriter::append(path, std::move(lock).value());
  if (!writer) return writer.why();
  Json resumed = stored.value().manifest.value("resumed", Json::array());
  resumed.push_back({{"at", time_now()}, {"host", host_facts()}, {"versions", version_facts()}});
  if (const auto fault = writer.value()->set("resumed", resumed)) return *fault;
  if (const auto fault = writer.value()->set("status", "running")) return *fault;
  RunOutput output(setting, std::move(writer).value());
  const ModelRequest request = model_request(stored.value().manifest.at("arguments"));
  const auto variants = variants_of(request, model.value());
  if (!variants) return variants.why();
  RunResult result;
  result.outcome = run_into(
      model.value(), request, variants.value().get(), output, stored.value().checkpoint, control);
  result.folder = output.folder();
  return result;
}

}  // namespace cardan
