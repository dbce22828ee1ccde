#include "cardan/io/output_blocks.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr long most_rows = 1'000'000, most_digits = 17;

std::vector<std::string_view> keys_of(const char* section) {
  return key_names(find_section(section)->keys);
}

const std::vector<std::string_view>& choices_of(const char* section, std::string_view key) {
  const auto& keys = find_section(section)->keys;
  return std::find_if(keys.begin(), keys.end(), [&](const KeySpec& k) { return k.name == key; })
      ->choices;
}

// The entries of a list, or what stands there alone.
std::vector<const TomlNode*> entries_of(const TomlNode& node) {
  const bool list = node.kind == TomlNode::Kind::array &&
                    std::any_of(node.items.begin(), node.items.end(), [](const TomlNode& item) {
                      return item.kind != TomlNode::Kind::text;
                    });
  if (!list) return {&node};
  std::vector<const TomlNode*> out;
  for (const TomlNode& item : node.items) out.push_back(&item);
  return out;
}

class AskedReader {
 public:
  explicit AskedReader(Faults& faults) : faults_(faults), environment_(faults, memo_) {}

  std::vector<AskedTable> tables(const Field& list) {
    std::vector<AskedTable> out;
    for (const TomlNode* node : entries_of(*list.node)) {
      AskedTable table;
      const Field entry{list.key, node};
      if (node->kind != TomlNode::Kind::table) {
        table.channels = patterns(entry, list.key);
      } else {
        TableReader keys(*node, faults_);
        table.name = name(keys, list.key);
        const Faults::Subject subject(faults_, "table", table.name);
        if (const Field f = keys.need("channels", "patterns of channels"))
          table.channels = patterns(f, list.key);
        table.times = times(keys.take("at"));
        if (const Field f = keys.take("rows"))
          table.rows =
              static_cast<int>(environment_.integer(f, Range::positive, most_rows).value_or(0));
        if (const Field f = keys.take("digits"))
          table.digits =
              static_cast<int>(environment_.integer(f, Range::positive, most_digits).value_or(7));
        table.format = choice(keys, "format", "output.tables", table.format);
        if (table.rows > 0 && !table.times.empty())
          faults_.error("model.conflicting-keys",
                        keys.peek("rows").where(),
                        "'at' and 'rows' in one table",
                        "one of them");
        keys.finish(keys_of("output.tables"), "a table of [output]");
      }
      finish(table.name, entry, "table", out);
      out.push_back(std::move(table));
    }
    return out;
  }

  std::vector<AskedPlot> plots(const Field& list) {
    std::vector<AskedPlot> out;
    for (const TomlNode* node : entries_of(*list.node)) {
      AskedPlot plot;
      const Field entry{list.key, node};
      if (node->kind != TomlNode::Kind::table) {
        plot.channels = patterns(entry, list.key);
      } else {
        TableReader keys(*node, faults_);
        plot.name = name(keys, list.key);
        const Faults::Subject subject(faults_, "plot", plot.name);
        if (const Field f = keys.need("channels", "patterns of channels"))
          plot.channels = patterns(f, list.key);
        if (const Field f = keys.take("title")) plot.title = environment_.text(f).value_or("");
        if (const Field f = keys.take("x")) plot.x = environment_.text(f).value_or("");
        if (const Field f = keys.take("log")) plot.log = environment_.boolean(f).value_or(false);
        if (const Field f = keys.take("equal"))
          plot.equal = environment_.boolean(f).value_or(false);
        keys.finish(keys_of("output.plots"), "a plot of [output]");
      }
      finish(plot.name, entry, "plot", out);
      out.push_back(std::move(plot));
    }
    return out;
  }

  std::optional<AskedAnimation> animation(const Field& field) {
    if (field.node->kind == TomlNode::Kind::boolean)
      return field.node->truth ? std::optional(AskedAnimation()) : std::nullopt;
    if (field.node->kind != TomlNode::Kind::table) {
      environment_.wrong_type(field, "true, or a table of settings");
      return {};
    }
    const Faults::Subject subject(faults_, "animation", "");
    AskedAnimation out;
    TableReader keys(*field.node, faults_);
    if (const Field f = keys.take("seconds"))
      out.seconds = environment_.number(f, dimension::time, Range::positive).value_or(0);
    if (const Field f = keys.take("follow")) out.follow = environment_.text(f).value_or("");
    out.view = choice(keys, "view", "output.animation", out.view);
    if (const Field f = keys.take("traces")) out.traces = environment_.boolean(f).value_or(false);
    if (const Field f = keys.take("arrows")) out.arrows = environment_.boolean(f).value_or(false);
    if (const Field f = keys.take("names")) out.names = environment_.boolean(f).value_or(false);
    keys.finish(keys_of("output.animation"), "the animation of [output]");
    return out;
  }

