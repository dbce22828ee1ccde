#include "cardan/results/database.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "cardan/results/faults.h"

namespace cardan {

Statement::Statement(const Database& database, const char* sql) {
  database.begin_steps();
  code_ =
      sqlite3_prepare_v3(database.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
}

Statement::Statement(Statement&& other) noexcept {
  *this = std::move(other);
}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(code_, other.code_);
  std::swap(parameter_, other.parameter_);
  return *this;
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

Statement& Statement::bind(std::int64_t value) {
  sqlite3_bind_int64(handle_, ++parameter_, value);
  return *this;
}

Statement& Statement::bind(double value) {
  sqlite3_bind_double(handle_, ++parameter_, value);
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  const char* start =
      value.data() != nullptr ? value.data() : "";  // a null pointer would bind NULL
  sqlite3_bind_text64(handle_, ++parameter_, start, value.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(std::span<const std::byte> value) {
  if (value.empty())
    sqlite3_bind_zeroblob(handle_, ++parameter_, 0);
  else
    sqlite3_bind_blob64(handle_, ++parameter_, value.data(), value.size(), SQLITE_STATIC);
  return *this;
}

bool Statement::row() {
  if (handle_ == nullptr) return false;
  code_ = sqlite3_step(handle_);
  return code_ == SQLITE_ROW;
}

bool Statement::run() {
  if (handle_ == nullptr) return false;
  code_ = sqlite3_step(handle_);
  const bool done = code_ == SQLITE_DONE || code_ == SQLITE_ROW;
  reset();
  return done;
}

bool Statement::done() const {
  return code_ == SQLITE_DONE;
}

void Statement::reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  parameter_ = 0;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL)
    return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) const {
  const auto* start = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return start != nullptr ? std::string(start, size) : std::string();
}

std::span<const std::byte> Statement::blob(int column) const {
  const auto* start = static_cast<const std::byte*>(sqlite3_column_blob(handle_, column));
  return {start, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

namespace {

// Codes that mean a damaged file rather than a failed read or write.
bool is_corruption(int code) {
  const int primary = code & 0xff;
  return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || code == SQLITE_IOERR_SHORT_READ ||
         primary == SQLITE_FORMAT || primary == SQLITE_INTERRUPT;  // the last: too many steps
}

// A file name as a URI: what has a meaning there is written as %xx.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    else
      uri += c;
  }
  return uri;
}

}  // namespace

struct Database::Steps {
  std::int64_t taken = 0, most = 0;  // in units of `unit` operations of SQLite's machine

  static constexpr int unit = 1000;

  static int count(void* self) {
    auto& steps = *static_cast<Steps*>(self);
    return ++steps.taken > steps.most ? 1 : 0;
  }
};

namespace {

bool has_index(std::filesystem::path path) {
  path += "-shm";
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

Database::Database() = default;

Database::Database(const std::filesystem::path& path, Access access) {
  const bool writes = access == Access::write || access == Access::create;
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE;
  flags |= writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  if (access == Access::create) flags |= SQLITE_OPEN_CREATE;
  std::string uri = uri_of(path);
  if (access == Access::still) uri += "?immutable=1";
  // The index of the log (-shm) belongs to the writer: where it is, a reader only looks at it. After a power
  // cut there is a log without its index, which somebody must make.
  if (access == Access::read && has_index(path)) uri += "?readonly_shm=1";
  if (sqlite3_open_v2(uri.c_str(), &handle_, flags, nullptr) == SQLITE_OK) harden(path, access);
}

std::optional<Database::Header> Database::header_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return {};  // a pipe would wait for its writer
  Database file;
  constexpr int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_READONLY;
  const std::string uri = uri_of(path) + "?immutable=1";
  if (sqlite3_open_v2(uri.c_str(), &file.handle_, flags, nullptr) != SQLITE_OK) return {};
  return file.header();
}

// Where the file is shorter, SQLite fills up with zeros.
std::optional<Database::Header> Database::header() const {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file == nullptr || file->pMethods == nullptr) return {};
  Header start{};
  const int code = file->pMethods->xRead(file, start.data(), static_cast<int>(start.size()), 0);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return {};
  return start;
}

// A row of a store takes at least some ten bytes and some twenty operations, so a statement that
// runs on and on in a small file goes round in circles.
void Database::harden(const std::filesystem::path& path, Access access) {
  // Before the first statement: some of these look at the file. Who begins or ends is quick.
  sqlite3_busy_timeout(handle_, 10000);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  run("PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY");
  if (access == Access::write || access == Access::create) return;
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  run("PRAGMA query_only = 1");
  std::int64_t bytes = 0;
  std::error_code error;
  for (const char* ending : {"", "-wal"}) {
    auto file = path;
    file += ending;
    const auto size = std::filesystem::file_size(file, error);
    if (!error) bytes += static_cast<std::int64_t>(size);
  }
  steps_ = std::make_unique<Steps>();
  steps_->most = 1000 + 16 * (bytes / Steps::unit);
  sqlite3_progress_handler(handle_, Steps::unit, Steps::count, steps_.get());
}

void Database::begin_steps() const {
  if (steps_) steps_->taken = 0;
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), steps_(std::move(other.steps_)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(steps_, other.steps_);
  return *this;
}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

bool Database::run(const char* sql) {
  return sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.row() ? statement.integer(0) : 0;
}

bool Database::close() {
  const int code = sqlite3_close_v2(std::exchange(handle_, nullptr));
  return code == SQLITE_OK;
}

int Database::code() const {
  return sqlite3_extended_errcode(handle_);
}

bool Database::cannot_open() const {
  const int primary = code() & 0xff;
  return primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY;
}

std::string Database::words() const {
  std::string words = sqlite3_errmsg(handle_);
  const int system = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
  if (system != 0) words += fmt::format(" ({})", std::strerror(system));
  return words;
}

Diagnostic store_fault(const Database& database, const std::filesystem::path& path, bool writing) {
  const int code = database.code();
  if (is_corruption(code)) return corrupt_store(path, database.words());
  if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) return store_busy(path);
  const bool full =
      (code & 0xff) == SQLITE_FULL ||
      (database.handle() != nullptr && sqlite3_system_errno(database.handle()) == ENOSPC);
  if (full)
    return write_fault(path, "the disk is full");  // reading needs room beside the store too
  return writing ? write_fault(path, database.words()) : read_fault(path, database.words());
}

}  // namespace cardan
