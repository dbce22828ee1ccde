#include "cardan/results/run_schema.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cardan/results/faults.h"
#include "cardan/results/hash.h"

namespace cardan::run_schema {

static_assert(std::endian::native == std::endian::little,
              "samples are stored as little-endian doubles");

// By division: a product could go round.
bool fits(std::size_t bytes, std::int64_t rows, std::size_t width) {
  const std::size_t row = width * sizeof(double);
  if (rows < 0) return false;
  if (row == 0) return bytes == 0;
  return bytes % row == 0 && bytes / row == static_cast<std::uint64_t>(rows);
}

namespace {

std::int64_t start_of(const Block& b) {
  return checksum({b.analysis, b.first, b.rows});
}

std::int64_t start_of(const Mark& m) {
  const auto time = std::bit_cast<std::int64_t>(m.t);
  return checksum({m.analysis, m.rows, m.events, m.diagnostics, time});
}

template <class Place>
bool agrees_with(std::int64_t sum, const Place& place, std::span<const std::byte> data) {
  const std::int64_t start = start_of(place);
  return sum == checksum_by_words(data, start) || sum == checksum(data, start);
}

}  // namespace

std::int64_t checksum_of(const Block& b, std::span<const std::byte> data) {
  return checksum_by_words(data, start_of(b));
}

std::int64_t checksum_of(const Mark& m, std::span<const std::byte> data) {
  return checksum_by_words(data, start_of(m));
}

bool agrees(std::int64_t sum, const Block& b, std::span<const std::byte> data) {
  return agrees_with(sum, b, data);
}

bool agrees(std::int64_t sum, const Mark& m, std::span<const std::byte> data) {
  return agrees_with(sum, m, data);
}

std::int64_t checksum_of(std::span<const Channel> channels) {
  std::int64_t sum = checksum_start;
  const auto add = [&sum](const std::string& text) {  // with its closing zero, as a separator
    sum = checksum(std::as_bytes(std::span(text.c_str(), text.size() + 1)), sum);
  };
  for (const auto& c : channels) {
    add(c.name);
    add(c.unit);
    add(c.element);
    add(c.quantity);
  }
  return sum;
}

Result<StoreFile> check_file(const std::filesystem::path& path) {
  using namespace std::string_view_literals;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return missing_file(path, "a run folder or its run.db");
  if (!std::filesystem::is_regular_file(status)) return not_a_run(path, "this is not a plain file");
  const auto start = Database::header_of(path);
  if (!start) return read_fault(path, "it cannot be opened");
  if (std::string_view(start->data(), 16) != "SQLite format 3\0"sv) {
    Diagnostic d = not_a_run(path, "this is not a database");
    if (path.extension() == ".toml")
      d.hint = fmt::format("a model is run first: cardan run {}", path.string());
    if (path.extension() == ".toml")
      d.hint = "this is a model: 'cardan run' runs it and names the folder of the run";
    return d;
  }
  // Bytes 18 and 19 are 2 in a database with a log beside it, 1 in one that was closed.
  return StoreFile{(*start)[18] != 1 || (*start)[19] != 1};
}

namespace {

// White space of different kind and length is the same.
std::string spaced_once(std::string_view sql) {
  std::string out;
  for (const char c : sql) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == ';')) out.pop_back();
  return out;
}

// The texts with which tables are made, as SQLite keeps them.
std::vector<std::string> known_tables() {
  std::vector<std::string> known;
  for (const std::string_view all : {std::string_view(create),
                                     std::string_view(create_estimate),
                                     std::string_view(create_seal)}) {
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = std::min(all.find(';', at), all.size());
      std::string sql = spaced_once(all.substr(at, end - at));
      constexpr std::string_view unless = "IF NOT EXISTS ";
      if (const auto found = sql.find(unless); found != std::string::npos)
        sql.erase(found, unless.size());
      if (!sql.empty()) known.push_back(sql);
      at = end + 1;
    }
  }
  return known;
}

// All that the format has, and nothing else.
Sink::Fault check_tables(Database& database, const std::filesystem::path& path, bool sealed) {
  const std::vector<std::string> known = known_tables();
  std::vector<char> there(known.size(), 0);
  Statement rows(database, "SELECT type, name, sql FROM sqlite_master");
  while (rows.row()) {
    if (rows.text(0) == "index" && rows.text(1) == "sqlite_autoindex_manifest_1") continue;
    const auto found = std::find(known.begin(), known.end(), spaced_once(rows.text(2)));
    if (rows.text(0) != "table" || found == known.end())
      return corrupt_store(
          path, fmt::format("{} '{}' is not one of a run store", rows.text(0), rows.text(1)));
    there[static_cast<std::size_t>(found - known.begin())] = 1;
  }
  if (!rows.done()) return store_fault(database, path, false);
  const std::size_t later = sealed ? 0 : 2;  // tables that format 1 may lack
  if (std::count(there.begin(), there.end() - static_cast<std::ptrdiff_t>(later), 1) !=
      static_cast<std::ptrdiff_t>(known.size() - later))
    return corrupt_store(path, "tables are missing");
  return {};
}

}  // namespace

Sink::Fault check_identity(Database& database, const std::filesystem::path& path) {
  const std::int64_t application = database.number("PRAGMA application_id");
  if (database.code() != 0 && application == 0) return store_fault(database, path, false);
  if (application != application_id)
    return not_a_run(path, "this is a database of another program");
  const std::int64_t made = database.number("PRAGMA user_version");
  if (made < oldest_version || made > version)
    return not_a_run(
        path,
        fmt::format(
            "this run has format {}, this program reads {} to {}", made, oldest_version, version));
  return check_tables(database, path, made >= sealed_version);
}

Result<std::optional<Checkpoint>> read_checkpoint(Database& database,
                                                  const std::filesystem::path& path) {
  Statement last(database,
                 "SELECT analysis, rows, events, diagnostics, t, checksum, data FROM checkpoint");
  if (!last.row()) {
    if (!last.done()) return store_fault(database, path, false);
    return std::optional<Checkpoint>();
  }
  const auto data = last.blob(6);
  Checkpoint checkpoint{
      {last.integer(0), last.integer(1), last.integer(2), last.integer(3), last.real(4)},
      {data.begin(), data.end()}};
  if (!agrees(last.integer(5), checkpoint.mark, data))
    return corrupt_store(path, "the checkpoint does not agree with its checksum");
  return std::optional(std::move(checkpoint));
}

}  // namespace cardan::run_schema
