#include "cardan/session/stored_run.h"

#include <memory>
#include <utility>

#include "cardan/results/faults.h"
#include "cardan/results/hash.h"
#include "cardan/results/json.h"
#include "cardan/results/run_reader.h"
#include "cardan/session/model_request.h"

namespace cardan {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Result<StoredRun> read_run(const std::string& run) {
  const auto reader = RunReader::open(run);
  if (!reader) return reader.why();
  auto manifest = reader.value().manifest();
  if (!manifest) return manifest.why();
  auto checkpoint = reader.value().checkpoint();
  if (!checkpoint) return checkpoint.why();
  auto summary = reader.value().summary();
  if (!summary) return summary.why();
  StoredRun stored{std::move(manifest).value(), std::move(summary).value(), {}};
  if (checkpoint.value()) stored.checkpoint = std::move(checkpoint.value()->data);
  return stored;
}

namespace {

// Whether the files that the model includes, and so all parameters and settings, are as they were.
bool unchanged(const Json& manifest, const Model& model) {
  const Json& before = manifest.at("model").at("included");
  if (before.size() != model.included.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i].at("sha256") != sha256(model.included[i].second)) return false;
  // As text, where a number that is not finite is null. Runs of earlier versions have one list only.
  return to_line(settings_of(model)) ==
         to_line(manifest.at(manifest.contains("asked") ? "asked" : "settings"));
}

Diagnostic model_changed(const fs::path& path) {
  Diagnostic d;
  d.id = "io.model-changed";
  d.where.file = std::make_shared<const std::string>(path.string());
  d.found = "a file that the model includes has changed since the run began";
  d.hint = "restore it, or start a new run";
  return d;
}

}  // namespace

Result<Model> rebuild_model(const Json& manifest, const fs::path& path) {
  try {
    const std::string text = manifest.at("model").at("text");
    if (sha256(text) != manifest.at("model").at("sha256").get<std::string>())
      return corrupt_store(path, "the model's text does not agree with its hash");
    auto model = read_stored(model_request(manifest.at("arguments")), text);
    if (model && !unchanged(manifest, model.value())) return model_changed(path);
    return model;
  } catch (const nlohmann::json::exception& error) {
    return corrupt_store(path, error.what());
  }
}

}  // namespace cardan
