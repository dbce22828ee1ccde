#pragma once
// The dimension of every part of a formula, and how operators and functions combine dimensions.
// Internal to the expression files.
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cardan/base/units.h"
#include "cardan/math/bare_numbers.h"
#include "cardan/math/expression_program.h"

namespace cardan {

// plain: a bare number, fits any dimension. adapting: a varying quantity times a bare number, whose
// unit is understood
// ("2*t" for an angle): it has a dimension of its own but takes that of its neighbour. fixed:
// neither. pure: plain, and a number whatever its neighbour is, as sin(x) is: 5 N*sin(2 rad/s*t) is a force.
struct Quantity {
  enum class Kind { plain, adapting, fixed };
  Kind kind = Kind::plain;
  Dimension dimension{};
  bool varies = false;
  bool pure = false;
  bool possible = true;  // false: the dimension could not be worked out
  BareNumbers bare{};
};

BareNumbers bare_quantity(double value, Dimension, bool plain);
Quantity common(const Quantity& a, const Quantity& b);  // of things added or compared
Quantity product(const Quantity& a, const Quantity& b, int sign);
Quantity raised(const Quantity& base, double exponent);
bool is_pure(const Quantity&);
bool is_number(const Quantity&);  // may stand where a dimension makes no sense, as in sin(x)
std::string to_text(const Quantity&);

std::optional<Dimension> multiply(Dimension a,
                                  Dimension b,
                                  int power);  // a*b^power; nullopt: absurdly high

enum class Rule {
  number,  // f(number) -> number
  any,     // f(anything) -> number
  keep,    // f(x) -> like x
  root,    // f(x) -> half the powers of x
  alike,   // f(x, y, ...) of one dimension, which is the result's
  ratio,   // f(x, y) of one dimension -> number
  select,  // if
  step,    // step(x, x0, h0, x1, h1)
  table,   // table(x, x1, y1, ...)
};

struct FunctionRule {
  std::string_view name;
  Op op;
  int least, most;  // arguments
  Rule rule;
  std::string_view usage;
};

std::span<const FunctionRule> function_rules();
const FunctionRule* find_function(std::string_view name);

}  // namespace cardan
