// From text to a FormulaSystem: equations taken apart, definitions put in, formulas parsed.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "cardan/ode/formula_coupled.h"
#include "cardan/ode/formula_system.h"

namespace cardan {

namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

std::size_t assignment(std::string_view s) {  // the '=' that is no comparison
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '=') continue;
    const bool after = i > 0 && std::string_view("<>!=").find(s[i - 1]) != std::string_view::npos;
    if (!after && (i + 1 == s.size() || s[i + 1] != '=')) return i;
  }
  return std::string_view::npos;
}

bool is_sum(std::string_view s) {  // has a + or - outside of brackets, behind something
  int depth = 0;
  char before = '(';
  for (const char c : s) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    const bool sign = (c == '+' || c == '-') && depth == 0;
    if (sign && std::string_view("(*/^eE+-").find(before) == std::string_view::npos) return true;
    if (c != ' ') before = c;
  }
  return false;
}

std::size_t last_product(std::string_view s) {  // the last '*' outside of brackets
  int depth = 0;
  for (std::size_t i = s.size(); i-- > 0;) {
    if (s[i] == ')') ++depth;
    if (s[i] == '(') --depth;
    if (s[i] == '*' && depth == 0) return i;
  }
  return std::string_view::npos;
}

Diagnostic fault(std::string id, const NamedText& of, std::string found, std::string expected) {
  Diagnostic d;
  d.id = std::move(id);
  d.where = of.where;
  d.element = fmt::format("equation \"{}\"", of.text);
  d.found = std::move(found);
  d.expected = std::move(expected);
  return d;
}

void add_all(Diagnostics& to, const Diagnostics& more, const NamedText& of, const char* what) {
  for (Diagnostic d : more) {
    d.where = of.where;  // columns of the spelt-out text would mislead
    if (d.element.empty()) d.element = fmt::format("{} \"{}\"", what, of.text);
    to.push_back(std::move(d));
  }
}

}  // namespace

Result<std::unique_ptr<FormulaSystem>> FormulaSystem::make(const std::vector<NamedText>& equations,
                                                           const std::vector<NamedText>& parameters,
                                                           const std::vector<NamedText>& declared) {
  return make(equations, parameters, declared, couples(equations));
}

Result<std::unique_ptr<FormulaSystem>> FormulaSystem::make(const std::vector<NamedText>& equations,
                                                           const std::vector<NamedText>& parameters,
                                                           const std::vector<NamedText>& declared,
                                                           bool coupled) {
  std::unique_ptr<FormulaSystem> system(new FormulaSystem);
  Diagnostics faults;
  if (coupled) system->read_coupled(equations, declared, faults);
  for (const NamedText& e : equations)
    if (!coupled) system->read_equation(e, faults);
  system->prepare();
  system->read_parameters(parameters, faults);
  if (!coupled && system->divides_by_zero()) return make(equations, parameters, declared, true);
  if (system->equations_.empty() && faults.empty()) {
    faults.push_back(fault("model.empty", {}, "no equation", "x' = ... or x'' = ..."));
  }
  for (const NamedText& e : equations) {  // definitions, in order, then what uses them
    const std::size_t at = assignment(e.text);
    if (at == std::string::npos) continue;
    const std::string_view left = trimmed(std::string_view(e.text).substr(0, at));
    if (left.find('\'') != std::string_view::npos || left == "0") continue;
    const NamedText right{e.text, e.text.substr(at + 1), e.where};
    system->definitions_[std::string(left)] = "(" + system->spelt_out(right, faults) + ")";
  }
  if (coupled) system->parse_coupled(faults);
  for (Equation& e : system->equations_) {
    if (coupled) break;
    const Result<Expression> parsed =
        Expression::parse(system->spelt_out(e.right, faults), system->scope(true), e.right.where);
    if (parsed) {
      e.formula = parsed.value();
    } else {
      add_all(faults, parsed.why(), {"", e.right.name, e.right.where}, "equation");
    }
  }
  if (has_error(faults)) return faults;
  return system;
}

// A factor of the parameters alone that is 0: the equation has no derivative then.
bool FormulaSystem::divides_by_zero() const {
  return std::any_of(equations_.begin(), equations_.end(), [&](const Equation& e) {
    const Result<double> factor = e.factor.text.empty() ? Result<double>(1.0) : constant(e.factor);
    return factor && factor.value() == 0;
  });
}

// Whether some equation is more than one derivative, perhaps with a factor, on its left side.
bool FormulaSystem::couples(const std::vector<NamedText>& equations) {
  return std::any_of(equations.begin(), equations.end(), [](const NamedText& e) {
    const std::size_t at = assignment(e.text);
    if (at == std::string::npos) return false;
    const std::string_view left = trimmed(std::string_view(e.text).substr(0, at));
    const bool derivative = left.find('\'') != std::string_view::npos;
    return left == "0" || (derivative && (is_sum(left) || !left.ends_with('\'')));
  });
}

