#include "cardan/model/block_types.h"

#include <algorithm>

#include "cardan/model/key_parts.h"

namespace cardan {

namespace {

namespace dim = dimension;
using enum ValueKind;
using key_parts::free_number, key_parts::number_key;

constexpr Dimension motor_constant{{1, 2, -2, -1}}, flow{{0, 3, -1}}, leakage{{-1, 4, 1}};

KeySpec signal(std::string_view name, std::string_view doc) {
  return {.name = name, .kind = formula, .doc = doc};
}

KeySpec unit_key(std::string_view otherwise) {
  return {.name = "unit", .kind = text, .otherwise = otherwise, .doc = "SI unit of the output"};
}

KeySpec initial_key() {
  return free_number("initial", "0", "output at the start");
}

std::vector<BlockSpec> make_blocks() {
  std::vector<BlockSpec> all;
  all.push_back({"integrator",
                 "Integral of a formula: `NAME` is a state with the rate `input`.",
                 {signal("input", "what is integrated"),
                  free_number("initial", "0", "value at the start"),
                  unit_key("that of `initial`")}});
  all.push_back({"first-order",
                 "First-order filter (low pass): `time_constant * NAME' + NAME = gain * input`.",
                 {signal("input", "what is filtered"),
                  number_key("time_constant", dim::time, "", "time constant", Range::positive),
                  free_number("gain", "1", "output over input in the steady state"),
                  initial_key(),
                  unit_key("that of `initial`")}});
  all.push_back(
      {"second-order",
       "Second-order filter: `NAME'' + 2 damping frequency NAME' + frequency^2 NAME = "
       "gain frequency^2 input`. `NAME.rate` is the rate of `NAME`.",
       {signal("input", "what is filtered"),
        number_key("frequency", dim::rate, "", "natural frequency in rad/s", Range::positive),
        number_key("damping", dim::none, "", "damping ratio", Range::not_negative),
        free_number("gain", "1", "output over input in the steady state"),
        initial_key(),
        unit_key("that of `initial`")}});
  all.push_back(
      {"pid",
       "PID controller: `NAME = kp e + NAME.integral + kd e'` with the error `NAME.error`. With "
       "`filter_time` the derivative is that of the filtered error. With limits the output is "
       "`NAME.raw` kept between them, and the integral rests while it would grow beyond them.",
       {signal("error", "what shall become zero"),
        free_number("kp", "0", "gain of the error"),
        free_number("ki", "0", "gain of its integral"),
        free_number("kd", "0", "gain of its derivative"),
        number_key("filter_time",
                   dim::time,
                   "no filter",
                   "time constant of the derivative's filter",
                   Range::positive),
        free_number("lower", "no limit", "lowest output"),
        free_number("upper", "no limit", "highest output"),
        free_number("initial", "0", "`NAME.integral` at the start"),
        unit_key("that of `initial`")}});
  all.push_back({"transfer-function",
                 "`NAME` = numerator(s) / denominator(s) of the input, from rest. The states are "
                 "`NAME.x1`, `NAME.x2`, ...",
                 {signal("input", "what goes in"),
                  {.name = "numerator",
                   .kind = numbers,
                   .doc = "coefficients in SI units, highest power of s first"},
                  {.name = "denominator",
                   .kind = numbers,
                   .doc = "the same; its degree is at least that of the numerator, and 1"},
                  unit_key("none")}});
  all.push_back(
      {"dc-motor",
       "Direct-current motor with constant magnets: `inductance i' = voltage - resistance i - "
       "constant speed`. `NAME.current` is a state, `NAME.torque = constant i` the torque on the "
       "rotor.",
       {signal("voltage", "at the terminals"),
        signal("speed", "of the rotor, such as `rate(NAME OF AN ANGLE REQUEST)`"),
        number_key("resistance", dim::resistance, "", "of the winding", Range::positive),
        number_key("inductance", dim::inductance, "", "of the winding", Range::positive),
        number_key("constant",
                   motor_constant,
                   "",
                   "torque per current, and voltage per speed",
                   Range::positive),
        number_key("initial", dim::current, "0", "current at the start")}});
  all.push_back(
      {"hydraulic-cylinder",
       "Cylinder with two chambers of compressible oil behind a servo valve. `NAME.pa` and "
       "`NAME.pb` are states, the pressures on the piston's side without and with the rod; "
       "`NAME.force = pa Aa - pb Ab` pushes the rod out. `pa' = bulk_modulus/Va (Qa - Aa x')` "
       "with `Va = dead_volume + Aa x`, and the same with `stroke - x` on the other side. A valve "
       "opened by u > 0 connects the first chamber with the supply and the second with the tank; "
       "u < 0 the other way round. `Q = valve_flow u sqrt(dp / valve_drop)`, linear in dp within a "
       "hundredth of `valve_drop`.",
       {signal("position", "x of the piston: 0 when the rod is in, `stroke` when it is out"),
        signal("opening", "u of the valve, from -1 to 1"),
        number_key("bore", dim::length, "", "diameter of the piston", Range::positive),
        number_key("rod", dim::length, "0", "diameter of the rod", Range::not_negative),
        number_key("stroke", dim::length, "", "largest position", Range::positive),
        number_key("dead_volume",
                   dim::volume,
                   "",
                   "oil in each chamber beyond the stroke",
                   Range::positive),
        number_key("bulk_modulus", dim::pressure, "1.4e9 Pa", "of the oil", Range::positive),
        number_key("supply", dim::pressure, "", "pressure of the pump", Range::positive),
        number_key("tank", dim::pressure, "0", "pressure of the tank", Range::not_negative),
        number_key(
            "valve_flow", flow, "", "through the open valve at `valve_drop`", Range::positive),
        number_key(
            "valve_drop", dim::pressure, "", "pressure drop at `valve_flow`", Range::positive),
        number_key(
            "leakage", leakage, "0", "flow past the piston per pressure", Range::not_negative),
        {.name = "initial",
         .kind = numbers,
         .dimensions = {dim::pressure, dim::pressure},
         .otherwise = "[0, 0]",
         .doc = "pressures `pa` and `pb` at the start"}}});
  return all;
}

}  // namespace

const std::vector<BlockSpec>& block_types() {
  static const std::vector<BlockSpec> all = make_blocks();
  return all;
}

const BlockSpec* find_block_type(std::string_view type) {
  const auto& all = block_types();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const BlockSpec& s) { return s.type == type; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace cardan
