// Reading of single values: numbers with units, formulas, points, names with braces.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cardan/io/environment.h"

namespace cardan {

namespace {

// A speed where its integral is meant, as people write of drivers; otherwise how one writes it.
std::string unit_hint_of(const Field& f, Dimension found, Dimension expected) {
  const std::string& text = f.node->text;
  if (f.key == "frequencies")
    return "a frequency is a number in Hz, turns in a second: 5 or \"5 Hz\"";
  if (found == per_second(expected)) {
    const bool one = text.find_first_of("+-") == std::string::npos;
    return fmt::format(
        "this is a rate, and a position is meant: for a constant rate write \"{}*t\"",
        one ? text : "(" + text + ")");
  }
  if (expected == dimension::torque && found == dimension::length)
    return "nm is a nanometre; a torque is written \"10 N*m\"";
  static const std::pair<Dimension, const char*> examples[] = {
      {dimension::mass, "1.2 kg"},
      {dimension::length, "500 mm"},
      {dimension::time, "5 s"},
      {dimension::none, "30 deg"},
      {dimension::rate, "100 rpm"},
      {dimension::velocity, "2 m/s"},
      {dimension::acceleration, "9.81 m/s^2"},
      {dimension::inertia, "0.1 kg*m^2"},
      {dimension::force, "20 N"},
      {dimension::torque, "10 N*m"},
      {dimension::stiffness, "20 N/mm"},
      {dimension::damping, "5 N*s/m"},
      {dimension::rotational_damping, "0.5 N*m*s"},
      {dimension::density, "7850 kg/m^3"}};
  for (const auto& [of, example] : examples)
    if (of == expected) return fmt::format("for example \"{}\"", example);
  return {};
}

// "a plain number" is an angle where a unit was written.
std::string expected_unit(Dimension expected) {
  return expected == dimension::none ? "an angle (rad, deg) or a plain number" : to_text(expected);
}

// A direction that was written as the name of an axis: "z" or "-x".
std::string axis_hint(const Field& f, int numbers) {
  std::string_view name = f.node->text;
  const bool back = name.starts_with('-');
  if (back || name.starts_with('+')) name.remove_prefix(1);
  if (name.size() != 1 || f.key != "axis") return {};
  const int at = name[0] - (name[0] < 'a' ? 'X' : 'x');
  if (at < 0 || at >= numbers) return {};
  std::string items;
  for (int k = 0; k < numbers; ++k)
    items += fmt::format("{}{}", k > 0 ? ", " : "", k != at ? 0 : back ? -1 : 1);
  return fmt::format("axis = [{}]", items);
}

bool is_angle(std::string_view key) {
  return key == "angle" || key == "angles" || key == "free_angle";
}

// A list that was written as one text: "0, 0" or "ground, bar".
std::string list_hint(const Field& f, int numbers) {
  if (f.node->kind == TomlNode::Kind::table)
    return fmt::format("write {} = {}", f.key, numbers == 2 ? "[x, y]" : "[x, y, z]");
  if (f.node->kind != TomlNode::Kind::text) return {};
  const std::string& text = f.node->text;
  if (text.find(',') == std::string::npos) return axis_hint(f, numbers);
  std::string items;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::size_t first = std::min(text.find_first_not_of(" [](){}", from), end);
    std::size_t last = end;
    while (last > first && std::string_view(" [](){}").find(text[last - 1]) != std::string::npos)
      --last;
    const std::string item = text.substr(first, last - first);
    const bool number =
        !item.empty() && item.find_first_not_of("+-.0123456789") == std::string::npos;
    const char* quote = number ? "" : "\"";
    items += fmt::format("{}{}{}{}", items.empty() ? "" : ", ", quote, item, quote);
    from = end + 1;
  }
  return fmt::format("a list stands in square brackets: {} = [{}]", f.key, items);
}

}  // namespace

