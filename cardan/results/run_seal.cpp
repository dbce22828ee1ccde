#include "cardan/results/run_seal.h"

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "cardan/results/faults.h"

namespace cardan::run_schema {

namespace {

std::int64_t chained(std::int64_t before, std::string_view text) {
  const std::int64_t size = static_cast<std::int64_t>(text.size());
  return cardan::checksum(std::as_bytes(std::span(text.data(), text.size())),
                          cardan::checksum({before, size}));
}

std::int64_t time_bits(double t) {
  if (std::isnan(t)) t = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<std::int64_t>(t == 0 ? 0.0 : t);
}

// Reads one table; stops at the first row that cannot be.
class TableReader {
 public:
  TableReader(Database& database, const std::filesystem::path& path)
      : database_(database), path_(path) {}

  bool analyses();
  bool blocks(const char* sql, bool with_time, Chain&);
  bool events();
  bool diagnostics();
  bool manifest();
  bool checkpoint();

  Contents contents;
  Sink::Fault fault;

 private:
  bool ended(const Statement& rows) {
    if (!rows.done()) fault = store_fault(database_, path_, false);
    return !fault;
  }

  bool wrong(std::string words) {
    fault = corrupt_store(path_, std::move(words));
    return false;
  }

  bool next(std::int64_t number, const Chain& chain, const char* what) {
    return number == chain.rows() || wrong(fmt::format("{} are missing", what));
  }

  Database& database_;
  const std::filesystem::path& path_;
  std::vector<std::int64_t> widths_;
};

bool TableReader::analyses() {
  Statement rows(
      database_,
      "SELECT number, channels, width, rows_per_block, checksum FROM analysis ORDER BY number");
  while (rows.row()) {
    const AnalysisRow row{
        rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3), rows.integer(4)};
    if (!next(row.number, contents.analyses, "analyses")) return false;
    if (row.width < 1 || row.width > most_channels || row.rows_per_block < 1 ||
        row.rows_per_block > block_bytes)
      return wrong("an analysis has rows of a size that cannot be");
    widths_.push_back(row.width);
    contents.analyses.add(row_sum(row));
  }
  return ended(rows);
}

// Every block begins where the one before it ended, and has the bytes that its rows need.
bool TableReader::blocks(const char* sql, bool with_time, Chain& chain) {
  Statement rows(database_, sql);
  std::int64_t analysis = -1;
  std::int64_t expected = 0;
  while (rows.row()) {
    const Block block{rows.integer(1), rows.integer(2), rows.integer(3)};
    const std::int64_t bytes = rows.integer(5);
    if (block.analysis > analysis) {
      analysis = block.analysis;
      expected = 0;
    }
    if (block.analysis != analysis || analysis < 0 ||
        analysis >= static_cast<std::int64_t>(widths_.size()) || block.first != expected)
      return wrong("samples are missing");
    const std::int64_t width = widths_[static_cast<std::size_t>(analysis)] - (with_time ? 0 : 1);
    if (bytes < 0 ||
        !fits(static_cast<std::size_t>(bytes), block.rows, static_cast<std::size_t>(width)))
      return wrong("a block of samples has not the size that its rows need");
    if (__builtin_add_overflow(expected, block.rows, &expected)) return wrong("too many samples");
    chain.add(row_sum(rows.integer(0), block, rows.integer(4)));
  }
  return ended(rows);
}

bool TableReader::events() {
  Statement rows(database_,
                 "SELECT number, analysis, t, kind, element, text FROM event ORDER BY number");
  while (rows.row()) {
    if (!next(rows.integer(0), contents.events, "events")) return false;
    contents.events.add(row_sum(rows.integer(0),
                                rows.integer(1),
                                Event{rows.real(2), rows.text(3), rows.text(4), rows.text(5)}));
  }
  return ended(rows);
}

bool TableReader::diagnostics() {
  Statement rows(database_, "SELECT number, analysis, json FROM diagnostic ORDER BY number");
  while (rows.row()) {
    if (!next(rows.integer(0), contents.diagnostics, "diagnostics")) return false;
    contents.diagnostics.add(row_sum(rows.integer(0), rows.integer(1), rows.text(2)));
  }
  return ended(rows);
}

bool TableReader::manifest() {
  Statement rows(database_, "SELECT key, value FROM manifest");
  while (rows.row()) {
    if (!contents.manifest.emplace(rows.text(0), text_sum(rows.text(1))).second)
      return wrong("a key of the manifest is there twice");
  }
  return ended(rows);
}

bool TableReader::checkpoint() {
  Statement rows(database_, "SELECT checksum FROM checkpoint");
  if (rows.row()) {
    contents.checkpoint = rows.integer(0);
    (void)rows.row();
  }
  return ended(rows);
}

}  // namespace

