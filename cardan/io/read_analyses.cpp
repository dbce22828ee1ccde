// [[analysis]] blocks: every analysis says itself what it can be told (model/analysis_type.h).
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/io/model_reader.h"
#include "cardan/model/analysis_type.h"
#include "cardan/model/other_words.h"

namespace cardan {

namespace {

std::vector<std::string> analysis_names() {
  std::vector<std::string> names;
  for (const AnalysisType& type : analysis_types()) names.emplace_back(type.name);
  return names;
}

}  // namespace

void ModelReader::read_analysis(const TomlNode& table) {
  TableReader keys(table, faults_);
  const Faults::Subject subject(faults_, "analysis", fmt::format("{}", model_.analyses.size() + 1));
  const std::string expected = fmt::format("{}", fmt::join(analysis_names(), ", "));
  const Field type_field = keys.need("type", expected);
  const auto name = type_field ? environment_.text(type_field) : std::nullopt;
  if (!name) return;
  const AnalysisType* type = find_analysis(*name);
  if (type == nullptr) {
    const OtherWord other = other_word(WordPlace::analysis, *name, analysis_names());
    const std::string near = nearest_name(*name, analysis_names());
    return faults_.error("model.unknown-type",
                         type_field.where(),
                         fmt::format("the unknown analysis \"{}\"", *name),
                         expected,
                         !other.means.empty() ? other.hint
                         : near.empty()       ? ""
                                              : fmt::format("did you mean \"{}\"?", near));
  }
  Analysis analysis = type->make();
  where_of(analysis) = table.where;
  for (const OptionField& option : type->fields) {
    const KeySpec& key = option.key;
    const Field field =
        key.required() ? keys.need(key.name, std::string(key.doc)) : keys.take(key.name);
    if (!field) continue;
    if (key.name == "integrator" && field.node->kind == TomlNode::Kind::table) {
      read_integrator(*field.node, *type, analysis);
      continue;
    }
    const OptionValue usual = option.get(analysis);
    const auto value = read_option(field, option);
    if (!value) continue;
    option.set(analysis, *value, field.where());
    const OptionField* absolute = key.name == "rtol" ? type->field("atol") : nullptr;
    if (absolute == nullptr) continue;  // else in proportion; a given one comes behind and counts
    const double share = std::get<double>(absolute->get(analysis)) / std::get<double>(usual);
    absolute->set(analysis, share * std::get<double>(*value), {});
  }
  model_.analyses.push_back(std::move(analysis));
  keys.finish(key_names(find_section("analysis." + *name)->keys),
              fmt::format("a {} analysis", *name));
}

// integrator = { name = "hht", alpha = -0.1 }
void ModelReader::read_integrator(const TomlNode& table,
                                  const AnalysisType& type,
                                  Analysis& analysis) {
  TableReader keys(table, faults_);
  const OptionField& word = *type.field("integrator");
  const Field name = keys.need("name", "an integration method");
  if (const auto text = name ? environment_.text(name) : std::nullopt)
    word.set(analysis, *text, name.where());
  for (const OptionField& option : type.integrator_fields)
    if (const Field field = keys.take(option.key.name))
      if (const auto value = read_option(field, option))
        option.set(analysis, *value, field.where());
  keys.finish(key_names(find_section("integrator")->keys), "an integrator");
}

std::optional<OptionValue> ModelReader::read_option(const Field& field, const OptionField& option) {
  const KeySpec& key = option.key;
  const auto some = [](auto value) {
    return value ? std::optional<OptionValue>(std::move(*value)) : std::nullopt;
  };
  switch (key.kind) {
    case ValueKind::number: {
      if (key.name != "until")
        return some(environment_.number(field, key.dimensions.front(), key.range));
      const auto end = environment_.number(field, key.dimensions.front());
      if (end && *end <= 0 && !starts_at_) {
        KeyFault fault = out_of_range(key.name, *end, Range::positive);
        fault.hint = "a motion backwards says where it starts: [assembly] time = 0";
        faults_.error(fault, field.where());
        return {};
      }
      return some(end);
    }
    case ValueKind::integer:
      return some(environment_.integer(field, key.range, option.most));
    case ValueKind::boolean:
      return some(environment_.boolean(field));
    case ValueKind::names:
      return some(environment_.names(field));
    case ValueKind::numbers: {  // as many as there are, "5 Hz" and "20 ms" too
      std::vector<Dimension> dimensions;
      for (const TomlNode& item : field.node->items) {
        const bool text = item.kind == TomlNode::Kind::text;
        const bool hertz = text && item.text.find("Hz") != std::string::npos;
        dimensions.push_back(key.name == "frequencies" && hertz ? dimension::rate
                             : key.name == "times" && text      ? dimension::time
                                                                : dimension::none);
      }
      return some(environment_.numbers(field, dimensions, key.range));
    }
    default:
      break;
  }
  auto word = environment_.text(field);
  if (word && key.kind == ValueKind::choice &&
      std::find(key.choices.begin(), key.choices.end(), *word) == key.choices.end()) {
    faults_.error("model.unknown-option",
                  field.where(),
                  fmt::format("{} = \"{}\"", key.name, *word),
                  fmt::format("{}", fmt::join(key.choices, ", ")));
    return {};
  }
  return some(std::move(word));
}

}  // namespace cardan
