#include "cardan/io/environment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr std::size_t deepest_chain = 200;  // of parameters that use parameters

constexpr Scope::Constant failed{std::numeric_limits<double>::quiet_NaN(), {}, true};

}  // namespace

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

Environment::Environment(Faults& faults, FormulaMemo& memo) : faults_(faults), memo_(memo) {
  scope_.constant = [this](std::string_view name) {
    return constant(name);
  };
  scope_.curve = [this](std::string_view name) {
    const Curve* c = curve(name);
    if (c == nullptr) return FunctionPtr();
    return c->at_fault() ? as_function(Expression(0.0)) : c->function;  // its fault has been told
  };
  scope_.names = [this] {
    return all_names();
  };
  scope_.known = [this](std::string_view name) {
    return known(name);
  };
}

void Environment::add_parameter(const std::string& name, const TomlNode& value) {
  order_.push_back(name);
  Parameter& p = parameters_[name];
  p.node = &value;
  p.where = value.where;
}

void Environment::override_parameter(const std::string& name, const std::string& formula) {
  Parameter& p = parameters_.at(name);
  if (p.node != nullptr) p.overridden = std::exchange(p.node, nullptr);
  p.formula = formula;
  p.where = {std::make_shared<const std::string>(fmt::format("--set {}", name)), 1, 1};
}

void Environment::override_parameter(const std::string& name, double value) {
  parameters_.at(name).number = value;
}

void Environment::add_curve(const std::string& name, const TomlNode& table) {
  curves_[name].node = &table;
}

void Environment::add_function(const std::string& name, FunctionPtr function) {
  CurveEntry& entry = curves_[name];
  entry.curve.function = std::move(function);
  entry.state = State::done;
}

void Environment::evaluate_all() {
  for (const auto& name : order_) constant(name);
  std::vector<std::string> names;
  for (const auto& [name, c] : curves_) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const auto& name : names) curve(name);
}

std::vector<std::pair<std::string, double>> Environment::parameters() const {
  std::vector<std::pair<std::string, double>> all;
  for (const auto& name : order_) all.emplace_back(name, parameters_.at(name).value.value);
  return all;
}

std::vector<ParameterInfo> Environment::parameter_infos() const {
  std::vector<ParameterInfo> all;
  for (const auto& name : order_) {
    const Parameter& p = parameters_.at(name);
    ParameterInfo info;
    info.name = name;
    info.text = p.node == nullptr ? p.formula : p.node->text;
    info.value = p.value.value;
    if (!p.value.plain)
      info.dimension = p.value.dimension;
    else if (!p.stands_for_many)
      info.dimension = p.stands_for.value_or(dimension::none);
    info.plain = p.value.plain;
    info.structural = p.structural;
    info.uses = p.uses;
    all.push_back(std::move(info));
  }
  return all;
}

bool Environment::known(std::string_view name) const {
  const auto same = [&](const Index& i) {
    return i.name == name;
  };
  const std::string key(name);
  return parameters_.contains(key) || curves_.contains(key) ||
         std::any_of(indices.begin(), indices.end(), same);
}

std::vector<std::string> Environment::all_names() const {
  std::vector<std::string> names;
  for (const auto& [name, p] : parameters_) names.push_back(name);
  for (const auto& [name, c] : curves_) names.push_back(name);
  for (const auto& i : indices) names.push_back(i.name);
  std::sort(names.begin(), names.end());
  return names;
}

// The name itself or its rate.
bool Environment::is_excused(std::string_view name) const {
  if (excused_.empty()) return false;
  if (name.starts_with("rate(") && name.ends_with(")")) name = name.substr(5, name.size() - 6);
  return excused_.contains(std::string(name));
}

std::optional<Scope::Constant> Environment::constant(std::string_view name) {
  for (auto i = indices.rbegin(); i != indices.rend(); ++i)
    if (i->name == name) return Scope::Constant{i->value, {}, true};
  const auto found = parameters_.find(std::string(name));
  if (found == parameters_.end()) return is_excused(name) ? std::optional(failed) : std::nullopt;
  Parameter& p = found->second;
  if (p.state == State::done) return p.value;
  if (p.state == State::busy) {
    cycle("parameter", found->first, p.where);
    return failed;
  }
  if (path_.size() >= deepest_chain) {
    faults_.error("limit.nesting",
                  p.where,
                  fmt::format("parameters that use each other more than {} deep", deepest_chain),
                  "shorter chains");
    return failed;
  }
  p.state = State::busy;
  path_.push_back(found->first);
  const auto outer = std::exchange(indices, {});  // a parameter has one value, not one per copy
  const Faults::Subject subject(faults_, "parameter", found->first);
  p.value = evaluate(p);
  indices = outer;
  path_.pop_back();
  p.state = State::done;
  return p.value;
}

