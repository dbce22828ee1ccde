#include "cardan/study/variation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/math/bare_numbers.h"
#include "cardan/math/expression.h"
#include "cardan/study/design.h"

namespace cardan {

namespace {

Diagnostic vary_fault(const std::string& text, std::string expected, std::string hint = "") {
  Diagnostic d;
  d.id = "usage.bad-value";
  d.found = fmt::format("--vary '{}'", text);
  d.expected = std::move(expected);
  d.hint = std::move(hint);
  return d;
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// Parts between separators that stand outside of parentheses.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == separator && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  parts.push_back(trimmed(part));
  return parts;
}

Scope without_names() {
  Scope scope;
  scope.constant = [](std::string_view) {
    return std::optional<Scope::Constant>();
  };
  scope.curve = [](std::string_view) {
    return FunctionPtr();
  };
  scope.names = [] {
    return std::vector<std::string>();
  };
  return scope;
}

class VariationReader {
 public:
  VariationReader(const std::string& text, const ParameterInfo& parameter)
      : text_(text), parameter_(parameter) {}

  // A number in SI units. unit: what stands for one that has none.
  Result<double> number(const std::string& part, const std::string& unit, bool plain) const {
    auto parsed = Expression::parse(part, scope_, {});
    if (parsed && parsed.value().plain() && !unit.empty() && !plain)
      parsed = Expression::parse(fmt::format("({}) * (1 {})", part, unit), scope_, {});
    if (!parsed || !parsed.value().constant()) {
      std::vector<std::string> shapes;
      for (const DistributionShape& shape : distribution_shapes()) shapes.emplace_back(shape.name);
      const bool looks_like_one = part.find('(') != part.npos;
      return vary_fault(
          text_,
          fmt::format("'{}' to be a number, with or without a unit", part),
          looks_like_one
              ? fmt::format("distributions: {}; a range is start:step:end, as in 60:5:80 mm",
                            fmt::join(shapes, ", "))
              : "a range is start:step:end, as in 60:5:80 mm, a list 60,70,80 mm");
    }
    const Dimension wanted = plain ? dimension::none : parameter_.dimension;
    if (!parsed.value().plain() && parsed.value().dimension() != wanted)
      return vary_fault(
          text_,
          fmt::format(
              "'{}' to be {}, as parameter '{}' is", part, to_text(wanted), parameter_.name));
    const bool sum = part.find_first_of("+-", 1) != part.npos;
    if (sum && !parsed.value().plain() && bare_numbers(parsed.value()).still > 0)
      return vary_fault(text_,
                        fmt::format("'{}' to have a unit with each number that is added", part),
                        "a range is start:step:end, as in 60:5:80 mm");
    const double x = parsed.value().value({});
    if (parsed.value().plain() && !plain && lost_unit(x))
      return vary_fault(
          text_,
          fmt::format(
              "'{}' with its unit: the model has {} = {}", part, parameter_.name, parameter_.text),
          fmt::format("write {0} {1}, or {0} {2} if that is what you mean",
                      part,
                      unit_behind(parameter_.text),
                      si_unit(parameter_.dimension)));
    if (!(std::abs(x) < 1e300)) return vary_fault(text_, "finite numbers");
    return x;
  }

  Result<std::vector<double>> range(const std::vector<std::string>& parts) const {
    if (parts.size() != 3) return vary_fault(text_, "start:step:end");
    // The unit behind the last number serves all. Where no other is named, values are found in it: 70
    // of 60:10:90 mm is 70 mm.
    const std::string unit = unit_behind(parts[2]);
    const bool one_unit = std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
      const std::string own = unit_behind(part);
      return own.empty() || own == unit;
    });
    std::array<double, 3> x{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto found = number(parts[k], unit, false);
      if (!found) return found.why();
      x[k] = found.value();
      if (one_unit) x[k] = number(without_unit(parts[k]), "", true).value();
    }
    const double count = (x[2] - x[0]) / x[1];
    const bool step_last = (x[1] - x[0]) * x[2] > 0 && std::abs(x[2]) <= std::abs(x[1] - x[0]);
    if (x[1] == 0 || !(count >= -off_the_end))
      return vary_fault(text_,
                        "values: this range is empty",
                        x[1] == 0   ? "the step is zero"
                        : step_last ? fmt::format("the step stands between start and end: {}:{}:{}",
                                                  without_unit(parts[0]),
                                                  without_unit(parts[2]),
                                                  trimmed(without_unit(parts[1]) + " " + unit))
                                    : "the step leads away from the end");
    const double steps = std::floor(count + off_the_end);
    if (steps >= static_cast<double>(most_points)) return too_many_points(steps + 1);
    const bool whole = std::abs(count - steps) <= off_the_end && steps > 0;
    std::vector<double> values;
    for (long k = 0; k <= static_cast<long>(steps); ++k) {
      const auto at = static_cast<double>(k);
      const double value = whole ? (x[0] * (steps - at) + x[2] * at) / steps : x[0] + at * x[1];
      values.push_back(one_unit ? number(fmt::format("{}", value), unit, false).value() : value);
    }
    return values;
  }

