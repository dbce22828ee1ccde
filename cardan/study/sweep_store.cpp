#include "cardan/study/sweep_store.h"

#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cardan/results/faults.h"
#include "cardan/results/json.h"

namespace cardan {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int sweep_application_id = 0x43617253;  // "CarS"
constexpr std::int64_t most_waiting = 1000;       // rows
constexpr std::int64_t longest_wait = 500;        // ms

constexpr const char* create_sweep =
    "CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT NOT NULL)";

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string in_quotes(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string in_small_letters(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// p and m before the names keep parameters, measures and the rest apart. SQLite does not tell r from R:
// the second of two such names has its number behind it.
std::vector<std::string> columns_of(const SweepColumns& columns) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  const auto add = [&](const std::string& name) {
    std::string unique = name;
    for (int k = 2; !taken.insert(in_small_letters(unique)).second; ++k)
      unique = fmt::format("{}#{}", name, k);
    names.push_back(in_quotes(unique));
  };
  for (const std::string& name : columns.parameters) add("p." + name);
  for (const std::string& name : columns.measures) add("m." + name);
  return names;
}

std::string create_points(const SweepColumns& columns) {
  std::string sql =
      "CREATE TABLE point(number INTEGER PRIMARY KEY, status TEXT, cause TEXT, diagnostics TEXT";
  for (const std::string& name : columns_of(columns)) sql += ", " + name + " REAL";
  return sql + ")";
}

std::string insert_point(const SweepColumns& columns) {
  const std::size_t count = columns.parameters.size() + columns.measures.size();
  std::string sql = "INSERT OR REPLACE INTO point VALUES(?, ?, ?, ?";
  for (std::size_t k = 0; k < count; ++k) sql += ", ?";
  return sql + ")";
}

SweepColumns columns_from(const Json& json) {
  SweepColumns out{json.at("parameters"),
                   json.at("parameter_units"),
                   json.at("measures"),
                   json.at("measure_units")};
  for (const Json& c : json.value("samples", Json::array()))
    out.samples.push_back({c.at(0), c.at(1), "", ""});
  return out;
}

// What is not folded into the store yet lies in a log beside it: of a sweep that runs, or was killed. A
// store without one stands still, and is read where nothing may be written, too.
Database::Access access_to(const fs::path& path) {
  constexpr std::uintmax_t header = 32;
  std::error_code error;
  const auto size = fs::file_size(path.string() + "-wal", error);
  return !error && size > header ? Database::Access::read : Database::Access::still;
}

Diagnostic not_a_sweep(const fs::path& path) {
  Diagnostic d = not_a_run(path, "no store of a sweep");
  d.expected = "the folder of a sweep, or its sweep.db";
  return d;
}

}  // namespace

Json to_json(const SweepColumns& columns) {
  Json samples = Json::array();
  for (const Channel& c : columns.samples) samples.push_back({c.name, c.unit});
  return {{"parameters", columns.parameters},
          {"parameter_units", columns.parameter_units},
          {"measures", columns.measures},
          {"measure_units", columns.measure_units},
          {"samples", std::move(samples)}};
}

namespace {

// Tables, and what was asked for. The log comes last: nothing of this lies in it when the file gets its name.
bool describe_sweep(Database& db, const Json& about, const SweepColumns& columns) {
  const std::string id = fmt::format("PRAGMA application_id = {}", sweep_application_id);
  if (!db.run("BEGIN") || !db.run(id.c_str()) || !db.run(create_sweep) ||
      !db.run(create_points(columns).c_str()))
    return false;
  {
    Statement set(db, "INSERT INTO sweep VALUES(?, ?)");
    const std::string about_text = to_line(about), columns_text = to_line(to_json(columns));
    if (!set.bind(std::string_view("about")).bind(std::string_view(about_text)).run() ||
        !set.bind(std::string_view("columns")).bind(std::string_view(columns_text)).run())
      return false;
  }
  return db.run("COMMIT") && db.run("PRAGMA journal_mode = WAL");
}

}  // namespace

fs::path sweep_file(const fs::path& sweep) {
  std::error_code error;
  return fs::is_directory(sweep, error) ? sweep / sweep_store_name : sweep;
}

SweepStore::SweepStore(fs::path path, Database database, std::optional<RunLock> lock)
    : path_(std::move(path)), database_(std::move(database)), lock_(std::move(lock)) {}

Result<SweepStore> SweepStore::create(const fs::path& folder,
                                      const Json& about,
                                      const SweepColumns& columns,
                                      bool force) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path path = folder / sweep_store_name;
  auto lock = RunLock::take(path);
  if (!lock) return lock.why();
  if (fs::exists(path, error) && !force) return already_there(path);
  // It has another name until it is whole: who is killed before leaves no sweep.
  const fs::path born = path.string() + ".new";
  for (const fs::path& old : {path, born})
    for (const char* end : {"", "-wal", "-shm", "-journal"}) fs::remove(old.string() + end, error);
  fs::remove_all(samples_folder(path), error);
  SweepStore out(path, Database(born, Database::Access::create), std::move(lock).value());
  if (!describe_sweep(out.database_, about, columns)) {
    Diagnostic why = out.fault(true);
    out.database_ = Database();
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(born.string() + end, error);
    return why;
  }
  out.database_ = Database();
  fs::rename(born, path, error);
  if (error) return write_fault(path, error.message());
  out.database_ = Database(path, Database::Access::write);
  out.about_ = about;
  out.columns_ = columns;
  out.insert_ = std::make_unique<Statement>(out.database_, insert_point(columns).c_str());
  if (!columns.samples.empty()) out.files_.emplace(samples_folder(path));
  return out;
}

