#include "cardan/session/changed_settings.h"

#include <string_view>

#include "cardan/io/toml_tree.h"

namespace cardan {

namespace {

std::string_view line_of(std::string_view text, int number) {
  for (int k = 1; k < number; ++k) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

std::string_view without_blanks(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

// A value as it stands in the file, without quotes and without what follows it.
std::string as_written(std::string_view text, const TomlEntry& entry) {
  if (entry.value.kind == TomlNode::Kind::text) return entry.value.text;
  std::string_view line = line_of(text, entry.where.line);
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {};
  line.remove_prefix(equals + 1);
  return std::string(without_blanks(line.substr(0, line.find('#'))));
}

class ModelText {
 public:
  explicit ModelText(const Model& model) : text_(model.text) {
    auto tree = parse_toml(model.text, nullptr);
    if (tree) tree_ = std::move(tree).value();
  }

  ChangedSetting parameter(std::string name, std::string value) const {
    const TomlEntry* section = tree_.find("parameters");
    return made(std::move(name), std::move(value), section == nullptr ? nullptr : &section->value);
  }

  ChangedSetting option(std::string name, std::string value) const {
    if (const TomlEntry* list = tree_.find("analysis"))
      for (const TomlNode& analysis : list->value.items)
        if (analysis.find(name) != nullptr)
          return made(std::move(name), std::move(value), &analysis);
    return {std::move(name), std::move(value), "", 0};
  }

 private:
  ChangedSetting made(std::string name, std::string value, const TomlNode* table) const {
    const TomlEntry* entry = table == nullptr ? nullptr : table->find(name);
    if (entry == nullptr) return {std::move(name), std::move(value), "", 0};
    return {std::move(name), std::move(value), as_written(text_, *entry), entry->where.line};
  }

  std::string_view text_;
  TomlNode tree_;
};

}  // namespace

std::vector<ChangedSetting> changed_settings(const ModelRequest& request, const Model& model) {
  std::vector<ChangedSetting> out;
  const ModelText text(model);
  for (const std::string& item : request.set) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) continue;
    out.push_back(text.parameter(std::string(without_blanks(item.substr(0, equals))),
                                 std::string(without_blanks(item.substr(equals + 1)))));
  }
  for (const auto& [key, value] : request.options) out.push_back(text.option(key, value));
  if (request.spatial) out.push_back({"space", "spatial", "planar", 0});
  if (!request.analysis.empty()) out.push_back({"analysis", request.analysis, "", 0});
  return out;
}

}  // namespace cardan
