#include "cardan/session/run_output.h"

#include <optional>
#include <utility>

#include "cardan/analysis/error_estimate.h"
#include "cardan/io/export.h"
#include "cardan/report/asked_report.h"
#include "cardan/report/report.h"
#include "cardan/results/faults.h"
#include "cardan/results/manifest.h"
#include "cardan/results/output_file.h"
#include "cardan/results/run_folder.h"
#include "cardan/results/run_reader.h"
#include "cardan/session/branch_picture.h"
#include "cardan/session/linear_files.h"

namespace cardan {

namespace fs = std::filesystem;

RunOutput::RunOutput(OutputSetting setting,
                     std::string model,
                     nlohmann::ordered_json manifest,
                     std::string scene)
    : setting_(std::move(setting)),
      model_(std::move(model)),
      manifest_(std::move(manifest)),
      scene_(std::move(scene)),
      asks_(manifest_.contains(asked_key)) {}

RunOutput::RunOutput(OutputSetting setting, std::unique_ptr<RunWriter> writer)
    : setting_(std::move(setting)), folder_(setting_.folder), writer_(std::move(writer)) {}

Sink::Fault RunOutput::check() const {
  if (setting_.folder.empty() || setting_.force) return {};
  return find_run(setting_.folder);
}

Sink::Fault RunOutput::create() {
  const bool named = !setting_.folder.empty();
  fs::path folder = setting_.folder;
  std::optional<RunLock> lock;
  if (named) {
    auto prepared = prepare_run_folder(folder, setting_.force);
    if (!prepared) return prepared.why().front();
    lock = std::move(prepared.value().lock);
  } else {
    const auto numbered = new_run_folder("runs", run_name_of_its_own("runs", model_));
    if (!numbered) return numbered.why().front();
    folder = numbered.value();
  }
  const fs::path store = folder / run_store_name;
  if (!lock) {
    auto taken = RunLock::take(store);
    if (!taken) return taken.why().front();
    lock = std::move(taken).value();
  }
  auto writer = RunWriter::create(store, manifest_, std::move(*lock), scene_);
  if (!writer) return writer.why().front();
  manifest_ = nullptr;
  scene_ = {};
  folder_ = folder;
  writer_ = std::move(writer).value();
  return {};
}

Sink::Fault RunOutput::open(std::span<const Channel> channels) {
  if (!writer_)
    if (Fault fault = create()) return fault;
  return writer_->open(channels);
}

namespace {

// The samples of the run as they were stored a moment ago.
class FolderRows final : public StoredRows {
 public:
  explicit FolderRows(RunReader reader) : reader_(std::move(reader)) {}

  Sink::Fault open(int analysis) override {
    if (analysis >= static_cast<int>(reader_.segments().size()))
      return not_a_run(reader_.path(), "the samples of an analysis are not there");
    rows_.emplace(reader_, analysis);
    return {};
  }

  bool next(double& t, std::span<double> row) override { return rows_->next(t, row); }

 private:
  RunReader reader_;
  std::optional<RowCursor> rows_;
};

}  // namespace

Result<std::unique_ptr<StoredRows>> RunOutput::stored_rows() {
  if (auto fault = publish()) return *fault;
  auto reader = RunReader::open(folder_);
  if (!reader) return reader.why();
  return std::unique_ptr<StoredRows>(std::make_unique<FolderRows>(std::move(reader).value()));
}

Sink::Fault RunOutput::finish(const Summary& summary) {
  if (!writer_) {
    if (summary.final.empty()) return {};  // a faulty model: there is nothing to keep
    if (Fault fault = create()) return fault;
  }
  for (const auto& d : summary.diagnostics)
    if (writer_->diagnostic(d)) break;
  for (const auto& [key, value] : kept_)
    if (writer_->set(key, value)) break;
  const nlohmann::ordered_json json = to_json(summary);
  if (!writer_->set(summary_key, json) && !writer_->set("status", summary.status))
    writer_->set("ended", time_now());
  const RunLock lock = writer_->hand_over_lock();
  if (Fault fault = writer_->close()) return fault;
  return write_files(folder_, setting_, summary, json, false, asks_);
}

namespace {

Sink::Fault write_csv(const fs::path& folder) {
  const auto run = RunReader::open(folder);
  if (!run) return run.why().front();
  auto file = OutputFile::open(folder / samples_name);
  if (!file) return file.why().front();
  if (auto fault = export_csv(run.value(), {}, file.value().stream())) return fault;
  return file.value().keep();
}

Sink::Fault write_branches(const fs::path& folder, const BranchList& branches) {
  const auto run = RunReader::open(folder);
  if (!run) return run.why().front();
  const auto manifest = run.value().manifest();
  if (!manifest) return manifest.why().front();
  if (!manifest.value().contains("scene")) return {};
  return write_file(folder / "branches.svg",
                    branch_picture(branches, manifest.value().at("scene")));
}

}  // namespace

Sink::Fault write_files(const fs::path& folder,
                        const OutputSetting& setting,
                        const Summary& summary,
                        const nlohmann::ordered_json& json,
                        bool only_missing,
                        bool asks) {
  const auto wanted = [&](const char* name) {
    std::error_code error;
    return !only_missing || !fs::exists(fs::symlink_status(folder / name, error));
  };
  Sink::Fault fault;
  if (wanted(summary_name)) {
    fault = write_file(folder / summary_name, summary_text(json));
    if (!fault) fault = write_linear_models(summary, folder);
    if (!fault && summary.branches) fault = write_branches(folder, *summary.branches);
  }
  if (!fault && setting.csv && wanted(samples_name)) fault = write_csv(folder);
  if (!fault && asks) fault = write_asked(folder, only_missing);
  if (!fault && setting.report && wanted(report_name)) fault = write_report(folder);
  return fault;
}

}  // namespace cardan
