#include "cardan/io/formula_memo.h"

#include <algorithm>

namespace cardan {

namespace {

std::string key_of(std::string_view text, const Scope& scope) {
  std::string key(text);
  for (const auto& variable : scope.variables) {
    key.append("\n").append(variable.name).append("\n");
    for (const signed char power : variable.dimension.power) key.push_back(power);
  }
  return key;
}

template <class List> bool has_name(const List& list, std::string_view name) {
  return std::any_of(
      list.begin(), list.end(), [&](const auto& item) { return item.first == name; });
}

bool same_constant(const Scope::Constant& a, const Scope::Constant& b) {
  return a.value == b.value && a.plain == b.plain && a.dimension == b.dimension;
}

}  // namespace

bool FormulaMemo::holds(const Entry& entry, const Scope& scope) {
  for (const auto& [name, value] : entry.constants) {
    const auto now = scope.constant ? scope.constant(name) : std::nullopt;
    if (!now || !same_constant(*now, value)) return false;
  }
  for (const auto& [name, curve] : entry.curves)
    if (!scope.curve || scope.curve(name) != curve) return false;
  return true;
}

Result<Expression> FormulaMemo::parse(std::string_view text,
                                      const Scope& scope,
                                      const SourcePos& where,
                                      std::vector<std::string>* constants) {
  const std::string key = key_of(text, scope);
  const auto tell = [&](const Entry& entry) {
    if (constants != nullptr)
      for (const auto& [name, value] : entry.constants) constants->push_back(name);
  };
  const auto found = formulas_.find(key);
  if (found != formulas_.end() && holds(found->second, scope)) {
    tell(found->second);
    return found->second.formula;
  }
  if (closed_) return Expression::parse(text, scope, where);
  Entry entry;
  Scope watched = scope;
  if (scope.constant)
    watched.constant = [&](std::string_view name) {
      const auto value = scope.constant(name);
      if (value && !has_name(entry.constants, name)) entry.constants.emplace_back(name, *value);
      return value;
    };
  if (scope.curve)
    watched.curve = [&](std::string_view name) {
      FunctionPtr curve = scope.curve(name);
      if (curve && !has_name(entry.curves, name)) entry.curves.emplace_back(name, curve);
      return curve;
    };
  auto parsed = Expression::parse(text, watched, where);
  if (!parsed) return parsed;
  entry.formula = parsed.value();
  tell(entry);
  formulas_.insert_or_assign(key, std::move(entry));
  return parsed;
}

std::vector<std::string> FormulaMemo::names(const std::string& text) {
  const auto found = names_.find(text);
  if (found != names_.end()) return found->second;
  std::vector<std::string> names = names_in(text);
  if (!closed_) names_.emplace(text, names);
  return names;
}

}  // namespace cardan
