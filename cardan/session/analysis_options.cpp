#include "cardan/session/analysis_options.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/base/result.h"
#include "cardan/formulation/formulation.h"
#include "cardan/formulation/option_table.h"
#include "cardan/math/expression.h"
#include "cardan/model/analysis_type.h"
#include "cardan/ode/registry.h"

namespace cardan {

namespace {

Dimension dimension_of(const KeySpec& key) {
  return key.dimensions.empty() ? dimension::none : key.dimensions.front();
}

Result<OptionValue> option_value(const std::string& text,
                                 const OptionField& field,
                                 const Scope& names) {
  const KeySpec& key = field.key;
  const std::string flag = option_flag(key.name);
  switch (key.kind) {
    case ValueKind::number:
    case ValueKind::integer: {
      const auto number = option_number(flag, text, dimension_of(key), key.range, names);
      if (!number) return number.why();
      if (key.kind == ValueKind::number) return OptionValue(number.value());
      if (number.value() != std::floor(number.value()) ||
          std::abs(number.value()) > static_cast<double>(field.most))
        return bad_option_value(flag, text, "a whole number");
      return OptionValue(static_cast<long>(number.value()));
    }
    case ValueKind::boolean:
      if (text != "true" && text != "false") return bad_option_value(flag, text, "true or false");
      return OptionValue(text == "true");
    case ValueKind::names: {
      std::vector<std::string> list;
      for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        if (to > from) list.push_back(text.substr(from, to - from));
        from = to + 1;
      }
      return OptionValue(std::move(list));
    }
    case ValueKind::numbers: {
      std::vector<double> numbers;
      for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        const auto number =
            option_number(flag, text.substr(from, to - from), dimension_of(key), key.range, names);
        if (!number) return number.why();
        numbers.push_back(number.value());
        from = to + 1;
      }
      return OptionValue(std::move(numbers));
    }
    default:
      break;
  }
  if (key.kind == ValueKind::choice &&
      std::find(key.choices.begin(), key.choices.end(), text) == key.choices.end())
    return bad_option_value(flag, text, fmt::format("{}", fmt::join(key.choices, ", ")));
  return OptionValue(text);
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(separator, from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

template <class Words>
Diagnostic unused_options(const std::string& of, const Words& keys, const DynamicOptions& dynamic) {
  Diagnostic d;
  d.id = "usage.unused-option";
  d.severity = Severity::note;
  d.where = dynamic.where;
  d.found = fmt::format("options of {}: {}", of, fmt::join(keys, ", "));
  d.expected = "none of them; they are not used in this run";
  return d;
}

// Order and settings that the file has for its own integrator go with another, and a note says so.
void drop_settings(DynamicOptions& dynamic, const std::string& name, Diagnostics& notes) {
  Analysis analysis = dynamic;
  const Analysis usual = analysis_type(analysis).make();
  std::vector<std::string_view> dropped;
  for (const OptionField& field : analysis_type(analysis).integrator_fields) {
    if (field.key.name == "step") continue;
    const OptionValue value = field.get(analysis);
    const auto* number = std::get_if<double>(&value);
    if (number != nullptr ? std::isnan(*number) : value == field.get(usual)) continue;
    dropped.push_back(field.key.name);
    field.set(analysis, field.get(usual), {});
  }
  if (dropped.empty()) return;
  notes.push_back(unused_options("another integrator than " + name, dropped, dynamic));
  dynamic = std::get<DynamicOptions>(analysis);
}

// What the file says of how steps are chosen, for a method of given steps.
void drop_step_control(DynamicOptions& dynamic, const std::string& name, Diagnostics& notes) {
  const MethodEntry* method = find_method(name);
  if (method == nullptr || method->traits({}).adaptive) return;
  std::vector<std::string_view> dropped;
  if (!dynamic.atol_each.empty()) dropped.emplace_back("atol_each");
  if (dynamic.norm_control) dropped.emplace_back("norm_control");
  if (dynamic.min_step > 0) dropped.emplace_back("min_step");
  if (dropped.empty()) return;
  dynamic.atol_each.clear();
  dynamic.norm_control = false;
  dynamic.min_step = 0;
  notes.push_back(unused_options("another integrator than " + name, dropped, dynamic));
}

// "hht:alpha=-0.1,order=2", or "mampc:4" with an order alone.
Diagnostics set_integrator(const std::string& text,
                           const Scope& names,
                           DynamicOptions& dynamic,
                           Diagnostics& notes) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (name != dynamic.integrator) drop_settings(dynamic, name, notes);
  dynamic.integrator = name;
  dynamic.integrator_where = {};
  drop_step_control(dynamic, name, notes);
  if (colon == std::string::npos) return {};
  Diagnostics faults;
  Analysis analysis = dynamic;
  const AnalysisType& type = analysis_type(analysis);
  for (const std::string& part : parts_of(text.substr(colon + 1), ',')) {
    const std::size_t equals = part.find('=');
    const std::string key = equals == std::string::npos ? "order" : part.substr(0, equals);
    const auto& fields = type.integrator_fields;
    const auto field = std::find_if(
        fields.begin(), fields.end(), [&](const OptionField& f) { return f.key.name == key; });
    if (field == fields.end()) {
      std::vector<std::string_view> all;
      for (const OptionField& f : fields) all.push_back(f.key.name);
      faults.push_back(bad_option_value(
          "--integrator", text, fmt::format("'{}' to be one of {}", key, fmt::join(all, ", "))));
      continue;
    }
    const auto value =
        option_value(equals == std::string::npos ? part : part.substr(equals + 1), *field, names);
    if (value)
      field->set(analysis, value.value(), {});
    else
      faults.push_back(value.why().front());
  }
  dynamic = std::get<DynamicOptions>(analysis);
  return faults;
}

// Options that the file has for its own formulation are left out with another, and a note says so.
void drop_options_of_others(DynamicOptions& dynamic, Diagnostics& notes) {
  if (find_formulation(dynamic.formulation) == nullptr) return;
  const auto dropped = drop_foreign_options(dynamic);
  if (!dropped.empty())
    notes.push_back(
        unused_options("another formulation than " + dynamic.formulation, dropped, dynamic));
}

bool gives(const std::vector<std::pair<std::string, std::string>>& options, std::string_view key) {
  return std::any_of(options.begin(), options.end(), [&](const auto& o) { return o.first == key; });
}

// The absolute tolerance follows the relative one, unless it is given too.
void scale_atol(Analysis& analysis, double rtol_before) {
  const AnalysisType& type = analysis_type(analysis);
  const OptionField *rtol = type.field("rtol"), *atol = type.field("atol");
  if (rtol == nullptr || atol == nullptr) return;
  const double ratio = std::get<double>(rtol->get(analysis)) / rtol_before;
  atol->set(analysis, std::get<double>(atol->get(analysis)) * ratio, {});
  if (auto* dynamic = std::get_if<DynamicOptions>(&analysis)) dynamic->atol_each_share *= ratio;
}

Diagnostic nowhere(const std::string& key) {
  Diagnostic d;
  d.id = "usage.bad-option";
  d.found = fmt::format("{}: no analysis of the model has this option", option_flag(key));
  std::vector<std::string_view> with;
  for (const AnalysisType& type : analysis_types())
    if (type.field(key) != nullptr) with.push_back(type.name);
  std::vector<std::string> known;
  for (const AnalysisType& type : analysis_types())
    for (const OptionField& field : type.fields) known.emplace_back(field.key.name);
  const std::string near = with.empty() ? nearest_name(key, known) : "";
  d.hint = !near.empty()  ? fmt::format("did you mean {}?", option_flag(near))
           : with.empty() ? "no analysis has it at all"
                          : fmt::format(
                                "cardan {0} MODEL takes it, or add an [[analysis]] with type = "
                                "\"{1}\" to the model",
                                find_analysis(with.front())->command,
                                fmt::join(with, "\" or \""));
  return d;
}

}  // namespace

