// Numbers that are legal and probably slips: angles of many turns without a unit, and frequencies where
// an angular velocity is meant. They are asked about, never refused.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "cardan/io/environment.h"

namespace cardan {

namespace {

constexpr double turn_of_circle = 2 * std::numbers::pi;  // rad

// Hz outside of sin and cos, and not multiplied by 2*pi.
bool means_turns(const std::string& text) {
  for (const char* word : {"pi", "sin(", "cos(", "rev", "turn"})
    if (text.find(word) != std::string::npos) return false;
  return true;
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
