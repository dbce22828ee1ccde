#include "cardan/io/sweep_blocks.h"

#include <fmt/format.h>

#include "cardan/io/table_reader.h"

namespace cardan {

namespace {

// A number or a text as the command line would have it; nothing: neither.
std::optional<std::string> value_text(const TomlNode& node) {
  if (node.kind == TomlNode::Kind::text) return node.text;
  if (node.is_number()) return fmt::format("{}", node.number);
  return {};
}

// One value, or a list of values.
std::optional<std::string> values_text(const TomlNode& node) {
  if (node.kind != TomlNode::Kind::array) return value_text(node);
  std::string out;
  for (const TomlNode& item : node.items) {
    const auto one = value_text(item);
    if (!one) return {};
    out += (out.empty() ? "" : ",") + *one;
  }
  return node.items.empty() ? std::nullopt : std::optional(out);
}

// The lines of a table `name = values`.
std::vector<SweepLine> read_lines(const Field& field,
                                  bool lists,
                                  const std::string& expected,
                                  Environment& environment) {
  std::vector<SweepLine> out;
  if (field.node->kind != TomlNode::Kind::table || field.node->entries.empty()) {
    environment.wrong_type(field, expected);
    return out;
  }
  for (const TomlEntry& entry : field.node->entries) {
    const auto text = lists                                      ? values_text(entry.value)
                      : entry.value.kind == TomlNode::Kind::text ? std::optional(entry.value.text)
                                                                 : std::nullopt;
    if (text)
      out.push_back({fmt::format("{} = {}", entry.key, *text), entry.where});
    else
      environment.wrong_type({entry.key, &entry.value}, expected);
  }
  return out;
}

void check_design(const SweepBlock& block, const TableReader& keys, Faults& faults) {
  const auto refuse = [&](const char* key, std::string found, std::string expected) {
    faults.error(
        "model.conflicting-keys", keys.peek(key).where(), std::move(found), std::move(expected));
  };
  if (block.zip && block.sample > 0)
    refuse("zip", "'zip' and 'sample' in one sweep", "one of them");
  for (const char* key : {"sobol", "seed"})
    if (block.sample == 0 && keys.has(key))
      refuse(key, fmt::format("'{}' without 'sample'", key), "how many points: sample = 1000");
}

}  // namespace

SweepBlock read_sweep_block(const TomlNode& table, Environment& environment) {
  Faults& faults = environment.faults();
  SweepBlock out;
  out.where = table.where;
  TableReader keys(table, faults);
  if (const Field f = keys.take("name")) out.name = environment.text(f).value_or("");
  const Faults::Subject subject(faults, "sweep", out.name);
  const std::string vary = "a table of parameters, { crank = \"60:5:90 mm\" }";
  const std::string measure = "a table of formulas, { top = 'max(\"piston.x\")' }";
  if (const Field f = keys.need("vary", vary)) out.vary = read_lines(f, true, vary, environment);
  if (const Field f = keys.need("measure", measure))
    out.measures = read_lines(f, false, measure, environment);
  if (const Field f = keys.take("samples"))
    out.samples = environment.names(f).value_or(std::vector<std::string>{});
  if (const Field f = keys.take("zip")) out.zip = environment.boolean(f).value_or(false);
  if (const Field f = keys.take("sample"))
    out.sample = environment.integer(f, Range::positive).value_or(0);
  if (const Field f = keys.take("sobol")) out.sobol = environment.boolean(f).value_or(false);
  if (const Field f = keys.take("seed"))
    out.seed = environment.integer(f, Range::not_negative).value_or(0);
  check_design(out, keys, faults);
  keys.finish(key_names(find_section("sweep")->keys), "a sweep");
  return out;
}

Result<std::vector<SweepBlock>> sweep_blocks(const std::string& text, const std::string& file) {
  const auto tree = parse_toml(text, std::make_shared<const std::string>(file));
  if (!tree) return tree.why();
  Faults faults;
  FormulaMemo memo;
  Environment environment(faults, memo);
  std::vector<SweepBlock> out;
  if (const TomlEntry* list = tree.value().find("sweep"))
    for (const TomlNode& table : list->value.items)
      out.push_back(read_sweep_block(table, environment));
  if (faults.any()) return faults.take();
  return out;
}

}  // namespace cardan
