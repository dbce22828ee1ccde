#pragma once
// What a whole store holds, as counts and one checksum: the last row that every transaction writes.
// Rows that were lost or changed since then, in any table, do not agree with it.
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "cardan/base/result.h"
#include "cardan/results/database.h"
#include "cardan/results/hash.h"
#include "cardan/results/run_schema.h"

namespace cardan::run_schema {

// A chain of checksums over the rows of one table, in the order of their numbers.
class Chain {
 public:
  void add(std::int64_t row) {
    before_last_ = sum_;
    replace_last(row);
    ++rows_;
  }

  void replace_last(std::int64_t row) { sum_ = checksum({before_last_, row}); }

  std::int64_t rows() const { return rows_; }

  std::int64_t sum() const { return sum_; }

 private:
  std::int64_t rows_ = 0, sum_ = checksum_start, before_last_ = checksum_start;
};

struct Contents {
  Chain analyses, blocks, estimates, events, diagnostics;
  std::map<std::string, std::int64_t, std::less<>> manifest;  // checksum of the value, by key
  std::int64_t checkpoint = 0;                                // its checksum

  std::int64_t checksum() const;
};

// Of one row of a table. Times are compared as SQLite gives them back: no negative zero, one NaN.
struct AnalysisRow {
  std::int64_t number, channels, width, rows_per_block, checksum;
};

std::int64_t row_sum(const AnalysisRow&);
std::int64_t row_sum(std::int64_t number, const Block&, std::int64_t checksum);
std::int64_t row_sum(std::int64_t number, std::int64_t analysis, const Event&);
std::int64_t row_sum(std::int64_t number, std::int64_t analysis, std::string_view json);
std::int64_t text_sum(std::string_view);

// Reads all tables but the samples themselves, of which it takes the checksums beside them. Numbers
// that cannot be are corrupt.store: rows of a block against the bytes it has, gaps in the numbering.
Result<Contents> read_contents(Database&, const std::filesystem::path&);

// corrupt.store where the contents are not those that the last transaction left. A store of format
// 1 has no seal, and is taken as it is.
Sink::Fault check_seal(Database&, const std::filesystem::path&, const Contents&);
bool write_seal(Database&, const Contents&);

}  // namespace cardan::run_schema
