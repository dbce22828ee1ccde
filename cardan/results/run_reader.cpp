#include "cardan/results/run_reader.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/results/faults.h"
#include "cardan/results/json.h"
#include "cardan/results/run_folder.h"

namespace cardan {

namespace fs = std::filesystem;

namespace {

// A store in WAL mode needs its folder to be writable, even for reading. Where it is not, a store
// without a WAL beside it cannot change and is opened as it stands.
Database open_for_reading(const fs::path& path) {
  Database database(path, Database::Access::read);
  database.number("PRAGMA schema_version");
  std::error_code error;
  fs::path wal = path;
  wal += "-wal";
  const bool pending = fs::exists(wal, error) && fs::file_size(wal, error) > 0;
  if (database.cannot_open() && !pending) return {path, Database::Access::read, true};
  return database;
}

}  // namespace

Result<RunReader> RunReader::open(const fs::path& run) {
  const fs::path path = run_file(run);
  std::error_code error;
  if (path != run && !fs::exists(path, error)) return not_a_run(run, "this folder holds no run.db");
  if (auto fault = run_schema::check_file(path)) return *fault;
  RunReader reader(path, open_for_reading(path));
  if (auto fault = run_schema::check_identity(reader.database_, path)) return *fault;
  if (auto fault = reader.refresh()) return *fault;
  return reader;
}

// All queries between two calls see the store as it stood at the first of them.
Sink::Fault RunReader::refresh() {
  database_.run("ROLLBACK");  // fails when nothing was begun, which is as well
  if (!database_.run("BEGIN")) return fault();
  return load_segments();
}

Sink::Fault RunReader::load_segments() {
  segments_.clear();
  Statement analyses(database_,
                     "SELECT number, channels, width, checksum FROM analysis ORDER BY number");
  Statement names(
      database_,
      "SELECT name, unit, element, quantity FROM channel WHERE channels = ? ORDER BY position");
  Statement count(database_, "SELECT coalesce(max(first + rows), 0) FROM block WHERE analysis = ?");
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
    if (!count.bind(analyses.integer(0)).row()) return fault();
    segment.rows = count.integer(0);
    count.reset();
    segments_.push_back(std::move(segment));
  }
  if (!analyses.done()) return fault();
  return {};
}

Result<nlohmann::ordered_json> RunReader::manifest() const {
  auto json = nlohmann::ordered_json::object();
  Statement rows(database_,
                 "SELECT key, value FROM manifest WHERE key <> 'summary' ORDER BY rowid");
  while (rows.row()) {
    auto value = nlohmann::ordered_json::parse(rows.text(1), nullptr, false);
    if (value.is_discarded())
      return corrupt_store(path_, fmt::format("'{}' of the manifest is not JSON", rows.text(0)));
    json[rows.text(0)] = std::move(value);
  }
  if (!rows.done()) return fault();
  return json;
}

Result<nlohmann::ordered_json> RunReader::summary() const {
  Statement rows(database_, "SELECT value FROM manifest WHERE key = 'summary'");
  nlohmann::ordered_json json;
  if (rows.row()) {
    json = nlohmann::ordered_json::parse(rows.text(0), nullptr, false);
    if (json.is_discarded()) return corrupt_store(path_, "the summary is not JSON");
    (void)rows.row();
  }
  if (!rows.done()) return fault();
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
    while (rows.row())
      log.diagnostics.push_back(diagnostic_from_json(nlohmann::json::parse(rows.text(0))));
  } catch (const nlohmann::json::exception&) {
    return corrupt_store(path_, "a stored diagnostic cannot be read");
  }
  if (!rows.done()) return fault();
  return log;
}

Result<std::optional<run_schema::Checkpoint>> RunReader::checkpoint() const {
  return run_schema::read_checkpoint(database_, path_);
}

}  // namespace cardan
