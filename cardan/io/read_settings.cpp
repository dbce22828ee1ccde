// The settings of an element, by the kinds of value the catalogue names.
#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"

namespace cardan {

namespace {

bool is_formula(ValueKind kind) {
  return kind == ValueKind::formula || kind == ValueKind::formulas;
}

}  // namespace

void ModelReader::read_settings(TableReader& keys, const ElementType& type, Element& e) {
  read_formulas(keys, type, e);
  for (const auto& key : type.keys) {
    if (is_formula(key.kind)) continue;
    const Field f =
        key.required() ? keys.need(key.name, std::string(key.doc)) : keys.take(key.name);
    if (f) read_setting(f, key, type, e);
  }
}

void ModelReader::read_setting(const Field& f, const KeySpec& key, const ElementType&, Element& e) {
  const auto store = [&](auto&& value) {
    if (value) e.settings.emplace_back(std::string(key.name), *value);
  };
  switch (key.kind) {
    case ValueKind::number:
      return store(environment_.number(f, key.dimensions.front(), key.range));
    case ValueKind::boolean:
      return store(environment_.boolean(f));
    case ValueKind::numbers:
      if (key.dimensions.empty()) return store(free_numbers(f, 1, 2));
      return store(environment_.numbers(f, key.dimensions, key.range));
    case ValueKind::names:  // of a coupler, read by read_coupler
      return;
    case ValueKind::text:
      return store(environment_.text(f));
    case ValueKind::choice: {
      const auto text = environment_.text(f);
      if (!text) return;
      if (std::find(key.choices.begin(), key.choices.end(), *text) != key.choices.end())
        return store(text);
      return faults_.error(wrong_choice(f.key, *text, key.choices), f.where());
    }
    case ValueKind::motion:
      if (auto motion = read_motion(f, key.dimensions.front(), key.variable, key.of_variable)) {
        if (e.kind == Kind::driver && key.dimensions.front() == dimension::none) {
          environment_.ask_about_hertz(f);
          environment_.ask_about_turning(f, motion);
        }
        e.settings.emplace_back(std::string(key.name), std::move(motion));
        note_formula(f, std::string(key.name), e);
      }
      return;
    case ValueKind::curve:
      return read_curve_setting(f, key.name, e);
    case ValueKind::curves:
      if (f.node->kind != TomlNode::Kind::array)
        return environment_.wrong_type(f, "a list of two names of curves");
      if (f.node->items.size() != key.parts.size())
        return faults_.error("model.vector-length",
                             f.where(),
                             fmt::format("{} = a list of {}", f.key, f.node->items.size()),
                             fmt::format("{} names of curves", key.parts.size()));
      for (std::size_t k = 0; k < key.parts.size(); ++k)
        read_curve_setting({f.key, &f.node->items[k]}, key.parts[k], e);
      return;
    default:
      throw std::logic_error("a kind of value that elements do not have");
  }
}

// All formulas of an element share their variables, so the requests they name are gathered first.
void ModelReader::read_formulas(TableReader& keys, const ElementType& type, Element& e) {
  struct Formula {
    Field field;
    Dimension dimension;
    std::string name;
  };

  std::vector<Formula> formulas;
  for (const auto& key : type.keys) {
    if (!is_formula(key.kind)) continue;
    const Field f =
        key.required() ? keys.need(key.name, std::string(key.doc)) : keys.take(key.name);
    if (!f) continue;
    if (key.kind == ValueKind::formula) {
      formulas.push_back({f, key.dimensions.front(), std::string(key.name)});
      continue;
    }
    if (f.node->kind != TomlNode::Kind::array) {
      environment_.wrong_type(f, fmt::format("a list of {} formulas", key.parts.size()));
    } else if (f.node->items.size() != key.parts.size()) {
      faults_.error("model.vector-length",
                    f.where(),
                    fmt::format("{} = a list of {}", f.key, f.node->items.size()),
                    fmt::format("{} formulas", key.parts.size()));
    } else {
      for (std::size_t k = 0; k < key.parts.size(); ++k)
        formulas.push_back(
            {{f.key, &f.node->items[k]}, key.dimensions[k], std::string(key.parts[k])});
    }
  }
  if (formulas.empty()) return;
  std::vector<Field> fields;
  for (const auto& formula : formulas) fields.push_back(formula.field);
  const auto variables = formula_variables(type, fields, e);
  for (const auto& formula : formulas)
    if (const auto parsed = environment_.formula(formula.field, formula.dimension, variables)) {
      e.settings.emplace_back(formula.name, *parsed);
      note_formula(formula.field, formula.name, e);
    }
}

// A request a formula may read: its index, and its dimension when that is known.
std::optional<ModelReader::Input> ModelReader::find_input(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const bool x = name.ends_with(".x"), y = name.ends_with(".y"),
             z = name.ends_with(".z") && model_.space == Space::spatial;
  const int point = x || y || z ? requests_.find(name.substr(0, dot)) : -1;
  const auto is_point = [&](const Element& e) {
    const ElementType* type = find_type(Kind::request, e.type, model_.space);
    return type != nullptr && std::holds_alternative<PointRequest>(type->make);
  };
  if (point >= 0 && is_point(model_.requests[static_cast<std::size_t>(point)])) {
    if (x) return Input{point, dimension::length};
    const auto before =
        std::count_if(model_.requests.begin(), model_.requests.begin() + point, is_point);
    const auto all = std::count_if(model_.requests.begin(), model_.requests.end(), is_point);
    const auto others = model_.requests.size() + model_.states.size() + model_.inputs.size();
    return Input{static_cast<int>(others) + static_cast<int>(z ? all + before : before),
                 dimension::length};
  }
  const int requests = static_cast<int>(model_.requests.size());
  if (const int k = states_.find(name); k >= 0)
    return Input{requests + k, state_dimensions_[static_cast<std::size_t>(k)]};
  if (const int k = inputs_.find(name); k >= 0)
    return Input{requests + static_cast<int>(model_.states.size()) + k,
                 input_dimensions_[static_cast<std::size_t>(k)]};
  const int index = requests_.find(name);
  if (index < 0) return std::nullopt;
  const auto k = static_cast<std::size_t>(index);
  if (is_point(model_.requests[k])) return std::nullopt;
  read_request_formula(k);
  return Input{index, request_dimensions_[k]};
}

// [t, length, rate, in0, rate(in0), ...]: those an element does not have get names nobody can
// write.
std::vector<Scope::Variable> ModelReader::formula_variables(const ElementType& type,
                                                            const std::vector<Field>& fields,
                                                            Element& e) {
  const UnitKind own = type.own ? type.own->unit : UnitKind::length;
  std::vector<Scope::Variable> variables{
      {"t", without_units() ? dimension::none : dimension::time},
      {type.own ? std::string(type.own->name) : "", value_dimension(own)},
      {type.own ? "rate" : "", rate_dimension(own)}};
  for (const Field& field : fields) {
    if (field.node->kind != TomlNode::Kind::text) continue;
    for (const auto& name :
         environment_.names_of(environment_.expanded(field.node->text, field.where()))) {
      refuse_ambiguous(name, variables, field);
      const auto input = find_input(name);
      if (!input) refuse_result(name, field);
      if (!input || std::find(e.inputs.begin(), e.inputs.end(), input->request) != e.inputs.end())
        continue;
      if (!input->dimension) {
        environment_.excuse(name);
        continue;
      }
      if (reads_results(name)) {
        faults_.error("model.bad-value",
                      field.where(),
                      fmt::format("'{}', which reads results of the run", name),
                      "requests of positions and velocities, states and inputs",
                      "what the motion follows from cannot depend on its results");
        environment_.excuse(name);
        continue;
      }
      e.inputs.push_back(input->request);
      variables.push_back({name, *input->dimension});
      variables.push_back({fmt::format("rate({})", name), rate_of(*input->dimension)});
    }
  }
  return variables;
}

// A channel of a body or a joint, which requests may read and what moves the mechanism may not:
// the request that measures it, where there is one.
void ModelReader::refuse_result(const std::string& name, const Field& f) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || environment_.has_curve(name)) return;
  const std::string owner = name.substr(0, dot), part = name.substr(dot + 1);
  const bool of_body = bodies_.find(owner) >= 0;
  if (!of_body && joints_.find(owner.substr(0, owner.find('.'))) < 0) return;
  const bool planar = model_.space == Space::planar;
  const bool rate = part.starts_with('v') || part == "omega";
  const std::string type = part == "omega" ? "angle" : rate ? part.substr(1) : part;
  const bool measured = of_body && (type == "x" || type == "y" || (type == "z" && !planar) ||
                                    (type == "angle" && planar));
  std::string hint = "what the motion follows from cannot depend on forces and accelerations";
  if (measured) {
    std::string own = owner;
    for (char& c : own)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    own += "_" + type;
    hint = fmt::format(
        "measure it: [[request]] with type = \"{}\", body = \"{}\" and name = \"{}\", then write "
        "{}",
        type,
        owner,
        own,
        rate ? fmt::format("rate({})", own) : own);
  }
  faults_.error("model.unknown-name",
                f.where(),
                fmt::format("'{}', a result of the run, in {}", name, f.key),
                "parameters, t, requests, states and inputs",
                hint);
  environment_.excuse(name);
}

