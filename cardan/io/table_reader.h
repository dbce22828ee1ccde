#pragma once
// A table of the model file being read: every key is taken by its reader or refused.
#include <string>
#include <string_view>
#include <vector>

#include "cardan/io/environment.h"

namespace cardan {

class TableReader {
 public:
  TableReader(const TomlNode& table, Faults& faults)
      : table_(table), faults_(faults), taken_(table.entries.size(), false) {}

  const SourcePos& where() const { return table_.where; }

  bool has(std::string_view key) const { return table_.find(key) != nullptr; }

  Field take(std::string_view key);
  Field peek(std::string_view key) const;
  Field need(std::string_view key, std::string_view expected);  // reports when missing
  // Told unless an unknown key seems to stand for it.
  void missing(std::string_view key, std::string_view expected, std::string_view hint = "");

  // Takes all of these that are there; more than one is a conflict and is reported, none gives an
  // empty field.
  Field take_one_of(const std::vector<std::string_view>& keys);

  // Refuses what has not been taken. `known`: what could stand here, for the hint.
  void finish(const std::vector<std::string_view>& known, const std::string& what);

  void skip_rest() { taken_.assign(taken_.size(), true); }

 private:
  const TomlNode& table_;
  Faults& faults_;
  std::vector<bool> taken_;

  struct Missing {
    std::string key;
    std::size_t place;  // of its fault
  };

  std::vector<Missing> missing_;
};

std::vector<std::string_view> key_names(const std::vector<KeySpec>&);

}  // namespace cardan
