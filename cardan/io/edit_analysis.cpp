#include "cardan/io/edit_analysis.h"

#include <algorithm>

#include <fmt/format.h>

#include "cardan/io/toml_tree.h"

namespace cardan {

namespace {

Diagnostic refuse(const SourcePos& where,
                  std::string found,
                  const std::vector<AnalysisEdit>& edits) {
  Diagnostic d;
  d.id = "model.not-editable";
  d.where = where;
  d.found = std::move(found);
  d.expected = "an [[analysis]] block with one key a line";
  d.hint = "write these lines by hand:";
  for (const auto& [key, value] : edits)
    if (value) d.hint += fmt::format(" {} = {};", key, *value);
  return d;
}

std::vector<std::string> lines_of(const std::string& text) {  // each with its line end
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::size_t next = end == std::string::npos ? text.size() : end + 1;
    lines.push_back(text.substr(at, next - at));
    at = next;
  }
  return lines;
}

std::string line_end(const std::string& line) {
  return line.ends_with("\r\n") ? "\r\n" : "\n";
}

// The value's place in a line "key = value  # comment"; nothing: not of this form.
std::optional<std::pair<std::size_t, std::size_t>> value_in(const std::string& line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string::npos) return {};
  const std::size_t from = line.find_first_not_of(" \t", equals + 1);
  if (from == std::string::npos) return {};
  const char quote = line[from];
  if (quote != '"' && quote != '\'')
    return std::pair(from, std::min(line.find_first_of(" \t\r\n#,}", from), line.size()));
  if (line.compare(from, 3, std::string(3, quote)) == 0) return {};  // a text of several lines
  std::size_t to = from + 1;
  while (to < line.size() && line[to] != quote) to += quote == '"' && line[to] == '\\' ? 2 : 1;
  if (to >= line.size()) return {};
  return std::pair(from, to + 1);
}

const TomlNode* block_at(const TomlNode& root, const SourcePos& where) {
  const TomlEntry* list = root.find("analysis");
  if (list == nullptr || list->value.kind != TomlNode::Kind::array) return nullptr;
  for (const TomlNode& item : list->value.items)
    if (item.where.line == where.line && item.where.column == where.column) return &item;
  return nullptr;
}

bool same(const TomlNode& a, const TomlNode& b) {
  const auto same_entry = [](const TomlEntry& x, const TomlEntry& y) {
    return x.key == y.key && same(x.value, y.value);
  };
  return a.kind == b.kind && a.truth == b.truth && a.number == b.number && a.text == b.text &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same) &&
         std::equal(
             a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(), same_entry);
}

// The tree with the edits done to it, as the new text must read.
void without(TomlNode& table, const std::vector<AnalysisEdit>& edits) {
  std::vector<TomlEntry> kept;
  for (TomlEntry& e : table.entries)
    if (std::none_of(edits.begin(), edits.end(), [&](const auto& x) { return x.first == e.key; }))
      kept.push_back(std::move(e));
  table.entries = std::move(kept);
}

bool reads_right(const std::string& before,
                 const std::string& after,
                 const SourcePos& where,
                 const std::vector<AnalysisEdit>& edits) {
  auto old_tree = parse_toml(before, nullptr), new_tree = parse_toml(after, nullptr);
  if (!old_tree || !new_tree) return false;
  auto* old_block = const_cast<TomlNode*>(block_at(old_tree.value(), where));
  auto* new_block = const_cast<TomlNode*>(block_at(new_tree.value(), where));
  if (old_block == nullptr || new_block == nullptr) return false;
  for (const auto& [key, value] : edits) {
    const TomlEntry* entry = new_block->find(key);
    if ((entry != nullptr) != value.has_value()) return false;
    if (!value) continue;
    auto wanted = parse_toml(key + " = " + *value, nullptr);
    if (!wanted || !same(wanted.value().entries.front().value, entry->value)) return false;
  }
  without(*old_block, edits);
  without(*new_block, edits);
  return same(old_tree.value(), new_tree.value());
}

}  // namespace

Result<std::string> edit_analysis(const std::string& text,
                                  const SourcePos& where,
                                  const std::vector<AnalysisEdit>& edits) {
  const auto tree = parse_toml(text, where.file);
  if (!tree) return tree.why();
  const TomlNode* block = block_at(tree.value(), where);
  if (block == nullptr) return refuse(where, "no analysis block stands here", edits);
  std::vector<std::string> lines = lines_of(text);
  const auto line_at = [&](int number) -> std::string& {
    return lines[static_cast<std::size_t>(number - 1)];
  };
  if (block->made != TomlNode::Made::header || block->entries.empty())
    return refuse(where, "the analysis is not written as a block of its own", edits);
  std::size_t equals = 0;  // where the block has its equals signs
  int last = where.line;
  for (const TomlEntry& e : block->entries) {
    const auto place = value_in(line_at(e.where.line));
    if (!place || e.value.where.line != e.where.line)
      return refuse(e.where, fmt::format("'{}' does not stand on a line of its own", e.key), edits);
    equals = std::max(equals, line_at(e.where.line).find('='));
    last = std::max(last, e.where.line);
  }
  std::string added;
  const std::string end = line_end(line_at(where.line));
  const std::string& pattern = line_at(last);
  const std::string indent = pattern.substr(0, pattern.find_first_not_of(" \t"));
  for (const auto& [key, value] : edits) {
    const TomlEntry* entry = block->find(key);
    if (entry == nullptr) {
      if (value)
        added += fmt::format("{}{:<{}}= {}{}",
                             indent,
                             key + " ",
                             equals > indent.size() ? equals - indent.size() : 0,
                             *value,
                             end);
      continue;
    }
    std::string& line = line_at(entry->where.line);
    if (!value) {
      line.insert(0, "# ");
      continue;
    }
    const auto [from, to] = *value_in(line);
    line.replace(from, to - from, *value);
  }
  if (!added.empty() && !line_at(last).ends_with('\n')) line_at(last) += end;
  lines.insert(lines.begin() + last, added);
  std::string out;
  for (const std::string& line : lines) out += line;
  if (!reads_right(text, out, where, edits))
    return refuse(where, "the block cannot be changed without changing more", edits);
  return out;
}

}  // namespace cardan