// A variable of a formula hides what else has its name: told instead of guessed.
void ModelReader::refuse_ambiguous(const std::string& name,
                                   const std::vector<Scope::Variable>& variables,
                                   const Field& f) {
  const auto own =
      std::find_if(variables.begin(),
                   variables.begin() + std::min<std::ptrdiff_t>(3, std::ssize(variables)),
                   [&](const auto& v) { return v.name == name; });
  if (own == variables.begin() + std::min<std::ptrdiff_t>(3, std::ssize(variables))) return;
  const char* other = environment_.has_parameter(name) ? "parameter"
                      : requests_.find(name) >= 0      ? "request"
                                                       : nullptr;
  if (other != nullptr)
    faults_.error(
        "model.ambiguous-name",
        f.where(),
        fmt::format(
            "'{0}', which is a variable of this formula and a {1} of the model", name, other),
        "one meaning",
        fmt::format("rename the {}", other));
}

// What an "expression" request measures. A formula that fits any dimension takes that of its
// `unit`. Results are SI, so a known unit must be one of SI and of the formula's dimension; other
// words are only shown.
Dimension ModelReader::unit_of_request(const Element& request,
                                       const Expression& formula,
                                       const Field& f) {
  const Setting* setting = request.find("unit");
  if (setting == nullptr) return formula.dimension();
  const std::string& unit = std::get<std::string>(*setting);
  const auto one = environment_.parse("1 " + unit, Scope{}, f.where());
  if (!one) return formula.dimension();
  const Dimension dimension = one.value().dimension();
  if (one.value().value({}) != 1)
    faults_.error("model.bad-value",
                  f.where(),
                  fmt::format("unit = \"{}\"", unit),
                  "an SI unit, which results are in");
  else if (!formula.plain() && formula.dimension() != dimension)
    faults_.error(
        "model.wrong-unit",
        f.where(),
        fmt::format("unit = \"{}\" for a value that is {}", unit, to_text(formula.dimension())),
        "a unit of that");
  return formula.plain() ? dimension : formula.dimension();
}

