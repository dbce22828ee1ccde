#include "cardan/io/table_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "cardan/model/other_words.h"

namespace cardan {

std::vector<std::string_view> key_names(const std::vector<KeySpec>& keys) {
  std::vector<std::string_view> names;
  for (const auto& k : keys) names.push_back(k.name);
  return names;
}

Field TableReader::peek(std::string_view key) const {
  const TomlEntry* entry = table_.find(key);
  return entry != nullptr ? Field{entry->key, &entry->value} : Field{};
}

Field TableReader::take(std::string_view key) {
  const TomlEntry* entry = table_.find(key);
  if (entry == nullptr) return {};
  taken_[static_cast<std::size_t>(entry - table_.entries.data())] = true;
  return {entry->key, &entry->value};
}

Field TableReader::need(std::string_view key, std::string_view expected) {
  const Field f = take(key);
  if (!f) missing(key, expected);
  return f;
}

void TableReader::missing(std::string_view key, std::string_view expected, std::string_view hint) {
  KeyFault fault = missing_key(key, expected);
  if (!hint.empty()) fault.hint = hint;
  const std::size_t place = faults_.size();
  faults_.error(fault, where());
  if (faults_.size() > place) missing_.push_back({std::string(key), place});
}

Field TableReader::take_one_of(const std::vector<std::string_view>& keys) {
  Field first;
  for (const auto key : keys) {
    const Field f = take(key);
    if (!f) continue;
    if (first)
      faults_.error("model.conflicting-keys",
                    f.where(),
                    fmt::format("both '{}' and '{}'", first.key, f.key),
                    "one of the two");
    else
      first = f;
  }
  return first;
}

void TableReader::finish(const std::vector<std::string_view>& known, const std::string& what) {
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    if (taken_[k]) continue;
    const TomlEntry& entry = table_.entries[k];
    const std::string key = entry.key.substr(0, 60);
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) {
      const OtherWord other = other_word(WordPlace::key, entry.key, known);
      const auto lacks = std::find_if(
          missing_.begin(), missing_.end(), [&](const Missing& m) { return m.key == other.means; });
      faults_.error(
          "model.unknown-key",
          entry.where,
          fmt::format("the key '{}', which means nothing here", key),
          fmt::format("only what belongs to {}", what),
          !other.means.empty() && table_.find(other.means) == nullptr ? other.hint : "remove it");
      if (lacks != missing_.end()) faults_.withdraw(lacks->place);
      continue;
    }
    const KeyFault fault = unknown_key(entry.key, known, what);
    for (const Missing& m : missing_)
      if (m.key == fault.meant) faults_.withdraw(m.place);
    faults_.error(fault, entry.where);
  }
}

}  // namespace cardan