std::string option_flag(std::string_view key) {
  std::string flag = "--" + std::string(key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

Scope names_of_parameters(const std::vector<ParameterInfo>& parameters, const Model& model) {
  Scope scope;
  scope.constant = [&](std::string_view name) -> std::optional<Scope::Constant> {
    const auto value = std::find_if(model.parameters.begin(),
                                    model.parameters.end(),
                                    [&](const auto& p) { return p.first == name; });
    const auto info = std::find_if(
        parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
    if (value == model.parameters.end() || info == parameters.end()) return std::nullopt;
    return Scope::Constant{value->second, info->dimension, info->plain};
  };
  scope.names = [&] {
    std::vector<std::string> names;
    for (const auto& [name, value] : model.parameters) names.push_back(name);
    return names;
  };
  return scope;
}

Result<double> option_number(const std::string& flag,
                             const std::string& text,
                             Dimension dimension,
                             Range range,
                             const Scope& names) {
  const auto parsed = Expression::parse(text, names, {});
  if (!parsed) {
    Diagnostic d = bad_option_value(flag, text, "a number; " + parsed.why().front().found);
    d.hint = parsed.why().front().hint;
    return d;
  }
  if (!parsed.value().plain() && parsed.value().dimension() != dimension) {
    Diagnostic d = bad_option_value(flag, text, to_text(dimension));
    d.found += fmt::format(", which is {}", to_text(parsed.value().dimension()));
    if (text.find('/') != std::string::npos)
      d.hint =
          "a unit belongs to the number before it: 60/120 s is 60/(120 s), (60/120)*(1 s) is half "
          "a second";
    return d;
  }
  const double value = parsed.value().value({});
  if (!(std::abs(value) < 1e300)) return bad_option_value(flag, text, "a finite number");
  if (range == Range::positive && !(value > 0))
    return bad_option_value(flag, text, "a number above zero");
  if (range == Range::not_negative && !(value >= 0))
    return bad_option_value(flag, text, "zero or a number above it");
  return value;
}

Diagnostic bad_option_value(const std::string& flag,
                            const std::string& text,
                            std::string expected) {
  Diagnostic d;
  d.id = "usage.bad-value";
  d.found = fmt::format("{} '{}'", flag, text);
  d.expected = std::move(expected);
  return d;
}

Diagnostics apply_options(const std::vector<std::pair<std::string, std::string>>& given,
                          const std::vector<ParameterInfo>& parameters,
                          Model& model) {
  Diagnostics faults;
  const Scope names = names_of_parameters(parameters, model);
  auto options = given;  // formulation and integrator first: others may belong to them
  for (const char* first : {"integrator", "formulation"})
    std::stable_partition(
        options.begin(), options.end(), [&](const auto& o) { return o.first == first; });
  for (const auto& [key, text] : options) {
    Analysis* last = nullptr;
    for (Analysis& analysis : model.analyses)
      if (analysis_type(analysis).field(key) != nullptr) last = &analysis;
    if (last == nullptr) {
      faults.push_back(nowhere(key));
      continue;
    }
    if (key == "integrator") {
      for (Analysis& analysis : model.analyses)
        if (auto* dynamic = std::get_if<DynamicOptions>(&analysis))
          for (Diagnostic& d : set_integrator(text, names, *dynamic, model.notes))
            faults.push_back(std::move(d));
      continue;
    }
    const auto value = option_value(text, *analysis_type(*last).field(key), names);
    if (!value) {
      faults.push_back(value.why().front());
      continue;
    }
    for (Analysis& analysis : model.analyses) {
      const OptionField* field = analysis_type(analysis).field(key);
      if (field == nullptr || (key == "until" && &analysis != last)) continue;
      const OptionValue before = field->get(analysis);
      field->set(analysis, value.value(), {});
      if (key == "rtol" && !gives(options, "atol")) scale_atol(analysis, std::get<double>(before));
      auto* dynamic = std::get_if<DynamicOptions>(&analysis);
      if (key == "formulation" && dynamic != nullptr) drop_options_of_others(*dynamic, model.notes);
    }
  }
  return faults;
}

}  // namespace cardan
