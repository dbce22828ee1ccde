#include "cardan/results/run_schema.h"

#include <array>
#include <bit>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cardan/results/faults.h"
#include "cardan/results/hash.h"

namespace cardan::run_schema {

static_assert(std::endian::native == std::endian::little,
              "samples are stored as little-endian doubles");

std::int64_t checksum_of(const Block& b, std::span<const std::byte> data) {
  return checksum(data, checksum({b.analysis, b.first, b.rows}));
}

std::int64_t checksum_of(const Mark& m, std::span<const std::byte> data) {
  const auto time = std::bit_cast<std::int64_t>(m.t);
  return checksum(data, checksum({m.analysis, m.rows, m.events, m.diagnostics, time}));
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

Sink::Fault check_file(const std::filesystem::path& path) {
  using namespace std::string_view_literals;
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return missing_file(path, "a run folder or its run.db");
  std::array<char, 16> start{};
  std::ifstream file(path, std::ios::binary);
  if (!file) return read_fault(path, "it cannot be opened");
  file.read(start.data(), start.size());
  if (std::string_view(start.data(), start.size()) != "SQLite format 3\0"sv)
    return not_a_run(path, "this is not a database");
  return {};
}

Sink::Fault check_identity(Database& database, const std::filesystem::path& path) {
  const std::int64_t application = database.number("PRAGMA application_id");
  if (database.code() != 0 && application == 0) return store_fault(database, path, false);
  if (application != application_id)
    return not_a_run(path, "this is a database of another program");
  const std::int64_t made = database.number("PRAGMA user_version");
  if (made != version)
    return not_a_run(path,
                     fmt::format("this run has format {}, this program reads {}", made, version));
  return {};
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
  if (last.integer(5) != checksum_of(checkpoint.mark, data))
    return corrupt_store(path, "the checkpoint does not agree with its checksum");
  return std::optional(std::move(checkpoint));
}

}  // namespace cardan::run_schema
