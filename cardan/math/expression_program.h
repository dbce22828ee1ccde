#pragma once
// The compiled form of a formula: postfix code for a stack machine. Internal to the expression
// files.
#include <cstdint>
#include <span>
#include <vector>

#include "cardan/math/bare_numbers.h"
#include "cardan/math/expression.h"

namespace cardan {

enum class Op : std::uint8_t {
  constant,
  variable,
  call,  // a function of one variable: curve or table
  // one operand
  negate,
  logical_not,
  absolute,
  sign,
  heaviside,
  floor,
  ceil,
  sqrt,
  exp,
  log,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  smooth3,  // 0 below 0, 3u^2 - 2u^3, 1 above 1
  smooth5,  // 0 below 0, 10u^3 - 15u^4 + 6u^5, 1 above 1
  // two operands
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  minimum,
  maximum,
  modulo,
  atan2,
  hypot,
  deadband,
  // three and five operands
  select,
  step,
  step5,
};

constexpr int operands(Op op) {
  if (op < Op::call) return 0;
  if (op < Op::add) return 1;
  if (op < Op::select) return 2;
  return op == Op::select ? 3 : 5;
}

struct Instruction {
  Op op = Op::constant;
  std::uint32_t index = 0;  // of the variable or the function called
  double value = 0;         // of the constant
};

// Limits of a formula; what exceeds them is refused with limit.expression.
inline constexpr int max_depth = 200;         // nested brackets, calls and signs
inline constexpr int max_operations = 10000;  // names, numbers and operators
inline constexpr int max_stack = 256;         // intermediate values at a time

struct Expression::Program {
  std::vector<Instruction> code;
  std::vector<FunctionPtr> functions;
  std::vector<std::uint32_t> variables;  // those used, ascending
  Dimension dimension;
  bool plain = true;
  BareNumbers bare{};
};

// Values and derivatives of the operations; NaN in, NaN out.
double unary_value(Op op, double x);
Jet unary_jet(Op op, double x);
double unary_third(Op op, double x);  // third derivative
double binary_value(Op op, double a, double b);

struct Partials {  // of f(a, b)
  double f = 0, a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};

Partials binary_partials(Op op, double a, double b);  // except of sums and products

// Runs code that leaves one value.
double evaluate(std::span<const Instruction> code,
                std::span<const FunctionPtr> functions,
                CView variables);

}  // namespace cardan
