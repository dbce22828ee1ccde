#include "cardan/session/run_output.h"

#include <fstream>
#include <utility>

#include "cardan/io/export.h"
#include "cardan/results/faults.h"
#include "cardan/results/manifest.h"
#include "cardan/results/report.h"
#include "cardan/results/run_folder.h"
#include "cardan/session/branch_picture.h"
#include "cardan/session/linear_files.h"

namespace cardan {

namespace fs = std::filesystem;

RunOutput::RunOutput(OutputSetting setting, std::string model, nlohmann::ordered_json manifest)
    : setting_(std::move(setting)), model_(std::move(model)), manifest_(std::move(manifest)) {}

RunOutput::RunOutput(OutputSetting setting, std::unique_ptr<RunWriter> writer)
    : setting_(std::move(setting)), folder_(setting_.folder), writer_(std::move(writer)) {}

Sink::Fault RunOutput::check() const {
  if (setting_.folder.empty() || setting_.force) return {};
  return find_run(setting_.folder);
}

Sink::Fault RunOutput::create() {
  auto folder = setting_.folder.empty() ? new_run_folder("runs", run_name(model_))
                                        : prepare_run_folder(setting_.folder, setting_.force);
  if (!folder) return folder.why().front();
  auto writer = RunWriter::create(folder.value() / run_store_name, manifest_);
  if (!writer) return writer.why().front();
  folder_ = folder.value();
  writer_ = std::move(writer).value();
  return {};
}

Sink::Fault RunOutput::open(std::span<const Channel> channels) {
  if (!writer_)
    if (Fault fault = create()) return fault;
  return writer_->open(channels);
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
  if (!writer_->set(summary_key, to_json(summary)) && !writer_->set("status", summary.status))
    writer_->set("ended", time_now());
  Fault fault = writer_->close();
  if (!fault) fault = write_file(folder_ / summary_name, to_text(summary));
  if (!fault) fault = write_linear_models(summary, folder_);
  if (!fault && summary.branches && manifest_.contains("scene"))
    fault =
        write_file(folder_ / "branches.svg", branch_picture(*summary.branches, manifest_["scene"]));
  if (!fault && setting_.csv) fault = write_csv();
  if (!fault && setting_.report) fault = write_report(folder_);
  return fault;
}

Sink::Fault RunOutput::write_csv() const {
  const auto run = RunReader::open(folder_);
  if (!run) return run.why().front();
  const fs::path path = folder_ / samples_name;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (auto fault = export_csv(run.value(), {}, file)) return fault;
  file.close();
  if (!file) return write_fault(path, "the file was not written whole");
  return {};
}

}  // namespace cardan
