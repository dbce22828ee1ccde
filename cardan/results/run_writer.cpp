#include "cardan/results/run_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cardan/results/faults.h"
#include "cardan/results/json.h"
#include "cardan/results/output_file.h"
#include "cardan/results/run_process.h"
#include "cardan/results/run_reader.h"
#include "cardan/results/run_schema.h"

namespace cardan {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

// A checkpoint is due when fifty times as long has passed as the last one took, so that checkpoints
// cost two per cent of a run, but not before 20 ms and not after half a second or this amount of
// data: what a kill can cost at most. Those of large mechanisms take longer than that: they are ten
// times as far apart as one takes, and at least as far as the data of one.
constexpr int checkpoint_share = 50, least_checkpoint_share = 10;
constexpr std::chrono::nanoseconds shortest_interval = 20ms;
constexpr std::chrono::nanoseconds longest_interval = 500ms;
constexpr std::int64_t checkpoint_bytes = 16 * 1024 * 1024;

// FULL waits for the disk at every commit, so a checkpoint survives a power cut as well as a kill.
constexpr const char* writing_mode = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";

// Nobody sees a new store before it has its name, and it is put on the disk once, just before that. With large
// pages the blocks of samples need few of them.
constexpr const char* making_mode =
    "PRAGMA page_size = 16384; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;";

// The closed store is one file that needs no log. Where a reader is at it, it keeps its log. Once
// the log is folded in, and on the disk, only the mode itself is left to change.
void leave_one_file(Database& database) {
  (void)database.run("PRAGMA busy_timeout = 0");
  Statement fold(database, "PRAGMA wal_checkpoint(TRUNCATE)");
  const bool folded = fold.row() && fold.integer(0) == 0;
  fold = {};
  if (folded) (void)database.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE");
}

std::string identity() {
  return "PRAGMA application_id = " + std::to_string(run_schema::application_id) +
         "; PRAGMA user_version = " + std::to_string(run_schema::version) + ";";
}

// It is in the mode of writing before others can see it: to change the mode needs the file alone.
bool fill_new_store(Database& database,
                    const nlohmann::ordered_json& manifest,
                    const std::string& scene) {
  if (!database.run(making_mode) || !database.run("BEGIN") || !database.run(identity().c_str()) ||
      !database.run(run_schema::create) || !database.run(run_schema::create_estimate) ||
      !database.run(run_schema::create_seal))
    return false;
  Statement insert(database, "INSERT INTO manifest VALUES(?, ?)");
  run_schema::Contents contents;
  const auto keep = [&](const std::string& key, const std::string& text) {
    contents.manifest[key] = run_schema::text_sum(text);
    return insert.bind(key).bind(text).run();
  };
  for (const auto& [key, value] : manifest.items())
    if (!keep(key, to_line(value))) return false;
  if (!scene.empty() && !keep("scene", scene)) return false;
  return run_schema::write_seal(database, contents) && database.run("COMMIT") &&
         database.run("PRAGMA journal_mode = WAL");
}

bool sync_file(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = fsync(file) == 0;
  close(file);
  return done;
}

// Every block against its checksum: what is continued must be what was stored.
Sink::Fault verify(const fs::path& path) {
  const auto reader = RunReader::open(path);
  if (!reader) return reader.why().front();
  for (std::size_t k = 0; k < reader.value().segments().size(); ++k) {
    const auto whole = [](double, std::span<const double>) {
      return true;
    };
    if (auto fault = reader.value().each_row(static_cast<int>(k), whole)) return fault;
  }
  const auto checkpoint = reader.value().checkpoint();
  return checkpoint ? Sink::Fault() : Sink::Fault(checkpoint.why().front());
}

// A log beside a store that was closed is of another time, and SQLite would believe it.
Sink::Fault remove_foreign_log(const fs::path& path) {
  const auto file = run_schema::check_file(path);
  if (!file) return file.why().front();
  if (file.value().may_have_log) return {};
  for (const char* ending : {"-wal", "-shm"}) {
    fs::path log = path;
    log += ending;
    std::error_code error;
    fs::remove(log, error);
    if (error) return write_fault(log, error.message());
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<RunWriter>> RunWriter::create(const fs::path& path,
                                                     const nlohmann::ordered_json& manifest) {
  std::error_code error;
  if (fs::exists(path, error)) return already_there(path);
  auto lock = RunLock::take(path);
  if (!lock) return lock.why();
  return create(path, manifest, std::move(lock).value());
}

Result<std::unique_ptr<RunWriter>> RunWriter::create(const fs::path& path,
                                                     const nlohmann::ordered_json& manifest,
                                                     RunLock lock,
                                                     const std::string& scene) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) return already_there(path);
  remove_parts(path);
  const auto part = new_part(path);
  if (!part) return part.why();
  bool filled = false;
  Sink::Fault fault;
  {
    Database database(part.value(), Database::Access::write);
    filled = fill_new_store(database, manifest, scene);
    if (!filled) fault = store_fault(database, path, true);
  }
  if (filled && !sync_file(part.value())) fault = write_fault(path, std::strerror(errno));
  if (filled && !fault) fs::rename(part.value(), path, error);
  if (filled && !fault && error) fault = write_fault(path, error.message());
  if (fault) {
    for (const char* ending : {"", "-wal", "-shm"}) {
      fs::path left = part.value();
      left += ending;
      fs::remove(left, error);
    }
    return *fault;
  }
  return continue_store(path, std::move(lock));
}

Result<std::unique_ptr<RunWriter>> RunWriter::append(const fs::path& path) {
  const auto file = run_schema::check_file(path);
  if (!file) return file.why();
  auto lock = RunLock::take(path);
  if (!lock) return lock.why();
  return append(path, std::move(lock).value());
}

Result<std::unique_ptr<RunWriter>> RunWriter::append(const fs::path& path, RunLock lock) {
  remove_parts(path);
  if (Fault fault = remove_foreign_log(path)) return *fault;
  if (Fault fault = verify(path)) return *fault;
  return continue_store(path, std::move(lock));
}

Result<std::unique_ptr<RunWriter>> RunWriter::continue_store(const fs::path& path, RunLock lock) {
  Database database(path, Database::Access::write);
  if (Fault fault = run_schema::check_identity(database, path)) return *fault;
  if (!database.run(writing_mode)) return store_fault(database, path, true);
  std::unique_ptr<RunWriter> writer(new RunWriter(path, std::move(database), std::move(lock)));
  if (Fault fault = writer->begin()) return *fault;
  if (Fault fault = writer->make_current()) return *fault;
  if (Fault fault = writer->mark_running()) return *fault;
  if (Fault fault = writer->cut_back()) return *fault;
  return writer;
}

RunWriter::RunWriter(fs::path path, Database database, RunLock lock)
    : path_(std::move(path)),
      lock_(std::move(lock)),
      database_(std::move(database)),
      insert_block_(database_, "INSERT OR REPLACE INTO block VALUES(?, ?, ?, ?, ?, ?)"),
      insert_event_(database_, "INSERT INTO event VALUES(?, ?, ?, ?, ?, ?)"),
      insert_diagnostic_(database_, "INSERT INTO diagnostic VALUES(?, ?, ?)"),
      insert_checkpoint_(database_,
                         "INSERT OR REPLACE INTO checkpoint VALUES(1, ?, ?, ?, ?, ?, ?, ?)"),
      set_key_(database_, "INSERT OR REPLACE INTO manifest VALUES(?, ?)") {}

Sink::Fault RunWriter::begin() {
  if (!database_.run("BEGIN IMMEDIATE")) return fail();
  return {};
}

// A store of an older format gets the tables that it has not.
Sink::Fault RunWriter::make_current() {
  if (!database_.run(run_schema::create_estimate) || !database_.run(run_schema::create_seal) ||
      !database_.run(identity().c_str()))
    return fail();
  return read_contents();
}

Sink::Fault RunWriter::read_contents() {
  auto contents = run_schema::read_contents(database_, path_);
  if (!contents) return fault_ = contents.why().front();
  contents_ = std::move(contents).value();
  return {};
}

// Readers are told at once, not with the first checkpoint.
Sink::Fault RunWriter::mark_running() {
  Statement old(database_, "DELETE FROM manifest WHERE key = 'status'");
  if (!old.run()) return fail();
  contents_.manifest.erase("status");
  if (Fault fault = set("process", process_facts())) return fault;
  if (Fault fault = commit()) return fault;
  return begin();
}

Sink::Fault RunWriter::fail() {
  if (!fault_) fault_ = store_fault(database_, path_, true);
  return fault_;
}

Sink::Fault RunWriter::cut_back() {
  auto last = run_schema::read_checkpoint(database_, path_);
  if (!last) return fault_ = last.why().front();
  const run_schema::Mark mark = last.value() ? last.value()->mark : run_schema::Mark{};
  const auto cut = [&](const char* sql, std::initializer_list<std::int64_t> numbers) {
    Statement statement(database_, sql);
    for (const std::int64_t x : numbers) statement.bind(x);
    return statement.run();
  };
  const bool done =
      cut("DELETE FROM block WHERE analysis > ?1 OR (analysis = ?1 AND first >= ?2)",
          {mark.analysis, mark.rows}) &&
      cut("DELETE FROM estimate", {}) &&
      cut("DELETE FROM analysis WHERE number > ?", {mark.analysis}) &&
      cut("DELETE FROM channel WHERE channels NOT IN (SELECT channels FROM analysis)", {}) &&
      cut("DELETE FROM event WHERE number >= ?", {mark.events}) &&
      cut("DELETE FROM diagnostic WHERE number >= ?", {mark.diagnostics});
  if (!done) return fail();
  if (Fault fault = read_contents()) return fault;
  Statement stored(database_,
                   "SELECT coalesce(max(first + rows), 0) FROM block WHERE analysis = ?");
  if (!stored.bind(mark.analysis).row()) return fail();
  const bool known = mark.analysis < contents_.analyses.rows() && mark.rows >= 0 &&
                     mark.rows <= stored.integer(0) && mark.events == contents_.events.rows() &&
                     mark.diagnostics == contents_.diagnostics.rows();
  if (!known) return fault_ = corrupt_store(path_, "the checkpoint is of another run");

  analysis_ = mark.analysis;
  rows_ = mark.rows;
  events_ = mark.events;
  diagnostics_ = mark.diagnostics;
  block_number_ = contents_.blocks.rows();
  channel_set_ = database_.number("SELECT coalesce(max(channels), -1) FROM analysis");
  continuing_ = analysis_ >= 0;
  return {};
}

// The last block may be short, or hold rows after the checkpoint: its rows go back to memory and
// are stored again.
Sink::Fault RunWriter::load_last_block() {
  const std::int64_t first = rows_ / rows_per_block_ * rows_per_block_;
  if (first == rows_) return {};
  Statement last(database_, "SELECT data FROM block WHERE analysis = ? AND first = ?");
  last.bind(analysis_).bind(first);
  const std::size_t wanted = static_cast<std::size_t>(rows_ - first) * (channels_.size() + 1);
  if (!last.row() || last.blob(0).size() / sizeof(double) < wanted)
    return fault_ = corrupt_store(path_, "the samples before the checkpoint are not there");
  block_.resize(wanted);
  std::memcpy(block_.data(), last.blob(0).data(), wanted * sizeof(double));
  block_rows_ = rows_ - first;
  block_changed_ = true;
  --block_number_;
  return {};
}

Sink::Fault RunWriter::open(std::span<const Channel> channels) {
  if (fault_) return fault_;
  if (continuing_) return continue_analysis(channels);
  if (Fault fault = store_block()) return fault;
  if (block_rows_ > 0) ++block_number_;
  const bool same =
      channel_set_ >= 0 && run_schema::checksum_of(channels_) == run_schema::checksum_of(channels);
  channels_.assign(channels.begin(), channels.end());
  ++analysis_;
  rows_ = 0;
  if (!same)
    if (Fault fault = store_channels(channels)) return fault;

  const auto width = static_cast<std::int64_t>(channels.size()) + 1;
  rows_per_block_ = std::max<std::int64_t>(
      1, run_schema::block_bytes / (width * static_cast<std::int64_t>(sizeof(double))));
  block_.clear();
  block_rows_ = 0;
  const run_schema::AnalysisRow row{
      analysis_, channel_set_, width, rows_per_block_, run_schema::checksum_of(channels)};
  Statement insert(database_, "INSERT INTO analysis VALUES(?, ?, ?, ?, ?)");
  insert.bind(row.number).bind(row.channels).bind(row.width).bind(row.rows_per_block);
  if (!insert.bind(row.checksum).run()) return fail();
  contents_.analyses.add(run_schema::row_sum(row));
  return {};
}

Sink::Fault RunWriter::continue_analysis(std::span<const Channel> channels) {
  continuing_ = false;
  Statement known(database_, "SELECT rows_per_block, checksum FROM analysis WHERE number = ?");
  known.bind(analysis_);
  if (!known.row())
    return fault_ = corrupt_store(path_, "the analysis of the checkpoint is not there");
  if (known.integer(1) != run_schema::checksum_of(channels))
    return fault_ = corrupt_store(path_, "its channels are not those of the model");
  rows_per_block_ = known.integer(0);
  channels_.assign(channels.begin(), channels.end());
  return load_last_block();
}

Sink::Fault RunWriter::store_channels(std::span<const Channel> channels) {
  ++channel_set_;
  Statement insert(database_, "INSERT INTO channel VALUES(?, ?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const auto& c : channels) {
    insert.bind(channel_set_).bind(position++);
    if (!insert.bind(c.name).bind(c.unit).bind(c.element).bind(c.quantity).run()) return fail();
  }
  return {};
}

Sink::Fault RunWriter::sample(double t, std::span<const double> row) {
  if (fault_) return fault_;
  if (analysis_ < 0 || continuing_ || row.size() != channels_.size())
    throw std::logic_error(
        "RunWriter::sample: not opened with as many channels as the row has numbers");
  block_.push_back(t);
  block_.insert(block_.end(), row.begin(), row.end());
  block_changed_ = true;
  ++rows_;
  bytes_since_commit_ += static_cast<std::int64_t>((row.size() + 1) * sizeof(double));
  if (++block_rows_ < rows_per_block_) return {};
  return store_block();
}

Sink::Fault RunWriter::store_block() {
  if (block_changed_) {
    const run_schema::Block block{analysis_, rows_ - block_rows_, block_rows_};
    const auto data = std::as_bytes(std::span<const double>(block_));
    insert_block_.bind(block_number_).bind(block.analysis).bind(block.first).bind(block.rows);
    const std::int64_t sum = run_schema::checksum_of(block, data);
    if (!insert_block_.bind(sum).bind(data).run()) return fail();
    const std::int64_t row = run_schema::row_sum(block_number_, block, sum);
    if (block_number_ < contents_.blocks.rows())
      contents_.blocks.replace_last(row);
    else
      contents_.blocks.add(row);
    block_changed_ = false;
  }
  if (block_rows_ == rows_per_block_) {
    ++block_number_;
    block_.clear();
    block_rows_ = 0;
  }
  return {};
}

Sink::Fault RunWriter::event(const Event& e) {
  if (fault_) return fault_;
  insert_event_.bind(events_).bind(analysis_).bind(e.t);
  if (!insert_event_.bind(e.kind).bind(e.element).bind(e.text).run()) return fail();
  contents_.events.add(run_schema::row_sum(events_++, analysis_, e));
  return {};
}

Sink::Fault RunWriter::diagnostic(const Diagnostic& d) {
  if (fault_) return fault_;
  const std::string text = to_line(to_json(d));
  if (!insert_diagnostic_.bind(diagnostics_).bind(analysis_).bind(text).run()) return fail();
  contents_.diagnostics.add(run_schema::row_sum(diagnostics_++, analysis_, text));
  return {};
}

Sink::Fault RunWriter::set(std::string_view key, const nlohmann::ordered_json& value) {
  if (fault_) return fault_;
  const std::string text = to_line(value);
  if (!set_key_.bind(key).bind(text).run()) return fail();
  contents_.manifest.insert_or_assign(std::string(key), run_schema::text_sum(text));
  return {};
}

bool RunWriter::checkpoint_due() const {
  return bytes_since_commit_ >= std::max(checkpoint_bytes, checkpoint_size_) ||
         Clock::now() - committed_ >= interval_;
}

Sink::Fault RunWriter::checkpoint(double t, std::span<const std::byte> data) {
  if (fault_) return fault_;
  if (analysis_ < 0 || continuing_) throw std::logic_error("RunWriter::checkpoint: not opened");
  const auto start = Clock::now();
  if (Fault fault = store_block()) return fault;
  const run_schema::Mark mark{analysis_, rows_, events_, diagnostics_, t};
  insert_checkpoint_.bind(mark.analysis).bind(t).bind(mark.rows).bind(mark.events);
  contents_.checkpoint = run_schema::checksum_of(mark, data);
  insert_checkpoint_.bind(mark.diagnostics).bind(contents_.checkpoint).bind(data);
  if (!insert_checkpoint_.run()) return fail();
  if (Fault fault = commit()) return fault;
  const std::chrono::nanoseconds took = committed_ - start;
  interval_ = std::clamp<std::chrono::nanoseconds>(
      checkpoint_share * took,
      shortest_interval,
      std::max<std::chrono::nanoseconds>(longest_interval, least_checkpoint_share * took));
  checkpoint_size_ = static_cast<std::int64_t>(data.size());
  return begin();
}

Sink::Fault RunWriter::commit() {
  if (!run_schema::write_seal(database_, contents_) || !database_.run("COMMIT")) return fail();
  committed_ = Clock::now();
  bytes_since_commit_ = 0;
  return {};
}

RunLock RunWriter::hand_over_lock() {
  RunLock lock = std::move(lock_.value());
  lock_.reset();
  return lock;
}

Sink::Fault RunWriter::close() {
  if (database_.handle() == nullptr) return fault_;
  if (!fault_ && !store_block() && !store_estimates()) commit();
  insert_block_ = {};
  insert_event_ = {};
  insert_diagnostic_ = {};
  insert_checkpoint_ = {};
  set_key_ = {};
  // What a reader or a full disk forbids here stays beside the store, and is read too.
  if (!fault_) leave_one_file(database_);
  database_.close();
  lock_.reset();
  return fault_;
}

}  // namespace cardan
