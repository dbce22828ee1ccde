#pragma once
// Reads a run store: one that is finished, that was killed, or that is being written at this moment
// (then as it stood when the reader was opened). Nothing is written, in the store or beside it. What
// it holds is checked against its seal on opening, every block against its checksum when read.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cardan/base/result.h"
#include "cardan/results/database.h"
#include "cardan/results/run_schema.h"
#include "cardan/results/sink.h"
#include "cardan/results/store_trace.h"

namespace cardan {

struct Segment {  // the rows of one analysis
  std::vector<Channel> channels;
  std::int64_t rows = 0;
};

struct Columns {
  std::vector<double> t;
  std::vector<std::vector<double>> values;  // one vector per channel asked for
};

struct ChannelRange {  // of one channel; not-a-number samples are left out
  double least = 0, largest = 0;
  double t_least = 0, t_largest = 0;
};

struct StoredEvent : Event {
  int analysis = 0;
};

struct Log {
  std::vector<StoredEvent> events;
  Diagnostics diagnostics;
};

// The channels whose names match one of the patterns (* any text, ? any character), in the order of
// the store; all of them for no pattern. A pattern without a match is usage.unknown-channel.
Result<std::vector<int>> select_channels(std::span<const Channel>, std::span<const std::string>);
bool fits_pattern(std::string_view name, std::string_view pattern);
// What a name or pattern that fits no channel may mean; empty: nothing near.
std::string nearest_channel(std::span<const Channel>, const std::string& pattern);

class RunReader {
 public:
  static Result<RunReader> open(
      const std::filesystem::path& run);  // the run's folder or its run.db

  const std::filesystem::path& path() const { return path_; }

  // One per analysis, in the order they ran.
  const std::vector<Segment>& segments() const { return segments_; }

  Result<nlohmann::ordered_json> manifest() const;
  Result<nlohmann::ordered_json> summary() const;  // null: the run has not ended
  Result<Columns> read(int segment, std::span<const int> channels) const;
  Result<std::vector<ChannelRange>> ranges(int segment, std::span<const int> channels) const;
  Result<Log> log() const;
  Result<std::optional<run_schema::Checkpoint>> checkpoint() const;

  // Every row in order, until the visitor returns false.
  using Visit = std::function<bool(double t, std::span<const double> row)>;
  Sink::Fault each_row(int segment, const Visit&) const;

  // The estimated errors of the samples, one number per channel and row; NaN: not known. A run
  // without estimates has none.
  bool has_estimate(int segment) const;
  Sink::Fault each_estimate(int segment, const std::function<bool(std::span<const double>)>&) const;
  Result<std::vector<std::vector<double>>> estimates(int segment,
                                                     std::span<const int> channels) const;

  // Looks at the store again: a run that is being written has grown.
  Sink::Fault refresh();

 private:
  explicit RunReader(std::filesystem::path path) : path_(std::move(path)) {}

  Sink::Fault load(Database::Access);
  Sink::Fault load_segments();
  Sink::Fault count_rows();
  friend class RowCursor;

  Sink::Fault moved() const;                    // io.busy: a writer changed what was opened
  Diagnostic damaged(std::string found) const;  // corrupt.store, unless it moved
  Diagnostic fault() const;                     // what SQLite said last, unless it moved

  std::filesystem::path path_;
  mutable Database database_;
  bool still_ = false;  // opened as one that no process writes
  StoreTrace opened_;
  std::vector<Segment> segments_;
};

// Rows of one analysis, asked for one at a time.
class RowCursor {
 public:
  RowCursor(const RunReader&, int segment);
  bool next(double& t, std::span<double> row);  // false: the end, or a fault

  const Sink::Fault& fault() const { return fault_; }

 private:
  bool next_block();

  const RunReader& reader_;
  int segment_;
  std::size_t width_;
  Statement blocks_;
  std::vector<double> block_;
  std::size_t at_ = 0;
  std::int64_t rows_ = 0;
  Sink::Fault fault_;
};

}  // namespace cardan
