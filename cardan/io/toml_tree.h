#pragma once
// A TOML 1.0 file as a tree that keeps the position of every key and value.
//
// The parser is our own because a model file comes from people and from fuzzers: it reports every
// syntax fault with its line, goes on after each, and is bounded in depth and in length of dotted
// keys, so no text can crash it. Dates are recognised but not interpreted.
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cardan/base/result.h"

namespace cardan {

struct TomlEntry;

struct TomlNode {
  enum class Kind { text, integer, real, boolean, date, array, table };
  enum class Made {
    implicit,
    header,
    dotted,
    closed
  };  // how a table or array came about: what may still extend it
  Kind kind = Kind::table;
  Made made = Made::closed;
  bool truth = false;
  double number = 0;  // of an integer or real
  SourcePos where;
  std::string text;
  std::vector<TomlNode> items;     // of an array
  std::vector<TomlEntry> entries;  // of a table, in the order of the file

  const TomlEntry* find(std::string_view key) const;
  TomlEntry* find(std::string_view key);
  TomlEntry& add(TomlEntry);  // the key must be new

  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }

 private:
  // Of a table with many keys.
  std::shared_ptr<std::unordered_map<std::string, std::size_t>> index_;
};

struct TomlEntry {
  std::string key;
  SourcePos where;
  TomlNode value;
};

// "the number 5", "\"5 kg\"", "a list of 3", "a table": for messages.
std::string describe(const TomlNode&);

namespace limits {
inline constexpr std::size_t file_size = 16u << 20;
inline constexpr int nesting = 32;            // brackets in brackets
inline constexpr std::size_t key_parts = 32;  // of a dotted key
}  // namespace limits

// All syntax faults, or the tree. The text must not be longer than limits::file_size; UTF-8 is
// checked here.
Result<TomlNode> parse_toml(std::string_view text, std::shared_ptr<const std::string> file);

}  // namespace cardan
