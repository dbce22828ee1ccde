// Numbers that are legal and probably slips: angles of many turns without a unit, by themselves, in
// formulas and in tables of motions, and frequencies where an angular velocity is meant. They are asked
// about, never refused.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cardan/io/environment.h"
#include "cardan/math/bare_numbers.h"
#include "cardan/math/formula_function.h"

namespace cardan {

namespace {

constexpr double turn_of_circle = 2 * std::numbers::pi;  // rad

// Hz outside of sin and cos, and not multiplied by 2*pi.
bool means_turns(const std::string& text) {
  for (const char* word : {"pi", "sin(", "cos(", "rev", "turn"})
    if (text.find(word) != std::string::npos) return false;
  return true;
}

// What is multiplied by the time may well be in radians, "10*t" for 10 rad/s. In degrees people turn by
// 30, 45, 90, 360, 720 a second, and in rpm by 1500: multiples of 15.
constexpr double usual_degrees = 15, least_degrees_a_second = 30;

bool may_be_degrees_a_second(double number) {
  const double parts = number / usual_degrees;
  return number >= least_degrees_a_second && std::abs(parts - std::round(parts)) < 1e-9 * parts;
}

// Second numbers of a curve's points, and what else of it is a value; those without a unit.
std::vector<double> bare_values(const TomlNode& curve) {
  std::vector<double> values;
  const auto add = [&](const TomlNode& value) {
    if (value.is_number()) values.push_back(std::abs(value.number));
  };
  const auto add_second = [&](const TomlNode& point) {
    if (point.items.size() == 2) add(point.items[1]);
  };
  for (const TomlEntry& entry : curve.entries) {
    if (entry.key == "amplitude" || entry.key == "offset" || entry.key == "gain") add(entry.value);
    if (entry.key == "from" || entry.key == "to") add_second(entry.value);
    if (entry.key == "table")
      for (const TomlNode& point : entry.value.items) add_second(point);
  }
  return values;
}

}  // namespace

void Environment::ask(const Field& f, std::string found, std::string hint) {
  Diagnostic d;
  d.id = "model.unlikely";
  d.severity = Severity::warning;
  d.where = f.where();
  d.found = std::move(found);
  d.hint = std::move(hint);
  faults_.add(std::move(d));
}

void Environment::ask_about_angle(const Field& f, double value) {
  if (!f.node->is_number() || std::abs(value) <= turn_of_circle) return;
  ask(f,
      fmt::format("{} = {:g} without a unit: {:g} rad are {:.4g} deg",
                  f.key,
                  value,
                  value,
                  360 * value / turn_of_circle),
      fmt::format("did you mean \"{:g} deg\"? Otherwise write \"{:g} rad\"", value, value));
}

void Environment::ask_about_angle(const Field& f, const Expression& formula) {
  const double value = bare_numbers(formula).still;
  if (!(value > turn_of_circle)) return;
  ask(f,
      fmt::format("{} = \"{}\", with {:g} and no unit: {:g} rad are {:.4g} deg",
                  f.key,
                  f.node->text,
                  value,
                  value,
                  360 * value / turn_of_circle),
      fmt::format("did you mean {0:g} deg? Otherwise write {0:g} rad", value));
}

// Of a driver that turns: a formula of the time, or the name of a curve.
void Environment::ask_about_turning(const Field& f, const FunctionPtr& motion) {
  if (f.node->kind != TomlNode::Kind::text || motion == nullptr) return;
  if (const Expression* formula = formula_of(*motion)) {
    ask_about_angle(f, *formula);
    const BareNumbers numbers = bare_numbers(*formula);
    if (numbers.still > turn_of_circle || !may_be_degrees_a_second(numbers.moving)) return;
    ask(f,
        fmt::format("{} = \"{}\", with {:g} and no unit: {:g} rad/s are {:.4g} rpm",
                    f.key,
                    f.node->text,
                    numbers.moving,
                    numbers.moving,
                    60 * numbers.moving / turn_of_circle),
        fmt::format("did you mean {0:g} deg/s? Otherwise write {0:g} rad/s", numbers.moving));
    return;
  }
  const auto curve = curves_.find(f.node->text);
  if (curve == curves_.end() || curve->second.node == nullptr) return;
  // A table in radians has other numbers than whole ones.
  const std::vector<double> values = bare_values(*curve->second.node);
  const bool whole =
      std::all_of(values.begin(), values.end(), [](double x) { return x == std::round(x); });
  const auto most = std::max_element(values.begin(), values.end());
  if (most == values.end() || !whole || !(*most > turn_of_circle)) return;
  ask(f,
      fmt::format("the curve '{}' reaches {:g} without a unit: {:g} rad are {:.4g} deg",
                  f.node->text,
                  *most,
                  *most,
                  360 * *most / turn_of_circle),
      fmt::format("did you mean \"{0:g} deg\"? Otherwise write \"{0:g} rad\"", *most));
}

// A number without a unit in place of one with: 70 for "80 mm" is 70 m. Asked where the number in the
// old unit would be near the old value, and as it stands is far from it.
void Environment::ask_about_unit(const Parameter& p, double value, double before) {
  const std::string& old = p.overridden->text;
  const std::size_t end = old.find_first_not_of("+-.0123456789eE ");
  if (end == std::string::npos || value == 0 || before == 0) return;
  const std::string unit = old.substr(end);
  const auto one = memo_.parse("1 " + unit, scope_, p.where);
  if (!one || !one.value().constant()) return;
  const auto times = [&](double x) {
    return std::max(std::abs(x / before), std::abs(before / x));
  };
  constexpr double near = 20, far = 50;  // times the old value, or a share of it
  if (times(value * one.value().value({})) > near || times(value) < far) return;
  ask({"value", p.overridden},
      fmt::format("{} without a unit: {} is {:g} in SI units, where the model has {}",
                  p.formula,
                  p.formula,
                  value,
                  old),
      fmt::format("did you mean \"{} {}\"?", p.formula, unit));
}

void Environment::ask_about_hertz(const Field& f) {
  if (f.node->kind != TomlNode::Kind::text || !means_turns(f.node->text)) return;
  const std::string& text = f.node->text;
  bool found = text.find("Hz") != std::string::npos;
  for (const std::string& name : names_of(text)) {
    const auto parameter = parameters_.find(name);
    if (parameter == parameters_.end()) continue;
    const Parameter& p = parameter->second;
    const std::string& own = p.node == nullptr ? p.formula : p.node->text;
    found = found || (own.find("Hz") != std::string::npos && means_turns(own));
  }
  if (!found) return;
  ask(f,
      fmt::format(
          "{} = \"{}\" with a value in Hz: 1 Hz is 1 rad/s, not one turn in a second", f.key, text),
      "for turns write rev/s or rpm (50 rev/s = 3000 rpm); of a frequency f the angular velocity "
      "is 2*pi*f");
}

}  // namespace cardan