// Variables are the names with a prime on left sides, with their highest derivative there, then those
// that were declared besides.
void FormulaSystem::read_coupled(const std::vector<NamedText>& equations,
                                 const std::vector<NamedText>& declared,
                                 Diagnostics& faults) {
  coupled_ = std::make_unique<Coupled>(*this);
  const auto note = [&](const std::string& name, int order) {
    const auto found = std::find_if(equations_.begin(), equations_.end(), [&](const Equation& e) {
      return e.variable == name;
    });
    if (found == equations_.end()) {
      equations_.push_back({name, order, {}, {}, {}});
    } else {
      found->order = std::max(found->order, order);
    }
  };
  for (const NamedText& e : equations) {
    const std::size_t at = assignment(e.text);
    const std::string left(
        trimmed(std::string_view(e.text).substr(0, std::min(at, e.text.size()))));
    if (at == std::string::npos) {
      faults.push_back(fault("syntax.expression", e, "no '='", "an equation"));
      continue;
    }
    if (left != "0" && left.find('\'') == std::string::npos) {
      definitions_[left] = "";
      continue;
    }
    coupled_->rows.push_back({e, left, e.text.substr(at + 1), {}, {}, left == "0"});
    for (std::size_t i = left.find('\''); i != std::string::npos; i = left.find('\'', i)) {
      std::size_t from = i, primes = 0;
      while (from > 0 && in_name(left[from - 1])) --from;
      while (i < left.size() && left[i] == '\'') ++i, ++primes;
      if (primes > 2)
        faults.push_back(fault("syntax.expression", e, "a third derivative", "x' or x''"));
      note(left.substr(from, i - primes - from),
           static_cast<int>(std::min<std::size_t>(primes, 2)));
    }
  }
  for (const NamedText& d : declared) {
    const std::string name = d.name.substr(0, d.name.find('\''));
    if (std::none_of(equations_.begin(), equations_.end(), [&](const Equation& e) {
          return e.variable == name;
        }))
      equations_.push_back({name, 0, {}, {}, {}});
  }
}

void FormulaSystem::parse_coupled(Diagnostics& faults) {
  for (const Equation& e : equations_) coupled_->add_variable(e.order);
  Scope with_derivatives = scope(true);
  for (const Equation& e : equations_)
    if (e.order > 0) with_derivatives.variables.push_back({e.variable + "__d", dimension::none});
  for (Coupled::Row& row : coupled_->rows) {
    std::string left = row.left;
    for (const Equation& e : equations_) {  // highest derivatives by names of their own
      const std::string primes(static_cast<std::size_t>(e.order), '\'');
      if (e.order == 0) continue;
      const std::string word = e.variable + primes;
      for (std::size_t at = left.find(word); at != std::string::npos;
           at = left.find(word, at + 1)) {
        const bool begins = at == 0 || !in_name(left[at - 1]);
        const std::size_t end = at + word.size();
        if (begins && (end == left.size() || left[end] != '\''))
          left.replace(at, word.size(), e.variable + "__d");
      }
    }
    const Result<Expression> on_left =
        Expression::parse(spelt_out({row.source.text, left, row.source.where}, faults),
                          with_derivatives,
                          row.source.where);
    const Result<Expression> on_right =
        Expression::parse(spelt_out({row.source.text, row.right, row.source.where}, faults),
                          scope(true),
                          row.source.where);
    const std::size_t before = faults.size();
    if (!on_left) add_all(faults, on_left.why(), row.source, "equation");
    if (!on_right) add_all(faults, on_right.why(), row.source, "equation");
    for (std::size_t k = before; k < faults.size(); ++k)
      if (faults[k].id == "model.unknown-name")
        faults[k].hint = "a variable without derivative needs a start value, --start NAME=VALUE; " +
                         faults[k].hint;
    if (on_left && on_right) row.left_side = on_left.value(), row.right_side = on_right.value();
  }
  if (has_error(faults)) return;
  if (const auto wrong = coupled_->finish()) faults.push_back(*wrong);
}