std::int64_t Contents::checksum() const {
  std::int64_t sum = checksum_start;
  for (const auto& [key, value] : manifest) sum = cardan::checksum({chained(sum, key), value});
  for (const Chain* chain : {&analyses, &blocks, &estimates, &events, &diagnostics})
    sum = cardan::checksum({sum, chain->rows(), chain->sum()});
  return cardan::checksum({sum, checkpoint});
}

std::int64_t row_sum(const AnalysisRow& a) {
  return cardan::checksum({a.number, a.channels, a.width, a.rows_per_block, a.checksum});
}

std::int64_t row_sum(std::int64_t number, const Block& b, std::int64_t sum) {
  return cardan::checksum({number, b.analysis, b.first, b.rows, sum});
}

std::int64_t row_sum(std::int64_t number, std::int64_t analysis, const Event& e) {
  const std::int64_t numbers = cardan::checksum({number, analysis, time_bits(e.t)});
  return chained(chained(chained(numbers, e.kind), e.element), e.text);
}

std::int64_t row_sum(std::int64_t number, std::int64_t analysis, std::string_view json) {
  return chained(cardan::checksum({number, analysis}), json);
}

std::int64_t text_sum(std::string_view text) {
  return chained(checksum_start, text);
}

Result<Contents> read_contents(Database& database, const std::filesystem::path& path) {
  TableReader tables(database, path);
  Contents& c = tables.contents;
  // length() of a blob is known without its bytes.
  const bool done =
      tables.manifest() && tables.analyses() &&
      tables.blocks(
          "SELECT number, analysis, first, rows, checksum, length(data) FROM block "
          "ORDER BY number",
          true,
          c.blocks) &&
      (database.number("SELECT 1 FROM sqlite_master WHERE name = 'estimate'") == 0 ||
       tables.blocks("SELECT number, analysis, first, rows, checksum, length(data) FROM estimate "
                     "ORDER BY number",
                     false,
                     c.estimates)) &&
      tables.events() && tables.diagnostics() && tables.checkpoint();
  if (!done) return *tables.fault;
  return std::move(c);
}

Sink::Fault check_seal(Database& database, const std::filesystem::path& path, const Contents& c) {
  if (database.number("PRAGMA user_version") < sealed_version) return {};
  Statement rows(
      database,
      "SELECT analyses, blocks, estimates, events, diagnostics, keys, checksum FROM seal");
  if (!rows.row()) {
    if (!rows.done()) return store_fault(database, path, false);
    return corrupt_store(path, "what its last transaction held is not known");
  }

  struct Count {
    const char* what;
    std::int64_t there;
  };

  const Count counts[] = {{"analyses", c.analyses.rows()},
                          {"blocks of samples", c.blocks.rows()},
                          {"blocks of error estimates", c.estimates.rows()},
                          {"events", c.events.rows()},
                          {"diagnostics", c.diagnostics.rows()},
                          {"keys of the manifest", static_cast<std::int64_t>(c.manifest.size())}};
  int column = 0;
  for (const auto& [what, there] : counts) {
    const std::int64_t stored = rows.integer(column++);
    if (stored != there)
      return corrupt_store(path,
                           fmt::format("{} {} were stored, {} are there", stored, what, there));
  }
  if (rows.integer(column) != c.checksum())
    return corrupt_store(path, "its tables do not agree with the checksum of the last transaction");
  return {};
}

bool write_seal(Database& database, const Contents& c) {
  Statement seal(database, "INSERT OR REPLACE INTO seal VALUES(1, ?, ?, ?, ?, ?, ?, ?)");
  seal.bind(c.analyses.rows()).bind(c.blocks.rows()).bind(c.estimates.rows());
  seal.bind(c.events.rows()).bind(c.diagnostics.rows());
  seal.bind(static_cast<std::int64_t>(c.manifest.size())).bind(c.checksum());
  return seal.run();
}

}  // namespace cardan::run_schema
