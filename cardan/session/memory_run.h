#pragma once
// A run whose results stay in memory: no file is made. It can be written to a folder later.
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cardan/results/rows_in_memory.h"
#include "cardan/session/run_target.h"
#include "cardan/session/session.h"

namespace cardan {

class MemoryRun final : public RunTarget {
 public:
  explicit MemoryRun(nlohmann::ordered_json manifest) : manifest_(std::move(manifest)) {}

  Fault open(std::span<const Channel> channels) override { return rows_.open(channels); }

  Fault sample(double t, std::span<const double> row) override { return rows_.sample(t, row); }

  Fault event(const Event& event) override { return rows_.event(event); }

  Result<std::unique_ptr<StoredRows>> stored_rows() override;
  Fault estimate(int analysis, std::span<const double> row) override;
  void keep(std::string key, nlohmann::ordered_json value) override;
  Fault finish(const Summary&) override;

  const std::vector<MemorySegment>& segments() const { return rows_.segments(); }

  const nlohmann::ordered_json& manifest() const { return manifest_; }

 private:
  nlohmann::ordered_json manifest_;
  RowsInMemory rows_;
};

struct MemoryResult {
  Outcome outcome;
  std::shared_ptr<const MemoryRun> run;
};

// As run_model_file, to the bit; the output setting of the request is not used.
Result<MemoryResult> run_in_memory(const RunRequest&);

// Writes such a run to a folder, with its files, as if it had gone there. It cannot be resumed: there
// are no checkpoints.
Result<std::filesystem::path> store_run(const MemoryRun&,
                                        const Summary&,
                                        const std::string& model,
                                        const OutputSetting&);

}  // namespace cardan