void FormulaSystem::read_equation(const NamedText& e, Diagnostics& faults) {
  const std::size_t at = assignment(e.text);
  std::string_view left = trimmed(std::string_view(e.text).substr(0, std::min(at, e.text.size())));
  int order = 0;
  while (left.ends_with('\'')) {
    left.remove_suffix(1);
    ++order;
  }
  std::string right = at == std::string::npos ? "" : e.text.substr(at + 1), factor;
  if (const std::size_t times = order > 0 ? last_product(left) : std::string_view::npos;
      times != std::string_view::npos) {  // m*x'' = f
    factor = left.substr(0, times);
    right = fmt::format("({})/({})", right, factor);
    left = trimmed(left.substr(times + 1));
  }
  const bool is_name =
      !left.empty() && starts_name(left[0]) && std::all_of(left.begin(), left.end(), in_name);
  if (at == std::string::npos || !is_name || order > 2) {
    faults.push_back(
        fault("syntax.expression",
              e,
              at == std::string::npos ? "no '='" : fmt::format("'{}' on the left", left),
              "x' = ..., x'' = ..., m*x'' = ... or a definition name = ..."));
    return;
  }
  const std::string name(left);
  const bool again = std::any_of(
      equations_.begin(), equations_.end(), [&](const Equation& x) { return x.variable == name; });
  if (again || definitions_.contains(name) || name == "t") {
    faults.push_back(
        fault("model.duplicate-name",
              e,
              fmt::format("a second '{}'", name),
              name == "t" ? "another name: t is the time" : "one equation a variable"));
    return;
  }
  if (order == 0) {
    definitions_[name] = "";
    return;
  }
  equations_.push_back(
      {name, order, {e.text, std::move(right), e.where}, {"", std::move(factor), e.where}, {}});
}

// Each from the ones before it.
void FormulaSystem::read_parameters(const std::vector<NamedText>& list, Diagnostics& faults) {
  for (const NamedText& p : list) {
    if (component(p.name) >= 0 || definitions_.contains(p.name) || p.name == "t") {
      faults.push_back(fault("model.duplicate-name",
                             p,
                             fmt::format("a parameter '{}'", p.name),
                             "a name that no variable has"));
      continue;
    }
    const Result<double> value = constant(p);
    if (value) parameters_[p.name] = value.value();
    if (!value) add_all(faults, value.why(), p, "parameter");
  }
}

Scope FormulaSystem::scope(bool components) const {
  Scope s;
  s.constant = [this](std::string_view name) -> std::optional<Scope::Constant> {
    const auto found = parameters_.find(name);
    if (found == parameters_.end()) return {};
    return Scope::Constant{found->second, dimension::none, true};
  };
  s.names = [this, components] {
    std::vector<std::string> all = components ? names_ : std::vector<std::string>{"t"};
    for (const auto& [name, value] : parameters_) all.push_back(name);
    for (const auto& [name, text] : definitions_) all.push_back(name);
    return all;
  };
  s.variables.push_back({"t", dimension::none});
  if (!components) return s;
  for (const std::string& name : names_) {
    const bool rate = name.ends_with('\'');
    s.variables.push_back(
        {rate ? fmt::format("rate({})", name.substr(0, name.size() - 1)) : name, dimension::none});
  }
  return s;
}

// Definitions put in, and x' written as formulas know it: rate(x).
std::string FormulaSystem::spelt_out(const NamedText& of, Diagnostics& faults) const {
  std::string out;
  const std::string& s = of.text;
  for (std::size_t i = 0; i < s.size();) {
    if (!starts_name(s[i])) {
      const bool number = std::isdigit(static_cast<unsigned char>(s[i]));
      do {  // 2e3 is a number, no name
        out += s[i++];
      } while (number && i < s.size() && in_name(s[i]));
      continue;
    }
    std::size_t end = i;
    while (end < s.size() && in_name(s[end])) ++end;
    const std::string name = s.substr(i, end - i);
    std::size_t primes = 0;
    while (end + primes < s.size() && s[end + primes] == '\'') ++primes;
    if (primes == 0) {
      const auto found = definitions_.find(name);
      out += found == definitions_.end() ? name : found->second;
    } else {
      out += fmt::format("rate({})", name);
      if (component(name + std::string(primes, '\'')) < 0) {
        faults.push_back(fault("model.unknown-name",
                               of,
                               fmt::format("'{}'", s.substr(i, end + primes - i)),
                               "the rate of a variable with an equation of second order"));
      }
    }
    i = end + primes;
  }
  return out;
}

Result<Expression> FormulaSystem::formula(const NamedText& of, bool of_time) const {
  Diagnostics faults;
  const std::string text = spelt_out(of, faults);
  if (has_error(faults)) return faults;
  Result<Expression> parsed = Expression::parse(text, scope(!of_time), of.where);
  if (parsed) return parsed;
  add_all(faults, parsed.why(), of, "formula");
  return faults;
}

Result<double> FormulaSystem::constant(const NamedText& of) const {
  Scope s = scope(false);
  s.variables.clear();
  const Result<Expression> parsed = Expression::parse(of.text, s, of.where);
  if (parsed) return parsed.value().value({});
  Diagnostics faults;
  add_all(faults, parsed.why(), of, "value");
  return faults;
}

}  // namespace cardan
