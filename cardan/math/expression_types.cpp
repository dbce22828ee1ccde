#include "cardan/math/expression_types.h"

#include <cmath>

#include "cardan/math/elementary.h"

namespace cardan {
namespace {

using Kind = Quantity::Kind;
constexpr int many = 1 << 30;

constexpr FunctionRule rules[] = {
    {"sin", Op::sin, 1, 1, Rule::number, "sin(angle)"},
    {"cos", Op::cos, 1, 1, Rule::number, "cos(angle)"},
    {"tan", Op::tan, 1, 1, Rule::number, "tan(angle)"},
    {"asin", Op::asin, 1, 1, Rule::number, "asin(x)"},
    {"acos", Op::acos, 1, 1, Rule::number, "acos(x)"},
    {"atan", Op::atan, 1, 1, Rule::number, "atan(x)"},
    {"sinh", Op::sinh, 1, 1, Rule::number, "sinh(x)"},
    {"cosh", Op::cosh, 1, 1, Rule::number, "cosh(x)"},
    {"tanh", Op::tanh, 1, 1, Rule::number, "tanh(x)"},
    {"exp", Op::exp, 1, 1, Rule::number, "exp(x)"},
    {"log", Op::log, 1, 1, Rule::number, "log(x)"},
    {"log10", Op::log10, 1, 1, Rule::number, "log10(x)"},
    {"floor", Op::floor, 1, 1, Rule::number, "floor(x)"},
    {"ceil", Op::ceil, 1, 1, Rule::number, "ceil(x)"},
    {"sign", Op::sign, 1, 1, Rule::any, "sign(x)"},
    {"heaviside", Op::heaviside, 1, 1, Rule::any, "heaviside(x)"},
    {"abs", Op::absolute, 1, 1, Rule::keep, "abs(x)"},
    {"sqrt", Op::sqrt, 1, 1, Rule::root, "sqrt(x)"},
    {"min", Op::minimum, 1, many, Rule::alike, "min(x, y, ...)"},
    {"max", Op::maximum, 1, many, Rule::alike, "max(x, y, ...)"},
    {"clamp", Op::maximum, 3, 3, Rule::alike, "clamp(x, lowest, highest)"},
    {"mod", Op::modulo, 2, 2, Rule::alike, "mod(x, period)"},
    {"hypot", Op::hypot, 2, 2, Rule::alike, "hypot(x, y)"},
    {"deadband", Op::deadband, 2, 2, Rule::alike, "deadband(x, width)"},
    {"atan2", Op::atan2, 2, 2, Rule::ratio, "atan2(y, x)"},
    {"if", Op::select, 3, 3, Rule::select, "if(condition, then, else)"},
    {"step", Op::step, 5, 5, Rule::step, "step(x, x0, h0, x1, h1)"},
    {"step5", Op::step5, 5, 5, Rule::step, "step5(x, x0, h0, x1, h1)"},
    {"table", Op::call, 5, many, Rule::table, "table(x, x1, y1, x2, y2, ...)"},
};

}  // namespace

// A time, varying or not, counts as 1 of what moves.
BareNumbers bare_quantity(double value, Dimension dimension, bool plain) {
  if (plain) return {std::abs(value), 0};
  return dimension == dimension::time ? BareNumbers{0, 1} : BareNumbers{};
}

// A bare number that does not vary is a number beside what is one.
bool is_pure(const Quantity& q) {
  return q.kind == Kind::plain && (q.pure || !q.varies);
}

Quantity common(const Quantity& a, const Quantity& b) {
  const bool varies = a.varies || b.varies;
  Quantity q = a.kind >= b.kind ? a : b;  // the more definite of the two
  q.varies = varies;
  q.pure = is_pure(a) && is_pure(b) && varies;
  q.possible = a.kind != Kind::fixed || b.kind != Kind::fixed || a.dimension == b.dimension;
  q.bare = {std::fmax(a.bare.still, b.bare.still), std::fmax(a.bare.moving, b.bare.moving)};
  return q;
}

Quantity product(const Quantity& a, const Quantity& b, int sign) {
  Quantity q;
  q.bare = sign > 0 ? a.bare * b.bare : a.bare / b.bare;
  q.varies = a.varies || b.varies;
  const auto dimension = multiply(a.dimension, b.dimension, sign);
  q.possible = dimension.has_value();
  if (dimension) q.dimension = *dimension;
  if (a.kind == Kind::fixed && b.kind == Kind::fixed) {
    q.kind = Kind::fixed;
  } else if (a.kind == Kind::plain && b.kind == Kind::plain) {
    q.kind = Kind::plain;
    q.pure = is_pure(a) && is_pure(b) && q.varies;
  } else {
    const auto unit = [](const Quantity& one, const Quantity& other) {
      return one.kind == Kind::fixed && !one.varies && is_pure(other);
    };
    q.kind = q.varies && !unit(a, b) && !unit(b, a) ? Kind::adapting : Kind::fixed;
  }
  return q;
}

Quantity raised(const Quantity& base, double exponent) {
  Quantity q = base;
  q.bare = {};
  if (exponent > 0)
    q.bare = {elementary::pow(base.bare.still, exponent),
              elementary::pow(base.bare.moving, exponent)};
  for (std::size_t i = 0; i < base.dimension.power.size(); ++i) {
    const double power = base.dimension.power[i] * exponent;
    const double whole = std::round(power);
    if (std::abs(power - whole) > 1e-9 || std::abs(whole) > 60)
      q.possible = false;
    else
      q.dimension.power[i] = static_cast<signed char>(whole);
  }
  if (base.kind == Kind::fixed) return q;
  if (!q.possible) q.dimension = dimension::none;  // unit understood
  q.possible = true;
  return q;
}

bool is_number(const Quantity& q) {
  return q.kind != Kind::fixed || q.dimension == dimension::none;
}

std::string to_text(const Quantity& q) {
  return to_text(q.dimension);
}

std::optional<Dimension> multiply(Dimension a, Dimension b, int power) {
  Dimension d;
  for (std::size_t i = 0; i < a.power.size(); ++i) {
    const int p = a.power[i] + power * b.power[i];
    if (std::abs(p) > 60) return std::nullopt;
    d.power[i] = static_cast<signed char>(p);
  }
  return d;
}

std::span<const FunctionRule> function_rules() {
  return rules;
}

const FunctionRule* find_function(std::string_view name) {
  for (const auto& rule : rules)
    if (rule.name == name) return &rule;
  return nullptr;
}

}  // namespace cardan
