#include "cardan/io/toml_tree.h"

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr std::size_t index_from = 16;  // entries: below, a scan is quicker than a hash

}  // namespace

const TomlEntry* TomlNode::find(std::string_view key) const {
  if (index_) {
    const auto found = index_->find(std::string(key));
    return found == index_->end() ? nullptr : &entries[found->second];
  }
  for (const auto& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

TomlEntry* TomlNode::find(std::string_view key) {
  return const_cast<TomlEntry*>(static_cast<const TomlNode*>(this)->find(key));
}

TomlEntry& TomlNode::add(TomlEntry entry) {
  entries.push_back(std::move(entry));
  if (!index_ && entries.size() >= index_from) {
    index_ = std::make_shared<std::unordered_map<std::string, std::size_t>>();
    for (std::size_t k = 0; k < entries.size(); ++k) index_->emplace(entries[k].key, k);
  } else if (index_) {
    index_->emplace(entries.back().key, entries.size() - 1);
  }
  return entries.back();
}

std::string describe(const TomlNode& node) {
  switch (node.kind) {
    case TomlNode::Kind::text:
      return node.text.size() <= 60 ? fmt::format("\"{}\"", node.text) : "a long string";
    case TomlNode::Kind::integer:
    case TomlNode::Kind::real:
      return fmt::format("the number {}", node.number);
    case TomlNode::Kind::boolean:
      return node.truth ? "true" : "false";
    case TomlNode::Kind::date:
      return "a date or time";
    case TomlNode::Kind::array:
      return fmt::format("a list of {}", node.items.size());
    case TomlNode::Kind::table:
      return "a table";
  }
  return {};
}

}  // namespace cardan