std::optional<Diagnostic> SweepStore::read_about() {
  if (database_.number("PRAGMA application_id") != sweep_application_id) return not_a_sweep(path_);
  Statement all(database_, "SELECT key, value FROM sweep");
  bool columns = false;
  while (all.row()) {
    const auto json = parse_json(all.text(1));
    if (!json) return corrupt_store(path_, "what was asked for cannot be read");
    try {
      if (all.text(0) == "columns") {
        columns_ = columns_from(*json);
        columns = true;
      } else if (all.text(0) == "about") {
        about_ = *json;
      }
    } catch (const nlohmann::json::exception& error) {
      return corrupt_store(path_, error.what());
    }
  }
  if (!all.done()) return fault(false);
  if (!columns || !about_.is_object()) return not_a_sweep(path_);
  return {};
}

Result<SweepStore> SweepStore::open(const fs::path& folder) {
  const fs::path path = sweep_file(folder);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return not_a_sweep(path);
  SweepStore out(path, Database(path, access_to(path)), std::nullopt);
  if (auto found = out.read_about()) return *found;
  return out;
}

Result<SweepStore> SweepStore::open_to_write(const fs::path& folder) {
  const fs::path path = sweep_file(folder);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return not_a_sweep(path);
  auto lock = RunLock::take(path);
  if (!lock) return lock.why();
  SweepStore out(path, Database(path, Database::Access::write), std::move(lock).value());
  if (auto found = out.read_about()) return *found;
  out.insert_ = std::make_unique<Statement>(out.database_, insert_point(out.columns_).c_str());
  if (!out.columns_.samples.empty()) out.files_.emplace(samples_folder(path));
  return out;
}

Result<std::vector<char>> SweepStore::done(long count) const {
  std::vector<char> flags(static_cast<std::size_t>(count), 0);
  Statement all(database_, "SELECT number FROM point");
  while (all.row()) {
    const std::int64_t number = all.integer(0);
    if (number < 0 || number >= count)
      return corrupt_store(path_, "a point that is not in the sweep");
    flags[static_cast<std::size_t>(number)] = 1;
  }
  if (!all.done()) return fault(false);
  return flags;
}

std::optional<Diagnostic> SweepStore::add(const SweepRow& row) {
  if (waiting_ == 0) {
    if (!database_.run("BEGIN")) return fault(true);
    began_ = now_ms();
  }
  const std::string why = row.result.why.empty() ? "" : to_line(cardan::to_json(row.result.why));
  insert_->bind(static_cast<std::int64_t>(row.number))
      .bind(std::string_view(row.result.status))
      .bind(std::string_view(row.result.cause))
      .bind(std::string_view(why));
  for (const double x : row.values) insert_->bind(x);
  for (const double x : row.result.measures) insert_->bind(x);
  if (!insert_->run()) return fault(true);
  if (files_ && !row.result.samples.empty())
    if (auto found = files_->add(row.number, row.result.samples)) return found;
  if (++waiting_ < most_waiting && now_ms() - began_ < longest_wait) return {};
  return sync();
}

std::optional<Diagnostic> SweepStore::sync() {
  if (waiting_ == 0) return {};
  waiting_ = 0;
  if (files_)
    if (auto found = files_->sync()) return found;
  if (!database_.run("COMMIT")) return fault(true);
  return {};
}

SweepRow SweepStore::row_of(const Statement& from) const {
  SweepRow row;
  row.number = static_cast<long>(from.integer(0));
  row.result.status = from.text(1);
  row.result.cause = from.text(2);
  if (const auto why = parse_json(from.text(3)); why && why->is_array())
    for (const Json& d : *why) row.result.why.push_back(diagnostic_from_json(d));
  int column = 4;
  for (std::size_t k = 0; k < columns_.parameters.size(); ++k)
    row.values.push_back(from.real(column++));
  for (std::size_t k = 0; k < columns_.measures.size(); ++k)
    row.result.measures.push_back(from.real(column++));
  return row;
}

std::optional<Diagnostic> SweepStore::each(
    const std::function<bool(const SweepRow&)>& visit) const {
  Statement all(database_, "SELECT * FROM point ORDER BY number");
  try {
    while (all.row())
      if (!visit(row_of(all))) return {};
  } catch (const nlohmann::json::exception& error) {
    return corrupt_store(path_, error.what());
  }
  if (!all.done()) return fault(false);
  return {};
}

Result<std::vector<double>> SweepStore::samples(long number) const {
  auto found = SampleFiles::read(samples_folder(path_), number);
  if (found && found.value().size() % (1 + columns_.samples.size()) != 0)
    return corrupt_store(path_, "samples of other channels");
  return found;
}

Result<std::optional<SweepRow>> SweepStore::row(long number) const {
  Statement one(database_, "SELECT * FROM point WHERE number = ?");
  one.bind(static_cast<std::int64_t>(number));
  try {
    if (one.row()) return std::optional<SweepRow>(row_of(one));
  } catch (const nlohmann::json::exception& error) {
    return corrupt_store(path_, error.what());
  }
  if (!one.done()) return fault(false);
  return std::optional<SweepRow>();
}

}  // namespace cardan