// As written, for messages.
void ModelReader::note_formula(const Field& f, std::string setting, Element& e) {
  if (f.node->kind != TomlNode::Kind::text) return;
  const SourcePos inside{f.where().file, f.where().line, f.where().column + 1};
  e.formulas.push_back(
      {std::move(setting), environment_.expanded(f.node->text, f.where()), inside});
}

bool ModelReader::reads_results(const std::string& name) const {
  const int index = requests_.find(name);
  return index >= 0 && static_cast<std::size_t>(index) < request_results_.size() &&
         request_results_[static_cast<std::size_t>(index)] != 0;
}

// A formula with names such as main.first.fx, which are channels of the run, or of requests with such
// a formula: what it means is found when channels are known.
bool ModelReader::read_result_formula(std::size_t index, const Field& field, Element& request) {
  if (field.node->kind != TomlNode::Kind::text) return false;
  const std::string text = environment_.expanded(field.node->text, field.where());
  bool result = false;
  ResultFormula out;
  for (const std::string& name : environment_.names_of(text)) {
    if (const auto constant = environment_.parameter(name)) {
      out.constants.push_back({name, *constant});
      continue;
    }
    const bool request_or_state = find_input(name).has_value();
    result = result || (request_or_state
                            ? reads_results(name)
                            : name.find('.') != std::string::npos && !environment_.has_curve(name));
  }
  if (!result) return false;
  out.request = static_cast<int>(index);
  out.text = text;
  out.where = {field.where().file, field.where().line, field.where().column + 1};
  out.curves = environment_.function_curves();
  out.unit_given = request.find("unit") != nullptr;
  request.settings.emplace_back("value", Expression(0.0));
  request_results_.resize(model_.requests.size(), 0);
  request_results_[index] = 1;
  request_dimensions_[index] = dimension::none;
  model_.results.push_back(std::move(out));
  return true;
}

