#pragma once
// The folder of a run while it is made. It appears when the first analysis begins, so that a faulty
// model leaves nothing behind and replaces nothing.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cardan/results/run_writer.h"
#include "cardan/results/summary.h"
#include "cardan/session/run_target.h"

namespace cardan {

struct OutputSetting {
  std::string folder;  // empty: runs/<model>/<number>
  bool force = false, csv = false, report = true;
};

// The files beside the store of a run that has ended: all of them, or those that are not there. The
// run's lock is held by who calls it. json: the summary. asks: the model may ask for tables, plots and an
// animation (its manifest says so).
Sink::Fault write_files(const std::filesystem::path& folder,
                        const OutputSetting&,
                        const Summary&,
                        const nlohmann::ordered_json& json,
                        bool only_missing,
                        bool asks = true);

class RunOutput : public RunTarget {
 public:
  // A new run of the model in this file. scene: that of the manifest, as text, where it is not in it.
  RunOutput(OutputSetting,
            std::string model,
            nlohmann::ordered_json manifest,
            std::string scene = {});
  // A run that goes on.
  RunOutput(OutputSetting, std::unique_ptr<RunWriter>);

  Fault open(std::span<const Channel>) override;

  Fault sample(double t, std::span<const double> row) override { return writer_->sample(t, row); }

  Fault event(const Event& e) override { return writer_->event(e); }

  Fault diagnostic(const Diagnostic& d) override { return writer_->diagnostic(d); }

  Fault checkpoint(double t, std::span<const std::byte> b) override {
    return writer_->checkpoint(t, b);
  }

  bool checkpoint_due() const override { return writer_->checkpoint_due(); }

  Fault publish() { return writer_ ? writer_->keep() : Fault(); }  // samples become readable

  Result<std::unique_ptr<StoredRows>> stored_rows() override;

  Fault estimate(int analysis, std::span<const double> row) override {
    return writer_->estimate(analysis, row);
  }

  // Stored by finish().
  void keep(std::string key, nlohmann::ordered_json value) override {
    kept_.emplace_back(std::move(key), std::move(value));
  }

  Fault check() const;                    // can the folder be had? Touches nothing
  Fault finish(const Summary&) override;  // and writes the files beside the store

  const std::filesystem::path& folder() const { return folder_; }  // empty: nothing was written

 private:
  Fault create();

  OutputSetting setting_;
  std::string model_;
  nlohmann::ordered_json manifest_;  // until the store has it
  std::string scene_;
  bool asks_ = true;
  std::filesystem::path folder_;
  std::unique_ptr<RunWriter> writer_;
  std::vector<std::pair<std::string, nlohmann::ordered_json>> kept_;
};

}  // namespace cardan