 private:
  // One pattern or a list of them.
  std::vector<std::string> patterns(const Field& field, std::string_view key) {
    std::vector<std::string> out;
    if (field.node->kind == TomlNode::Kind::text)
      out.push_back(environment_.text(field).value_or(""));
    else if (field.node->kind == TomlNode::Kind::array)
      out = environment_.names(field).value_or(std::vector<std::string>{});
    else
      environment_.wrong_type(
          field,
          fmt::format("channels: \"crank.angle\", [\"crank.*\", \"rod.x\"], or {} of a "
                      "table with 'channels'",
                      key));
    std::erase(out, "");
    if (out.empty() && !faults_.any())
      faults_.error("model.bad-value", field.where(), "no channel", "at least one pattern");
    return out;
  }

  std::vector<double> times(const Field& field) {
    std::vector<double> out;
    if (!field) return out;
    if (field.node->kind != TomlNode::Kind::array) {
      if (const auto t = environment_.number(field, dimension::time)) out.push_back(*t);
      return out;
    }
    for (const TomlNode& item : field.node->items)
      if (const auto t = environment_.number({field.key, &item}, dimension::time))
        out.push_back(*t);
    return out;
  }

  std::string choice(TableReader& keys,
                     std::string_view key,
                     const char* section,
                     const std::string& otherwise) {
    const Field f = keys.take(key);
    if (!f) return otherwise;
    const std::string word = environment_.text(f).value_or(otherwise);
    const auto& all = choices_of(section, key);
    if (std::find(all.begin(), all.end(), word) != all.end()) return word;
    faults_.error(wrong_choice(key, word, all), f.where());
    return otherwise;
  }

  // It becomes a file's.
  std::string name(TableReader& keys, std::string_view) {
    const Field f = keys.take("name");
    if (!f) return "";
    const std::string given = environment_.text(f).value_or("");
    const bool fits =
        !given.empty() && given.size() <= 80 && std::all_of(given.begin(), given.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '_';
        });
    if (!fits)
      faults_.error("model.bad-name",
                    f.where(),
                    fmt::format("name = \"{}\", which names a file", given),
                    "letters, digits, - and _");
    return fits ? given : "";
  }

  // The name of its place where it has none of its own, and no name twice.
  template <class Asked>
  void finish(std::string& name,
              const Field& entry,
              const char* what,
              const std::vector<Asked>& others) {
    if (name.empty()) name = fmt::format("{}-{}", what, others.size() + 1);
    for (const Asked& other : others)
      if (other.name == name)
        faults_.error("model.duplicate-name",
                      entry.where(),
                      fmt::format("two {}s are named '{}'", what, name),
                      "another name");
  }

  Faults& faults_;
  FormulaMemo memo_;
  Environment environment_;
};

}  // namespace

AskedOutput read_asked_output(TableReader& output, Faults& faults) {
  AskedReader reader(faults);
  AskedOutput out;
  if (const Field f = output.take("tables")) out.tables = reader.tables(f);
  if (const Field f = output.take("plots")) out.plots = reader.plots(f);
  if (const Field f = output.take("animation")) out.animation = reader.animation(f);
  return out;
}

AskedOutput asked_output_of(const std::string& text) {
  const auto asks = [&](const char* word) {
    return text.find(word) != std::string::npos;
  };
  if (!asks("tables") && !asks("plots") && !asks("animation")) return {};
  const auto tree = parse_toml(text, nullptr);
  const TomlEntry* entry = tree ? tree.value().find("output") : nullptr;
  if (entry == nullptr || entry->value.kind != TomlNode::Kind::table) return {};
  Faults faults;
  TableReader keys(entry->value, faults);
  return read_asked_output(keys, faults);
}

}  // namespace cardan
