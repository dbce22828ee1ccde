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
inline constexpr int version = 1;

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

// Rows are kept in memory until a block is full. 64 KiB: few statements, and little to write again
// at a checkpoint.
inline constexpr std::int64_t block_bytes = 64 * 1024;

// Checksums cover the numbers beside the bytes too.
struct Block {
  std::int64_t analysis, first, rows;
};

struct Mark {  // what was stored when the checkpoint was taken
  std::int64_t analysis = -1, rows = 0, events = 0, diagnostics = 0;
  double t = 0;
};

std::int64_t checksum_of(const Block&, std::span<const std::byte> data);
std::int64_t checksum_of(const Mark&, std::span<const std::byte> data);
std::int64_t checksum_of(std::span<const Channel>);

// Whether the file is a run store of this version: io.open, io.not-a-run, corrupt.store.
Sink::Fault check_file(const std::filesystem::path&);  // by its first bytes
Sink::Fault check_identity(Database&,
                           const std::filesystem::path&);  // by its application and version numbers

struct Checkpoint {
  Mark mark;
  std::vector<std::byte> data;
};

// The latest checkpoint, or nothing when there is none.
Result<std::optional<Checkpoint>> read_checkpoint(Database&, const std::filesystem::path&);

}  // namespace cardan::run_schema
