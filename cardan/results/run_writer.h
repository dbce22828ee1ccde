#pragma once
// Writes a run store: one SQLite database in which every checkpoint commits, in a single
// transaction, itself and all that came before it. So a run that is killed stands at its last
// checkpoint, whole, and can be continued there.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cardan/base/result.h"
#include "cardan/results/database.h"
#include "cardan/results/run_lock.h"
#include "cardan/results/run_seal.h"
#include "cardan/results/sink.h"

namespace cardan {

class RunWriter : public Sink {
 public:
  // A new store with its manifest (one row per key of the object; the scene of a large mechanism as
  // text). The file appears whole or not at all.
  static Result<std::unique_ptr<RunWriter>> create(const std::filesystem::path&,
                                                   const nlohmann::ordered_json& manifest);
  static Result<std::unique_ptr<RunWriter>> create(const std::filesystem::path&,
                                                   const nlohmann::ordered_json& manifest,
                                                   RunLock,
                                                   const std::string& scene = {});
  // A store that exists, cut back to its last checkpoint: what was stored after it is dropped. The
  // first open() then continues the analysis that the checkpoint belongs to. Without a checkpoint
  // the store starts empty. Everything in it is verified first, the samples too.
  static Result<std::unique_ptr<RunWriter>> append(const std::filesystem::path&);
  static Result<std::unique_ptr<RunWriter>> append(const std::filesystem::path&, RunLock);

  // Each call begins the next analysis of the run.
  Fault open(std::span<const Channel>) override;
  Fault sample(double t, std::span<const double> row) override;
  Fault event(const Event&) override;
  Fault diagnostic(const Diagnostic&) override;
  Fault checkpoint(double t, std::span<const std::byte>) override;
  bool checkpoint_due() const override;
  Fault close() override;  // keeps what came after the last checkpoint too

  // For files beside the store that are written after close(): the run stays locked.
  RunLock hand_over_lock();

  // Everything so far, without a checkpoint: visible to readers, dropped when the run is resumed.
  Fault keep();

  // The estimated errors of the next row of an analysis whose samples are stored; NaN: not known.
  Fault estimate(int analysis, std::span<const double> row);

  // Sets one key of the manifest, from the next checkpoint or close on.
  Fault set(std::string_view key, const nlohmann::ordered_json&);

 private:
  RunWriter(std::filesystem::path, Database, RunLock);
  static Result<std::unique_ptr<RunWriter>> continue_store(const std::filesystem::path&, RunLock);
  Fault begin();
  Fault make_current();
  Fault read_contents();
  Fault mark_running();
  Fault cut_back();
  Fault load_last_block();
  Fault continue_analysis(std::span<const Channel>);
  Fault store_channels(std::span<const Channel>);
  Fault store_block();
  Fault store_estimates();
  Fault commit();
  Fault fail();  // remembers the fault: nothing is written after one

  using Clock = std::chrono::steady_clock;

  std::filesystem::path path_;
  std::optional<RunLock> lock_;  // until close()
  Database database_;
  Statement insert_block_, insert_event_, insert_diagnostic_, insert_checkpoint_, set_key_;
  Fault fault_;
  run_schema::Contents contents_;  // of all tables, as they stand

  std::vector<Channel> channels_;  // of this analysis
  std::int64_t analysis_ = -1;
  std::int64_t channel_set_ = -1;
  std::int64_t rows_ = 0;  // of this analysis
  std::int64_t events_ = 0;
  std::int64_t diagnostics_ = 0;
  bool continuing_ = false;  // the next open() goes on with the analysis that is there

  std::vector<double> block_;  // row by row, t first
  std::int64_t block_number_ = 0;
  std::int64_t block_rows_ = 0;
  std::int64_t rows_per_block_ = 1;
  bool block_changed_ = false;

  std::vector<double> estimates_;  // row by row, without t
  std::int64_t estimate_analysis_ = -1, estimate_first_ = 0, estimate_rows_ = 0;

  Clock::time_point committed_ = Clock::now();
  std::chrono::nanoseconds interval_{20'000'000};  // until the next checkpoint is due
  std::int64_t bytes_since_commit_ = 0;
  std::int64_t checkpoint_size_ = 0;  // of the last one, in bytes
};

}  // namespace cardan
