// Lists of tables, [[body]] and the like, and the same inside [[repeat]]: a repeated part is read
// once per copy with its counter set; nothing is copied.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"

namespace cardan {

namespace {

constexpr int deepest_repeat = 4;
constexpr std::size_t faulty_copies = 5;  // more of the same part tell nothing new

}  // namespace

void ModelReader::for_each(std::string_view key, const ReadTable& read) {
  spent_ = 0;
  for (const auto& source : sources_) {
    read_list(source.root, key, read);
    if (!cut_short_) read_repeats(source.root, key, read, 1);
  }
}

void ModelReader::read_list(const TomlNode& table, std::string_view key, const ReadTable& read) {
  const TomlEntry* entry = table.find(key);
  if (entry == nullptr) return;
  const std::string hint = fmt::format("write [[{}]] with double brackets above each", key);
  if (entry->value.kind != TomlNode::Kind::array)
    return environment_.wrong_type({entry->key, &entry->value}, "a list of tables", hint);
  for (const auto& item : entry->value.items) {
    if (item.kind != TomlNode::Kind::table) {
      environment_.wrong_type({entry->key, &item}, "a table", hint);
      continue;
    }
    if (!spend_one(item.where)) return;
    read(item);
  }
}

void ModelReader::read_repeats(const TomlNode& table,
                               std::string_view key,
                               const ReadTable& read,
                               int depth) {
  const TomlEntry* entry = table.find("repeat");
  if (entry == nullptr) return;
  if (depth > deepest_repeat)
    return faults_.error("limit.nesting",
                         entry->where,
                         fmt::format("repeats nested more than {} deep", deepest_repeat),
                         "fewer levels");
  read_list(
      table, "repeat", [&](const TomlNode& repeat) { read_repeat(repeat, key, read, depth); });
}

void ModelReader::read_repeat(const TomlNode& repeat,
                              std::string_view key,
                              const ReadTable& read,
                              int depth) {
  const Faults::Subject subject(faults_, "repeat", "");
  TableReader keys(repeat, faults_);
  const Field count_field = keys.need("count", "how many times: count = 10");
  const Field first_field = keys.take("first"), index_field = keys.take("index");
  const std::size_t faults_before = faults_.seen();
  std::optional<Environment::Counting> counting(environment_);
  const long count =
      count_field ? environment_.integer(count_field, Range::not_negative).value_or(0) : 0;
  const long first = first_field ? environment_.integer(first_field).value_or(0) : 0;
  counting.reset();
  const std::string index = index_field ? environment_.text(index_field).value_or("i") : "i";
  if (!is_identifier(index))
    faults_.error("model.bad-name",
                  index_field.where(),
                  fmt::format("the index '{}'", index),
                  "a name of letters, digits and _");
  else if (index == "t" || index == "pi" || index == "e" || environment_.known(index))
    faults_.error("model.duplicate-name",
                  index_field ? index_field.where() : repeat.where,
                  fmt::format("the index '{}', which is a name already", index),
                  "an index of its own",
                  "write index = \"j\"");
  if (count * copies_ > limits::elements)
    faults_.error("limit.elements",
                  count_field.where(),
                  fmt::format("{} copies", count * copies_),
                  fmt::format("at most {}", limits::elements));
  if (!count_field || faults_.seen() > faults_before) {
    cut_short_ = true;
    return;
  }
  if (repeat.find(key) == nullptr && repeat.find("repeat") == nullptr) return;
  environment_.indices.push_back({index, 0});
  const long outer_copies = std::exchange(copies_, copies_ * std::max(count, 1L));
  std::size_t faulty = 0;
  for (long k = 0; k < count && !faults_.full() && spend_one(repeat.where); ++k) {
    environment_.indices.back().value = static_cast<double>(first + k);
    const std::size_t before = faults_.seen();
    read_list(repeat, key, read);
    read_repeats(repeat, key, read, depth + 1);
    if (faults_.seen() > before && ++faulty == faulty_copies) {
      cut_short_ = cut_short_ || k + 1 < count;
      break;
    }
  }
  copies_ = outer_copies;
  environment_.indices.pop_back();
}

// False when one kind has too many elements, copies without elements included.
bool ModelReader::spend_one(const SourcePos& where) {
  if (++spent_ <= limits::elements) return true;
  cut_short_ = true;
  faults_.error("limit.elements",
                where,
                fmt::format("more than {} elements", limits::elements),
                "a smaller model");
  return false;
}

void ModelReader::check_repeat(const TomlNode& repeat) {
  if (repeat.kind != TomlNode::Kind::table) return;
  const Faults::Subject subject(faults_, "repeat", "");
  const auto known = key_names(find_section("repeat")->keys);
  TableReader keys(repeat, faults_);
  for (const auto key : known) keys.take(key);
  keys.finish(known, "[[repeat]]");
  if (const TomlEntry* inner = repeat.find("repeat"))
    for (const auto& item : inner->value.items) check_repeat(item);
}

}  // namespace cardan
