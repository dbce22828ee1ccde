#pragma once
// The tables of a run store, shared by its writer and its reader. docs/user-guide/run-store.md
// explains them.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/results/database.h"
#include "cardan/results/sink.h"

namespace cardan::run_schema {

inline constexpr int application_id = 0x43617264;  // "Card"
// 1: without a seal; still read, and given one when such a run is resumed. 2: with a seal. 3: checksums of
// samples and checkpoints by words.
inline constexpr int version = 3;
inline constexpr int oldest_version = 1;
inline constexpr int sealed_version = 2;

inline constexpr const char* create = R"(
  CREATE TABLE manifest(key TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE channel(channels INTEGER, position INTEGER, name TEXT, unit TEXT, element TEXT,
                       quantity TEXT, PRIMARY KEY(channels, position)) WITHOUT ROWID;
  CREATE TABLE analysis(number INTEGER PRIMARY KEY, channels INTEGER, width INTEGER,
                        rows_per_block INTEGER, checksum INTEGER);
  CREATE TABLE block(number INTEGER PRIMARY KEY, analysis INTEGER, first INTEGER, rows INTEGER,
                     checksum INTEGER, data BLOB);
  CREATE TABLE event(number INTEGER PRIMARY KEY, analysis INTEGER, t REAL, kind TEXT, element TEXT,
                     text TEXT);
  CREATE TABLE diagnostic(number INTEGER PRIMARY KEY, analysis INTEGER, json TEXT);
  CREATE TABLE checkpoint(one INTEGER PRIMARY KEY CHECK(one = 1), analysis INTEGER, t REAL,
                          rows INTEGER, events INTEGER, diagnostics INTEGER,
                          checksum INTEGER, data BLOB);
)";

// Not in runs of earlier versions, which are read all the same.
inline constexpr const char* create_estimate =
    "CREATE TABLE IF NOT EXISTS estimate(number INTEGER PRIMARY KEY, analysis INTEGER, first "
    "INTEGER, rows INTEGER, checksum INTEGER, data BLOB)";

inline constexpr const char* create_seal =
    "CREATE TABLE IF NOT EXISTS seal(one INTEGER PRIMARY KEY CHECK(one = 1), analyses INTEGER, "
    "blocks INTEGER, estimates INTEGER, events INTEGER, diagnostics INTEGER, keys INTEGER, "
    "checksum INTEGER)";

// Rows are kept in memory until a block is full. 64 KiB: few statements, and little to write again
// at a checkpoint.
inline constexpr std::int64_t block_bytes = 64 * 1024;
inline constexpr std::int64_t most_channels = 100'000'000;

// Checksums cover the numbers beside the bytes too.
struct Block {
  std::int64_t analysis, first, rows;
};

struct Mark {  // what was stored when the checkpoint was taken
  std::int64_t analysis = -1, rows = 0, events = 0, diagnostics = 0;
  double t = 0;
};

// Whether so many bytes are so many rows of `width` numbers.
bool fits(std::size_t bytes, std::int64_t rows, std::size_t width);

std::int64_t checksum_of(const Block&, std::span<const std::byte> data);
std::int64_t checksum_of(const Mark&, std::span<const std::byte> data);
std::int64_t checksum_of(std::span<const Channel>);

// Whether the data agree with a checksum, of this format or of an earlier one: a resumed run has both.
bool agrees(std::int64_t checksum, const Block&, std::span<const std::byte> data);
bool agrees(std::int64_t checksum, const Mark&, std::span<const std::byte> data);

// What the first bytes of a file tell.
struct StoreFile {
  bool may_have_log = false;  // it was not closed: run.db-wal beside it belongs to it
};

// Whether the file is a run store that this program reads: io.open, io.not-a-run, corrupt.store.
Result<StoreFile> check_file(const std::filesystem::path&);
// By its application and version numbers and its tables: only those that Cardan makes, no views, no
// triggers.
Sink::Fault check_identity(Database&, const std::filesystem::path&);

struct Checkpoint {
  Mark mark;
  std::vector<std::byte> data;
};

// The latest checkpoint, or nothing when there is none.
Result<std::optional<Checkpoint>> read_checkpoint(Database&, const std::filesystem::path&);

}  // namespace cardan::run_schema