// The formula of an "expression" request, after those of the requests it names.
void ModelReader::read_request_formula(std::size_t index) {
  constexpr int deepest = 200;
  request_states_.resize(model_.requests.size(), 0);
  request_dimensions_.resize(model_.requests.size());
  if (request_states_[index] == 2) return;
  const Field field = pending_[index].formula;
  Element& request = model_.requests[index];
  if (!field) {
    const ElementType* type = find_type(Kind::request, request.type, model_.space);
    if (type != nullptr && !std::holds_alternative<FormulaRequest>(type->make))
      request_dimensions_[index] =
          type->measure ? value_dimension(unit_kind_of(*type->measure)) : dimension::length;
    request_states_[index] = 2;
    return;
  }
  const Faults::Subject subject(faults_, "request", request.name);
  if (request_states_[index] == 1)
    return faults_.error("model.parameter-cycle",
                         field.where(),
                         "a formula that needs its own value",
                         "formulas that do not go round in a circle");
  if (std::count(request_states_.begin(), request_states_.end(), 1) >= deepest)
    return faults_.error("limit.nesting",
                         field.where(),
                         fmt::format("requests that use each other more than {} deep", deepest),
                         "shorter chains");
  request_states_[index] = 1;
  const auto outer = std::exchange(environment_.indices, pending_[index].indices);
  if (read_result_formula(index, field, request)) {
    environment_.indices = outer;
    request_states_[index] = 2;
    return;
  }
  const auto variables =
      formula_variables(*find_type(Kind::request, "expression", model_.space), {field}, request);
  if (const auto parsed = environment_.formula(field, std::nullopt, variables)) {
    request.settings.emplace_back("value", *parsed);
    note_formula(field, "value", request);
    request_dimensions_[index] = unit_of_request(request, *parsed, field);
  }
  environment_.indices = outer;
  request_states_[index] = 2;
}

FunctionPtr ModelReader::read_motion(const Field& f,
                                     Dimension dimension,
                                     std::string_view variable,
                                     Dimension of_variable) {
  if (f.node->kind == TomlNode::Kind::text) {
    const std::string name = environment_.expanded(f.node->text, f.where());
    const Curve* curve = environment_.curve(name);
    if (curve != nullptr && curve->at_fault()) return nullptr;
    if (curve != nullptr && curve->function) return curve->function;
  }
  const std::vector<Scope::Variable> variables{{std::string(variable), of_variable}};
  if (f.node->kind == TomlNode::Kind::text)
    for (const auto& name : environment_.names_of(f.node->text))
      refuse_ambiguous(name, variables, f);
  auto formula = environment_.formula(f, dimension, variables);
  return formula ? as_function(std::move(*formula)) : nullptr;
}

void ModelReader::read_curve_setting(const Field& f, std::string_view key, Element& e) {
  const auto name = environment_.text(f);
  if (!name) return;
  const bool in_space = model_.space == Space::spatial;
  const char* wanted = in_space ? "a planar curve or one in space" : "a planar curve";
  const Curve* curve = environment_.curve(*name);
  if (curve == nullptr) {
    const std::string near = nearest_name(*name, environment_.profile_names());
    faults_.error("model.unknown-name",
                  f.where(),
                  fmt::format("the unknown curve '{}'", *name),
                  fmt::format("the name of {}", wanted),
                  near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  } else if (curve->function || (curve->spatial && !in_space)) {
    faults_.error("model.bad-value",
                  f.where(),
                  fmt::format("the curve '{}', {}",
                              *name,
                              curve->function ? "a function of one variable" : "a curve in space"),
                  fmt::format("{}: closed-spline, polar, circle, ellipse{}",
                              wanted,
                              in_space ? ", space-spline, space-curve" : ""));
  } else if (curve->planar) {
    e.settings.emplace_back(std::string(key), curve->planar);
  } else if (curve->spatial) {
    e.settings.emplace_back(std::string(key), curve->spatial);
  }
}

}  // namespace cardan
