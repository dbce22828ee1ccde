// The unit symbols a model file may use. 1 Hz is 1/s and not a turn per second: a turn is "rev", so
// that 60 rpm = 1 rev/s = 2 pi 1/s. Pounds are the avoirdupois pound of exactly 0.45359237 kg,
// inches exactly 25.4 mm.
#include "cardan/base/units.h"

#include <algorithm>
#include <cstdlib>
#include <numbers>

#include <fmt/format.h>

namespace cardan {
namespace {

namespace dim = dimension;
constexpr double turn = 2 * std::numbers::pi;
constexpr double pound = 0.45359237, inch = 0.0254,
                 standard_gravity = 9.80665;  // kg, m, m/s^2: exact by definition

constexpr NamedUnit units[] = {
    // mass
    {"kg", {1, dim::mass}},
    {"g", {1e-3, dim::mass}},
    {"mg", {1e-6, dim::mass}},
    {"t", {1e3, dim::mass}},
    {"tonne", {1e3, dim::mass}},
    {"lb", {pound, dim::mass}},
    {"slug", {pound * standard_gravity / (12 * inch), dim::mass}},
    // length
    {"m", {1, dim::length}},
    {"km", {1e3, dim::length}},
    {"dm", {1e-1, dim::length}},
    {"cm", {1e-2, dim::length}},
    {"mm", {1e-3, dim::length}},
    {"um", {1e-6, dim::length}},
    {"nm", {1e-9, dim::length}},
    {"in", {inch, dim::length}},
    {"ft", {12 * inch, dim::length}},
    // time
    {"s", {1, dim::time}},
    {"ms", {1e-3, dim::time}},
    {"us", {1e-6, dim::time}},
    {"min", {60, dim::time}},
    {"h", {3600, dim::time}},
    // angle
    {"rad", {1, dim::none}},
    {"mrad", {1e-3, dim::none}},
    {"deg", {turn / 360, dim::none}},
    {"rev", {turn, dim::none}},
    // rate
    {"rpm", {turn / 60, dim::rate}},
    {"Hz", {1, dim::rate}},
    {"kHz", {1e3, dim::rate}},
    // force and torque
    {"N", {1, dim::force}},
    {"mN", {1e-3, dim::force}},
    {"kN", {1e3, dim::force}},
    {"MN", {1e6, dim::force}},
    {"lbf", {pound * standard_gravity, dim::force}},
    {"Nm", {1, dim::torque}},
    {"Nmm", {1e-3, dim::torque}},
    {"kNm", {1e3, dim::torque}},
    // energy and power
    {"J", {1, dim::torque}},
    {"mJ", {1e-3, dim::torque}},
    {"kJ", {1e3, dim::torque}},
    {"MJ", {1e6, dim::torque}},
    {"W", {1, dim::power}},
    {"mW", {1e-3, dim::power}},
    {"kW", {1e3, dim::power}},
    {"MW", {1e6, dim::power}},
    // pressure
    {"Pa", {1, dim::pressure}},
    {"kPa", {1e3, dim::pressure}},
    {"MPa", {1e6, dim::pressure}},
    {"GPa", {1e9, dim::pressure}},
    {"bar", {1e5, dim::pressure}},
    {"psi", {pound * standard_gravity / (inch * inch), dim::pressure}},
    // electricity
    {"A", {1, dim::current}},
    {"mA", {1e-3, dim::current}},
    {"V", {1, dim::voltage}},
    {"mV", {1e-3, dim::voltage}},
    {"kV", {1e3, dim::voltage}},
    {"ohm", {1, dim::resistance}},
    {"mohm", {1e-3, dim::resistance}},
    {"kohm", {1e3, dim::resistance}},
    {"H", {1, dim::inductance}},
    {"mH", {1e-3, dim::inductance}},
    {"uH", {1e-6, dim::inductance}},
    {"F", {1, dim::capacitance}},
    {"mF", {1e-3, dim::capacitance}},
    {"uF", {1e-6, dim::capacitance}},
    {"C", {1, dim::charge}},
};

struct NamedDimension {
  Dimension dimension;
  const char* name;
  const char* unit = nullptr;  // as engineers write it; null: the product of base units
};

constexpr NamedDimension names[] = {
    {dim::mass, "mass"},
    {dim::length, "length"},
    {dim::time, "time"},
    {dim::velocity, "velocity"},
    {dim::rate, "angular velocity or frequency"},
    {dim::acceleration, "acceleration"},
    {dim::angular_acceleration, "angular acceleration"},
    {dim::inertia, "moment of inertia"},
    {dim::force, "force", "N"},
    {dim::torque, "torque or energy", "N*m"},
    {dim::power, "power", "W"},
    {dim::stiffness, "stiffness", "N/m"},
    {dim::damping, "damping", "N*s/m"},
    {dim::rotational_damping, "rotational damping", "N*m*s"},
    {dim::density, "density"},
    {dim::area_density, "density per area"},
    {dim::area, "area"},
    {dim::volume, "volume"},
    {dim::pressure, "pressure", "Pa"},
    {dim::current, "current"},
    {dim::voltage, "voltage", "V"},
    {dim::resistance, "resistance", "ohm"},
    {dim::inductance, "inductance", "H"},
    {dim::capacitance, "capacitance", "F"},
    {dim::charge, "charge", "C"},
};

constexpr const char* symbols[] = {"kg", "m", "s", "A"};

void append_factor(std::string& product, const char* symbol, int power) {
  if (power == 0) return;
  if (!product.empty()) product += '*';
  product += symbol;
  if (power > 1) product += fmt::format("^{}", power);
}

}  // namespace

std::span<const NamedUnit> all_units() {
  return units;
}

std::optional<Unit> find_unit(std::string_view symbol) {
  for (const auto& u : units)
    if (u.symbol == symbol) return u.unit;
  return std::nullopt;
}

std::string to_text(Dimension d) {
  if (d == dim::none) return "a plain number";
  std::string above, below;
  for (std::size_t i = 0; i < d.power.size(); ++i) {
    append_factor(above, symbols[i], std::max<int>(d.power[i], 0));
    append_factor(below, symbols[i], std::max<int>(-d.power[i], 0));
  }
  std::string text = above.empty() ? "1" : above;
  const bool several = below.find('*') != std::string::npos;
  if (!below.empty()) text += several ? "/(" + below + ")" : "/" + below;
  for (const auto& n : names)
    if (n.dimension == d)
      return (n.unit != nullptr ? std::string(n.unit) : text) + " (" + n.name + ")";
  return text;
}

std::string si_unit(Dimension d) {
  if (d == dim::velocity) return "m/s";
  if (d == dim::acceleration) return "m/s^2";
  for (const auto& n : names)
    if (n.dimension == d && n.unit != nullptr) return n.unit;
  std::string unit;
  for (std::size_t i = 0; i < d.power.size(); ++i) {
    if (d.power[i] == 0) continue;
    unit += (unit.empty() ? "" : "*") + std::string(symbols[i]);
    if (d.power[i] != 1) unit += fmt::format("^{}", static_cast<int>(d.power[i]));
  }
  return unit;
}

Dimension per_second(Dimension d) {
  d.power[2] = static_cast<signed char>(d.power[2] - 1);
  return d;
}

}  // namespace cardan
