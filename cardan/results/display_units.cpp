#include "cardan/results/display_units.h"

#include <cstdlib>

#include <fmt/format.h>

#include "cardan/base/units.h"

namespace cardan {

namespace {

struct Base {
  Dimension dimension;
  std::string_view symbol;
};

constexpr Base bases[] = {{dimension::length, "m"},
                          {dimension::none, "rad"},
                          {dimension::force, "N"},
                          {dimension::mass, "kg"},
                          {dimension::time, "s"},
                          {dimension::torque, "J"},
                          {dimension::power, "W"},
                          {dimension::pressure, "Pa"}};

bool is_symbol_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

Result<DisplayUnits> DisplayUnits::parse(std::string_view list) {
  DisplayUnits out;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view word = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    if (word.empty()) continue;
    const auto unit = find_unit(word);
    std::string_view symbol;
    if (unit)
      for (const Base& base : bases)
        if (base.dimension == unit->dimension) symbol = base.symbol;
    if (word == "rpm") {
      out.choices_.push_back({"rad/s", "rpm", unit->factor, true});
    } else if (word == "Nm" || word == "Nmm" || word == "kNm") {
      out.choices_.push_back({"N*m", std::string(word), unit->factor, true});
    } else if (!symbol.empty()) {
      out.choices_.push_back({std::string(symbol), std::string(word), unit->factor, false});
    } else {
      Diagnostic d;
      d.id = "usage.bad-value";
      d.found = fmt::format("--units {}", word);
      d.expected = "units such as mm, deg, rpm, kN, kNm, kJ, kW, ms, g, separated by commas";
      return d;
    }
  }
  return out;
}

DisplayUnits::Shown DisplayUnits::of(const std::string& si_unit) const {
  Shown out{1, si_unit};
  for (const Choice& c : choices_)
    if (c.whole && c.symbol == si_unit) return {1 / c.factor, c.unit};
  out.unit.clear();
  int sign = 1;
  bool inside = false;  // of brackets behind a stroke
  for (std::size_t k = 0; k < si_unit.size();) {
    if (!is_symbol_letter(si_unit[k])) {
      if (si_unit[k] == '/') sign = -1;
      if (si_unit[k] == '(') inside = true;
      if (si_unit[k] == ')') inside = false, sign = 1;
      if (si_unit[k] == '*' && !inside) sign = 1;
      out.unit += si_unit[k++];
      continue;
    }
    std::size_t end = k;
    while (end < si_unit.size() && is_symbol_letter(si_unit[end])) ++end;
    const std::string symbol = si_unit.substr(k, end - k);
    long power = 1;
    if (end < si_unit.size() && si_unit[end] == '^')
      power = std::strtol(si_unit.c_str() + end + 1, nullptr, 10);
    std::string shown = symbol;
    for (const Choice& c : choices_)
      if (!c.whole && c.symbol == symbol) {
        shown = c.unit;
        for (long n = 0; n < std::labs(power); ++n)
          out.factor *= (power > 0) == (sign > 0) ? 1 / c.factor : c.factor;
      }
    out.unit += shown;
    k = end;
  }
  return out;
}

}  // namespace cardan