  Result<Distribution> distribution(const DistributionShape& shape,
                                    const std::string& inside) const {
    const auto parts = split(inside, ',');
    if (parts.size() != shape.numbers)
      return vary_fault(text_, fmt::format("{}({})", shape.name, shape.words));
    Distribution out{shape.kind, {}};
    const std::string unit = unit_for_all(parts);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto found = number(parts[k], unit, shape.plain[k]);
      if (!found) return found.why();
      out.numbers.push_back(found.value());
    }
    const auto& n = out.numbers;
    const bool rises = std::is_sorted(n.begin(), n.end()) && n.front() < n.back();
    const bool spreads = shape.kind == DistributionKind::normal      ? n[1] >= 0
                         : shape.kind == DistributionKind::lognormal ? n[0] > 0 && n[1] >= 0
                                                                     : rises;
    if (!spreads)
      return vary_fault(text_,
                        shape.kind == DistributionKind::normal ? "a deviation that is not negative"
                        : shape.kind == DistributionKind::lognormal ? "a median above zero"
                                                                    : "numbers that rise");
    return out;
  }

  // The unit behind the last of some numbers, where no other has one: 10, 20, 30 N/mm.
  static std::string unit_for_all(const std::vector<std::string>& parts) {
    const bool others = std::any_of(parts.begin(), parts.end() - 1, [](const std::string& part) {
      return !unit_behind(part).empty();
    });
    const std::string unit = others ? "" : unit_behind(parts.back());
    return !unit.empty() && Expression::parse("1 " + unit, without_names(), {}) ? unit : "";
  }

 private:
  // The end belongs to a range that reaches it but for this many steps.
  static constexpr double off_the_end = 1e-6;

  // "N/mm" of "40 N/mm".
  static std::string unit_behind(const std::string& part) {
    return trimmed(part.substr(number_length(part)));
  }

  static std::string without_unit(const std::string& part) {
    return trimmed(part.substr(0, number_length(part)));
  }

  static std::size_t number_length(const std::string& part) {
    std::size_t k = 0;
    while (k < part.size() && (std::isdigit(static_cast<unsigned char>(part[k])) != 0 ||
                               std::string_view("+-. \t").find(part[k]) != std::string_view::npos ||
                               is_exponent(part, k)))
      ++k;
    return k;
  }

  static bool is_exponent(const std::string& part, std::size_t k) {
    if ((part[k] != 'e' && part[k] != 'E') || k + 1 >= part.size()) return false;
    const char next = part[k + 1];
    return std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '-' || next == '+';
  }

  // 70 for "80 mm" would be 70 m: near the model's value in its unit, far from it in SI units.
  bool lost_unit(double x) const {
    const auto one = Expression::parse("1 " + unit_behind(parameter_.text), scope_, {});
    if (parameter_.text.empty() || parameter_.dimension == dimension::none || !one || x == 0 ||
        parameter_.value == 0)
      return false;
    const auto times = [&](double y) {
      return std::max(std::abs(y / parameter_.value), std::abs(parameter_.value / y));
    };
    constexpr double near = 20, far = 50;  // times the model's value, or a share of it
    return times(x * one.value().value({})) < near && times(x) > far;
  }

  const std::string& text_;
  const ParameterInfo& parameter_;
  Scope scope_ = without_names();
};

Diagnostic unknown_parameter(const std::string& text,
                             const std::string& name,
                             const std::vector<ParameterInfo>& all) {
  std::vector<std::string> names;
  for (const ParameterInfo& p : all) names.push_back(p.name);
  const std::string near = nearest_name(name, names);
  return vary_fault(text,
                    all.empty() ? "a model that has parameters"
                                : fmt::format("one of the parameters {}", fmt::join(names, ", ")),
                    near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

}  // namespace

Result<Variation> read_variation(const std::string& text, const std::vector<ParameterInfo>& all) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    return vary_fault(text,
                      "name=start:step:end, name=value,value or name=normal(mean, deviation)");
  const std::string name = trimmed(std::string_view(text).substr(0, equals));
  const std::string said = trimmed(std::string_view(text).substr(equals + 1));
  const auto parameter =
      std::find_if(all.begin(), all.end(), [&](const ParameterInfo& p) { return p.name == name; });
  if (parameter == all.end()) return unknown_parameter(text, name, all);
  const VariationReader reader(text, *parameter);
  Variation out{name, si_unit(parameter->dimension), {}, {}};
  if (said.empty()) return vary_fault(text, "values: this list is empty");
  for (const DistributionShape& shape : distribution_shapes())
    if (said.starts_with(shape.name) && said.ends_with(')') &&
        trimmed(said.substr(shape.name.size())).starts_with('(')) {
      const std::size_t open = said.find('(');
      auto found = reader.distribution(shape, said.substr(open + 1, said.size() - open - 2));
      if (!found) return found.why();
      out.distribution = std::move(found).value();
      return out;
    }
  if (const auto parts = split(said, ':'); parts.size() > 1) {
    auto found = reader.range(parts);
    if (!found) return found.why();
    out.values = std::move(found).value();
    return out;
  }
  const auto parts = split(said, ',');
  const std::string unit = VariationReader::unit_for_all(parts);
  for (const std::string& part : parts) {
    const auto found = reader.number(part, unit, false);
    if (!found) return found.why();
    out.values.push_back(found.value());
  }
  return out;
}

}  // namespace cardan