void Environment::wrong_type(const Field& f, std::string_view expected, std::string_view hint) {
  const std::string list =
      hint.empty() && expected.starts_with("a list") ? list_hint(f, point_size) : "";
  faults_.error(cardan::wrong_type(f.key, describe(*f.node), expected, list.empty() ? hint : list),
                f.where());
}

bool Environment::in_range(const Field& f, double value, Range range) {
  if (cardan::in_range(value, range)) return true;
  faults_.error(out_of_range(f.key, value, range), f.where());
  return false;
}

std::optional<double> Environment::number(const Field& f, Dimension dimension, Range range) {
  if (f.node->is_number()) {
    if (!std::isfinite(f.node->number)) {
      faults_.error(not_finite(f.key, f.node->number), f.where());
      return std::nullopt;
    }
    if (is_angle(f.key)) ask_about_angle(f, f.node->number);
    return in_range(f, f.node->number, range) ? std::optional(f.node->number) : std::nullopt;
  }
  if (f.key == "rate" && dimension == cardan::dimension::rate) ask_about_hertz(f);
  if (f.node->kind != TomlNode::Kind::text) {
    wrong_type(f, expected_number(dimension));
    return std::nullopt;
  }
  if (const auto value = repeated_number(f, dimension))
    return in_range(f, *value, range) ? value : std::nullopt;
  const auto expression = formula(f, dimension, {});
  if (!expression) return std::nullopt;
  if (is_angle(f.key)) ask_about_angle(f, *expression);
  const double value = expression->value({});
  if (std::isnan(value)) return std::nullopt;  // uses a name whose own fault has been told
  return in_range(f, value, range) ? std::optional(value) : std::nullopt;
}

