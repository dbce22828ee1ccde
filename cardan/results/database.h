#pragma once
// SQLite behind two small owners. Calls return SQLite's code; who knows what was tried turns it
// into words.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cardan/base/diagnostic.h"

struct sqlite3;
struct sqlite3_stmt;

namespace cardan {

class Database;

class Statement {
 public:
  Statement() = default;
  Statement(const Database&, const char* sql);
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;
  ~Statement();

  // Parameters in order, from 1. Texts and blobs must live until the step is done.
  Statement& bind(std::int64_t);
  Statement& bind(double);
  Statement& bind(std::string_view);
  Statement& bind(std::span<const std::byte>);

  bool row();  // steps; false at the end and on errors
  bool run();  // a statement without rows, from bind to reset; false on errors
  void reset();

  std::int64_t integer(int column) const;
  double real(int column) const;  // NaN where NULL stands, as SQLite stores it
  std::string text(int column) const;
  std::span<const std::byte> blob(int column) const;  // until the next step
  bool done() const;  // the last step came to the end, without an error

 private:
  sqlite3_stmt* handle_ = nullptr;
  int code_ = 0;
  int parameter_ = 0;
};

class Database {
 public:
  // read: nothing is ever written, folded or removed. still: as read, for a file that no process
  // writes, with no look at what lies beside it. In each the schema is not trusted: no triggers, no
  // views, and no more steps than a file of this size can need.
  enum class Access { read, still, write, create };
  Database();
  Database(const std::filesystem::path&, Access);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // The first bytes of the file as they stand now: its format, mode and counter of changes. They are
  // read through SQLite, because closing a file that another part of the process has open would let go
  // the locks that it holds. Nothing: the file cannot be opened or read.
  using Header = std::array<char, 100>;
  static std::optional<Header> header_of(const std::filesystem::path&);
  std::optional<Header> header() const;

  // Before a statement: its steps are counted from here.
  void begin_steps() const;

  bool run(const char* sql);             // one or more statements without rows
  std::int64_t number(const char* sql);  // the first number of the first row; 0 when there is none
  bool close();
  int code() const;  // of the last call
  bool cannot_open()
      const;  // the last call failed because the file or its folder may not be opened or written
  std::string words() const;  // what SQLite and the system said last

  sqlite3* handle() const { return handle_; }

 private:
  struct Steps;  // what a statement has done and may do
  void harden(const std::filesystem::path&, Access);

  sqlite3* handle_ = nullptr;
  std::unique_ptr<Steps> steps_;
};

// What failed while reading or writing the store, by SQLite's code: corrupt.store, io.busy, io.open
// or io.write.
Diagnostic store_fault(const Database&, const std::filesystem::path&, bool writing);

}  // namespace cardan