// A number that overrides takes the dimension that was there: that of the formula, whose value does
// not matter.
Scope::Constant Environment::evaluate(Parameter& p) {
  if (p.number) {
    const std::optional<double> number = std::exchange(p.number, std::nullopt);
    Scope::Constant value = evaluate(p);
    value.value = *number;
    p.number = number;
    return value;
  }
  if (p.node != nullptr && p.node->kind != TomlNode::Kind::text) {
    const auto value = number({"value", p.node}, dimension::none);
    return value ? Scope::Constant{*value, {}, true} : failed;
  }
  SourcePos where = p.where;
  if (p.node != nullptr) ++where.column;  // behind the quote
  std::vector<std::string> constants;
  const auto parsed =
      memo_.parse(p.node != nullptr ? p.node->text : p.formula, scope_, where, &constants);
  if (!parsed) {
    faults_.add(parsed.why());
    return failed;
  }
  p.uses = through(constants);
  const Scope::Constant value{
      parsed.value().value({}), parsed.value().dimension(), parsed.value().plain()};
  return p.overridden != nullptr && value.plain ? as_before(p, value) : value;
}

// A bare number instead of a quantity means the same in SI units.
Scope::Constant Environment::as_before(const Parameter& p, Scope::Constant value) {
  if (p.overridden->kind != TomlNode::Kind::text) return value;
  const auto before = memo_.parse(p.overridden->text, scope_, p.overridden->where);
  if (!before || before.value().plain()) return value;
  ask_about_unit(p, value.value, before.value().value({}));
  return {value.value, before.value().dimension(), false};
}

// The parameters among these names, and those that they follow from.
std::vector<std::string> Environment::through(const std::vector<std::string>& constants) const {
  std::vector<std::string> all;
  const auto add = [&](const std::string& name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  for (const auto& name : constants) {
    const auto found = parameters_.find(name);
    if (found == parameters_.end()) continue;
    add(name);
    for (const auto& other : found->second.uses) add(other);
  }
  return all;
}

Result<Expression> Environment::parse_setting(const std::string& text,
                                              const Scope& scope,
                                              const SourcePos& where,
                                              const Field& setting,
                                              std::optional<Dimension> dimension) {
  if (uses_ == nullptr) return memo_.parse(text, scope, where);
  std::vector<std::string> constants;
  auto parsed = memo_.parse(text, scope, where, &constants);
  if (parsed) note(setting, constants, dimension);
  return parsed;
}

void Environment::note(const Field& setting,
                       const std::vector<std::string>& constants,
                       std::optional<Dimension> dimension) {
  std::vector<std::string> parameters = through(constants);
  if (parameters.empty()) return;
  if (counting_ > 0)
    for (const auto& name : parameters) parameters_.at(name).structural = true;
  if (const auto alone = parameters_.find(setting.node->text);
      alone != parameters_.end() && dimension) {
    Parameter& p = alone->second;
    p.stands_for_many = p.stands_for_many || (p.stands_for && *p.stands_for != *dimension);
    p.stands_for = dimension;
  }
  if (!noted_.insert(setting.node).second) return;
  uses_->push_back({faults_.subject(),
                    std::string(setting.key),
                    setting.where(),
                    setting.node->text,
                    std::move(parameters)});
}

void Environment::cycle(std::string_view kind, const std::string& name, const SourcePos& where) {
  std::string chain;
  for (auto p = std::find(path_.begin(), path_.end(), name); p != path_.end(); ++p)
    chain += *p + " -> ";
  const Faults::Subject subject(faults_, kind, name);
  faults_.error("model.parameter-cycle",
                where,
                fmt::format("a circle of definitions: {}{}", chain, name),
                "values that do not depend on themselves");
}

const Curve* Environment::curve(std::string_view name) {
  const auto found = curves_.find(std::string(name));
  if (found == curves_.end()) return nullptr;
  CurveEntry& c = found->second;
  if (c.state == State::busy) {
    cycle("curve", found->first, c.node->where);
    return nullptr;
  }
  if (c.state == State::untouched) {
    c.state = State::busy;
    path_.push_back(found->first);
    const auto outer = std::exchange(indices, {});
    const Faults::Subject subject(faults_, "curve", found->first);
    c.curve = read_curve_(found->first, *c.node);
    indices = outer;
    path_.pop_back();
    c.state = State::done;
  }
  return &c.curve;
}

std::optional<Scope::Constant> Environment::parameter(const std::string& name) {
  return has_parameter(name) || (known(name) && !has_curve(name)) ? constant(name) : std::nullopt;
}

std::vector<std::pair<std::string, FunctionPtr>> Environment::function_curves() {
  std::vector<std::pair<std::string, FunctionPtr>> all;
  for (const auto& [name, entry] : curves_)
    if (const Curve* c = curve(name); c != nullptr && c->function)
      all.emplace_back(name, c->function);
  return all;
}

std::vector<std::string> Environment::profile_names() const {
  std::vector<std::string> names;
  for (const auto& [name, c] : curves_)
    if (c.curve.function == nullptr) names.push_back(name);
  return names;
}

}  // namespace cardan