// In a repeated part: the formula parsed once with the counters as variables. Nothing when that is
// not possible; then the counters are taken as constants, copy by copy, and faults are reported
// there.
std::optional<double> Environment::repeated_number(const Field& f, Dimension dimension) {
  if (indices.empty()) return std::nullopt;
  auto found = repeated_.find(f.node);
  if (found == repeated_.end()) {
    found = repeated_.emplace(f.node, std::nullopt).first;
    if (f.node->text.find('{') == std::string::npos) {
      Scope scope = scope_;
      for (const auto& i : indices) scope.variables.push_back({i.name, dimension::none});
      auto parsed = parse_setting(f.node->text, scope, f.where(), f, dimension);
      const bool fits =
          parsed && (parsed.value().plain() || parsed.value().dimension() == dimension);
      if (fits) repeated_[f.node] = std::move(parsed).value();
    }
  }
  if (!found->second) return std::nullopt;
  std::array<double, 8> values{};
  for (std::size_t k = 0; k < indices.size(); ++k) values[k] = indices[k].value;
  const double value = found->second->value({values.data(), indices.size()});
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<Expression> Environment::formula(const Field& f,
                                               std::optional<Dimension> dimension,
                                               const std::vector<Scope::Variable>& variables) {
  if (f.node->is_number()) {
    const auto value = number(f, dimension::none);
    return value ? std::optional(Expression(*value)) : std::nullopt;
  }
  if (f.node->kind != TomlNode::Kind::text) {
    const bool list = f.node->kind == TomlNode::Kind::array;
    wrong_type(f,
               expected_formula,
               list ? "a table of values is a [[curve]] with table = [[x, y], ...], which formulas "
                      "name, or in a formula table(t, x1, y1, x2, y2)"
                    : "");
    return std::nullopt;
  }
  const SourcePos where{f.where().file, f.where().line, f.where().column + 1};
  const bool braces = f.node->text.find('{') != std::string::npos;
  Scope with_variables;
  if (!variables.empty()) {
    with_variables = scope_;
    with_variables.variables = variables;
  }
  const Scope& scope = variables.empty() ? scope_ : with_variables;
  const auto parsed = parse_setting(
      braces ? expanded(f.node->text, f.where()) : f.node->text, scope, where, f, dimension);
  if (!parsed) {
    faults_.add(parsed.why());
    return std::nullopt;
  }
  const Expression& e = parsed.value();
  if (dimension && !e.plain() && e.dimension() != *dimension) {
    faults_.error(
        "model.wrong-unit",
        f.where(),
        fmt::format("{} = \"{}\", which is {}", f.key, f.node->text, to_text(e.dimension())),
        expected_unit(*dimension),
        unit_hint_of(f, e.dimension(), *dimension));
    return std::nullopt;
  }
  return e;
}

std::optional<long> Environment::integer(const Field& f, Range range, long most) {
  const auto value = number(f, dimension::none, range);
  if (!value) return std::nullopt;
  if (*value != std::floor(*value) || std::abs(*value) > static_cast<double>(most)) {
    faults_.error("model.bad-value",
                  f.where(),
                  fmt::format("{} = {}", f.key, *value),
                  fmt::format("a whole number of at most {}", most));
    return std::nullopt;
  }
  return static_cast<long>(*value);
}

std::optional<bool> Environment::boolean(const Field& f) {
  if (f.node->kind == TomlNode::Kind::boolean) return f.node->truth;
  wrong_type(f, expected_boolean, boolean_hint);
  return std::nullopt;
}

std::optional<std::string> Environment::text(const Field& f) {
  if (f.node->kind != TomlNode::Kind::text) {
    wrong_type(f, expected_text);
    return std::nullopt;
  }
  const std::size_t before = faults_.seen();
  std::string text = expanded(f.node->text, f.where());
  return faults_.seen() == before ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<std::vector<std::string>> Environment::names(const Field& f) {
  if (f.node->kind != TomlNode::Kind::array) {
    wrong_type(f, "a list of names");
    return std::nullopt;
  }
  std::vector<std::string> all;
  for (const auto& item : f.node->items) {
    const auto name = text({f.key, &item});
    if (!name) return std::nullopt;
    all.push_back(*name);
  }
  return all;
}

std::optional<std::vector<double>> Environment::numbers(const Field& f,
                                                        const std::vector<Dimension>& dimensions,
                                                        Range range) {
  if (f.node->kind != TomlNode::Kind::array) {
    wrong_type(f, expected_numbers(dimensions.size()));
    return std::nullopt;
  }
  const auto& items = f.node->items;
  if (items.size() != dimensions.size()) {
    KeyFault fault =
        wrong_length(f.key, items.size(), fmt::format("{} numbers", dimensions.size()));
    const auto unit = std::find_if(items.begin(), items.end(), [](const TomlNode& item) {
      return item.kind == TomlNode::Kind::text && Expression::parse("1 " + item.text, {}, {}) &&
             !Expression::parse(item.text, {}, {});
    });
    if (unit != items.end())
      fault.hint = fmt::format("a unit stands with each number: \"5 {}\"", unit->text);
    else if (items.size() + dimensions.size() == 5 && dimensions.size() == std::size_t(point_size))
      fault.hint = point_size == 2
                       ? "a planar model has two; space = \"spatial\" makes one in space"
                       : "a model in space has three: x, y, z";
    faults_.error(fault, f.where());
    return std::nullopt;
  }
  std::vector<double> values;
  bool good = true;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const auto value = number({f.key, &items[k]}, dimensions[k], range);
    good = good && value;
    values.push_back(value.value_or(0));
  }
  return good ? std::optional(values) : std::nullopt;
}

// Of a direction, whose length does not matter: it may be written as the difference of two points
// or as a product of such, so the unit of its first number that has one holds for all.
Dimension Environment::unit_of_direction(const Field& f) {
  if (f.node->kind != TomlNode::Kind::array) return dimension::none;
  for (const auto& item : f.node->items) {
    if (item.kind != TomlNode::Kind::text || item.text.find('{') != std::string::npos) continue;
    const auto parsed = memo_.parse(item.text, scope_, item.where);
    if (parsed && !parsed.value().plain()) return parsed.value().dimension();
  }
  return dimension::none;
}

std::optional<Triple> Environment::direction(const Field& f) {
  return point(f, unit_of_direction(f));
}

std::optional<std::vector<Triple>> Environment::two_directions(const Field& f) {
  if (f.node->kind == TomlNode::Kind::array && f.node->items.size() == 2) {
    const auto one = direction({f.key, &f.node->items[0]}),
               other = direction({f.key, &f.node->items[1]});
    return one && other ? std::optional(std::vector{*one, *other}) : std::nullopt;
  }
  return points(f, 2, 2, dimension::none);
}

std::optional<Triple> Environment::point(const Field& f, Dimension dimension) {
  const auto values =
      numbers(f, std::vector<Dimension>(static_cast<std::size_t>(point_size), dimension));
  if (!values) return std::nullopt;
  return Triple{(*values)[0], (*values)[1], point_size == 3 ? (*values)[2] : 0};
}

std::optional<std::vector<Triple>> Environment::points(const Field& f,
                                                       std::size_t least,
                                                       std::size_t most,
                                                       Dimension dimension) {
  const std::string expected =
      least == most ? fmt::format("{0} points, [{1}, {1}]", least, point_form())
                    : fmt::format("at least {} points, [{}, ...]", least, point_form());
  if (f.node->kind != TomlNode::Kind::array) {
    wrong_type(f, expected);
    return std::nullopt;
  }
  if (f.node->items.size() < least || f.node->items.size() > most) {
    faults_.error("model.vector-length",
                  f.where(),
                  fmt::format("{} = a list of {}", f.key, f.node->items.size()),
                  expected);
    return std::nullopt;
  }
  if (std::all_of(f.node->items.begin(), f.node->items.end(), [](const TomlNode& item) {
        return item.kind != TomlNode::Kind::array;
      })) {  // one point where a list of them is meant
    wrong_type(f, expected);
    return std::nullopt;
  }
  std::vector<Triple> all;
  bool good = true;
  for (const auto& item : f.node->items) {
    const auto p = point({f.key, &item}, dimension);
    good = good && p;
    all.push_back(p.value_or(Triple{}));
  }
  return good ? std::optional(all) : std::nullopt;
}

// The whole number that stands for "{inside}": i, i+1, or any formula.
std::optional<double> Environment::brace(std::string_view inside, const SourcePos& where) {
  if (!indices.empty() &&
      inside.starts_with(indices.back().name)) {  // the common case without the parser
    const std::string_view rest = inside.substr(indices.back().name.size());
    int offset = 0;
    if (rest.empty()) return indices.back().value;
    const bool sign = rest[0] == '+' || rest[0] == '-';
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), offset);
    if (sign && rest.size() > 1 && error == std::errc() && end == rest.data() + rest.size())
      return indices.back().value + (rest[0] == '+' ? offset : -offset);
  }
  std::vector<std::string> constants;
  const auto parsed = memo_.parse(inside, scope_, where, &constants);
  if (!parsed) {
    faults_.add(parsed.why());
    return std::nullopt;
  }
  for (const auto& name : through(constants)) parameters_.at(name).structural = true;
  const double value = parsed.value().value({});
  if (value == std::floor(value) && std::abs(value) < 1e15) return value;
  if (!std::isnan(value))
    faults_.error(
        "model.bad-value", where, fmt::format("{{{}}} = {}", inside, value), "a whole number");
  return std::nullopt;
}

std::string Environment::expanded(const std::string& text, const SourcePos& where) {
  std::size_t open = text.find('{');
  if (open == std::string::npos) return text;
  std::string out;
  std::size_t from = 0;
  for (; open != std::string::npos; open = text.find('{', from)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) {
      faults_.error(
          "syntax.expression", where, fmt::format("\"{}\" without a closing brace", text), "{...}");
      break;
    }
    out.append(text, from, open - from);
    const auto value = brace(std::string_view(text).substr(open + 1, close - open - 1), where);
    if (value) out += fmt::format("{}", static_cast<long long>(*value));
    from = close + 1;
  }
  return out.append(text, from);
}

}  // namespace cardan
