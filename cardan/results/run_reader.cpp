#include "cardan/results/run_reader.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/results/faults.h"
#include "cardan/results/json.h"
#include "cardan/results/manifest.h"
#include "cardan/results/run_folder.h"
#include "cardan/results/run_seal.h"

namespace cardan {

namespace fs = std::filesystem;

namespace {

// A log that holds more than its own header. Of one that a writer has only begun, SQLite asks again and again
// for the writer, ten seconds long, and gives up.
bool has_log(const fs::path& path) {
  constexpr std::uintmax_t header = 32;
  fs::path log = path;
  log += "-wal";
  std::error_code error;
  const auto size = fs::file_size(log, error);
  return !error && size > header;
}

// A store that was closed, or has no log beside it, stands still and needs no locks: it is read
// from folders that may not be written too. A log beside a store that was closed is of another time
// and is not looked at.
Database::Access access_to(const fs::path& path, const run_schema::StoreFile& file) {
  return file.may_have_log && has_log(path) ? Database::Access::read : Database::Access::still;
}

// Of a folder of numbered runs the one with the highest number; empty: there is none.
std::string last_run_below(const fs::path& folder) {
  std::error_code error;
  fs::path last;
  long highest = -1;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    long number = -1;
    const auto [stop, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (fault != std::errc() || stop != name.data() + name.size() || number <= highest) continue;
    if (!fs::exists(entry->path() / "run.db", error)) continue;
    highest = number;
    last = entry->path();
  }
  return last.string();
}

}  // namespace

Result<RunReader> RunReader::open(const fs::path& run) {
  const fs::path path = run_file(run);
  std::error_code error;
  if (path != run && !fs::exists(path, error)) {
    Diagnostic d = not_a_run(run, "this folder holds no run.db");
    if (const std::string last = last_run_below(run); !last.empty())
      d.hint = fmt::format("the last run in it is {}", last);
    else if (fs::exists(run / "model.toml", error))
      d.hint = fmt::format("it holds a model: cardan run {} makes a run of it", run.string());
    return d;
  }
  RunReader reader(path);
  if (auto fault = reader.refresh()) return *fault;
  return reader;
}

// All queries between two calls see the store as it stood at the first of them. A store that a writer
// begins, ends or replaces just now may look damaged to who opens it, in any of the ways that a file can:
// it is damaged only where nothing moved while it was looked at. Otherwise it is looked at again, and
// then is another file or has another way to be opened.
Sink::Fault RunReader::refresh() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds patience{10};
  const auto began = Clock::now();
  for (;;) {
    opened_ = trace_of(path_);
    const auto file = run_schema::check_file(path_);
    if (!file) return file.why().front();
    const Database::Access access = access_to(path_, file.value());
    still_ = access == Database::Access::still;
    const auto fault = load(access);
    if (!fault && (!still_ || trace_of(path_).store == opened_.store)) return {};
    database_ = {};
    std::this_thread::sleep_for(StoreTrace::settles);
    if (fault && trace_of(path_) == opened_) return fault;
    if (Clock::now() - began > patience) return store_busy(path_);
  }
}

// What was read is right only if the file stood still, where it was opened as one that does.
Sink::Fault RunReader::moved() const {
  if (!still_ || !changed_in_place(opened_, database_, path_)) return {};
  return changed_store(path_);
}

Diagnostic RunReader::damaged(std::string found) const {
  const auto change = moved();
  return change ? *change : corrupt_store(path_, std::move(found));
}

Diagnostic RunReader::fault() const {
  const auto change = moved();
  return change ? *change : store_fault(database_, path_, false);
}

Sink::Fault RunReader::load(Database::Access access) {
  database_ = Database(path_, access);
  segments_.clear();
  if (auto fault = run_schema::check_identity(database_, path_)) return fault;
  if (!database_.run("BEGIN")) return fault();
  const auto contents = run_schema::read_contents(database_, path_);
  if (!contents) return contents.why().front();
  if (auto fault = run_schema::check_seal(database_, path_, contents.value())) return fault;
  return load_segments();
}

Sink::Fault RunReader::load_segments() {
  Statement analyses(database_,
                     "SELECT number, channels, width, checksum FROM analysis ORDER BY number");
  Statement names(
      database_,
      "SELECT name, unit, element, quantity FROM channel WHERE channels = ? ORDER BY position");
  while (analyses.row()) {
    Segment segment;
    names.bind(analyses.integer(1));
    while (names.row())
      segment.channels.push_back({names.text(0), names.text(1), names.text(2), names.text(3)});
    if (!names.done()) return fault();
    names.reset();
    const bool whole =
        analyses.integer(2) == static_cast<std::int64_t>(segment.channels.size()) + 1 &&
        analyses.integer(0) == static_cast<std::int64_t>(segments_.size()) &&
        analyses.integer(3) == run_schema::checksum_of(segment.channels);
    if (!whole)
      return corrupt_store(path_, "the list of channels does not agree with its checksum");
    segments_.push_back(std::move(segment));
  }
  if (!analyses.done()) return fault();
  return count_rows();
}

// Blocks follow each other without gaps: run_schema::read_contents has seen to it.
Sink::Fault RunReader::count_rows() {
  Statement blocks(database_, "SELECT analysis, first + rows FROM block ORDER BY number");
  while (blocks.row()) {
    const std::int64_t analysis = blocks.integer(0);
    if (analysis < 0 || analysis >= static_cast<std::int64_t>(segments_.size())) return fault();
    segments_[static_cast<std::size_t>(analysis)].rows = blocks.integer(1);
  }
  if (!blocks.done()) return fault();
  return {};
}

Result<nlohmann::ordered_json> RunReader::manifest() const {
  auto json = nlohmann::ordered_json::object();
  Statement rows(database_,
                 "SELECT key, value FROM manifest WHERE key <> 'summary' ORDER BY rowid");
  while (rows.row()) {
    auto value = parse_json(rows.text(1));
    if (!value) return damaged(fmt::format("'{}' of the manifest is not JSON", rows.text(0)));
    json[rows.text(0)] = std::move(*value);
  }
  if (!rows.done()) return fault();
  if (const char* key = wrong_kind_in_manifest(json))
    return damaged(fmt::format("'{}' of the manifest cannot be read", key));
  if (auto change = moved()) return *change;
  return json;
}

Result<nlohmann::ordered_json> RunReader::summary() const {
  Statement rows(database_, "SELECT value FROM manifest WHERE key = 'summary'");
  nlohmann::ordered_json json;
  if (rows.row()) {
    auto value = parse_json(rows.text(0));
    if (!value || !value->is_object()) return damaged("the summary is not JSON");
    json = std::move(*value);
    (void)rows.row();
  }
  if (!rows.done()) return fault();
  if (auto change = moved()) return *change;
  return json;
}

Sink::Fault RunReader::each_row(int segment, const Visit& visit) const {
  std::vector<double> row(segments_.at(static_cast<std::size_t>(segment)).channels.size());
  RowCursor rows(*this, segment);
  for (double t = 0; rows.next(t, row);)
    if (!visit(t, row)) return {};
  return rows.fault();
}

Result<Columns> RunReader::read(int segment, std::span<const int> channels) const {
  Columns columns;
  columns.values.resize(channels.size());
  const auto rows = static_cast<std::size_t>(segments_.at(static_cast<std::size_t>(segment)).rows);
  columns.t.reserve(rows);
  for (auto& column : columns.values) column.reserve(rows);
  const auto fault = each_row(segment, [&](double t, std::span<const double> row) {
    columns.t.push_back(t);
    for (std::size_t k = 0; k < channels.size(); ++k)
      columns.values[k].push_back(row[static_cast<std::size_t>(channels[k])]);
    return true;
  });
  if (fault) return *fault;
  return columns;
}

Result<std::vector<ChannelRange>> RunReader::ranges(int segment,
                                                    std::span<const int> channels) const {
  const double nan = std::nan("");
  std::vector<ChannelRange> ranges(channels.size(), ChannelRange{nan, nan, nan, nan});
  const auto fault = each_row(segment, [&](double t, std::span<const double> row) {
    for (std::size_t k = 0; k < channels.size(); ++k) {
      const double x = row[static_cast<std::size_t>(channels[k])];
      ChannelRange& r = ranges[k];
      if (x < r.least || (std::isnan(r.least) && !std::isnan(x))) r.least = x, r.t_least = t;
      if (x > r.largest || (std::isnan(r.largest) && !std::isnan(x)))
        r.largest = x, r.t_largest = t;
    }
    return true;
  });
  if (fault) return *fault;
  return ranges;
}

Result<Log> RunReader::log() const {
  Log log;
  Statement events(database_, "SELECT t, kind, element, text, analysis FROM event ORDER BY number");
  while (events.row())
    log.events.push_back({{events.real(0), events.text(1), events.text(2), events.text(3)},
                          static_cast<int>(events.integer(4))});
  if (!events.done()) return fault();
  Statement rows(database_, "SELECT json FROM diagnostic ORDER BY number");
  try {
    while (rows.row()) {
      const auto json = parse_json(rows.text(0));
      if (!json) return damaged("a stored diagnostic is not JSON");
      log.diagnostics.push_back(diagnostic_from_json(*json));
    }
  } catch (const nlohmann::json::exception&) {
    return damaged("a stored diagnostic cannot be read");
  }
  if (!rows.done()) return fault();
  if (auto change = moved()) return *change;
  return log;
}

Result<std::optional<run_schema::Checkpoint>> RunReader::checkpoint() const {
  auto checkpoint = run_schema::read_checkpoint(database_, path_);
  if (auto change = moved()) return *change;
  return checkpoint;
}

}  // namespace cardan
