#include "cardan/math/expression_parser.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace cardan {
namespace {

struct Operator {
  std::string_view sign;
  int level;
  Op op;
};

enum Level { or_level = 1, and_level, comparison_level, sum_level, product_level };

constexpr std::array operators{
    Operator{"or", or_level, Op::logical_or},
    Operator{"and", and_level, Op::logical_and},
    Operator{"<", comparison_level, Op::less},
    Operator{"<=", comparison_level, Op::less_equal},
    Operator{">", comparison_level, Op::greater},
    Operator{">=", comparison_level, Op::greater_equal},
    Operator{"==", comparison_level, Op::equal},
    Operator{"!=", comparison_level, Op::not_equal},
    Operator{"+", sum_level, Op::add},
    Operator{"-", sum_level, Op::subtract},
    Operator{"*", product_level, Op::multiply},
    Operator{"/", product_level, Op::divide},
};

const Operator* find_operator(const Token& token) {
  if (token.kind != Token::Kind::symbol && token.kind != Token::Kind::name) return nullptr;
  for (const auto& o : operators)
    if (o.sign == token.text) return &o;
  return nullptr;
}

}  // namespace

Result<Expression::Program> FormulaParser::parse() {
  if (lexer_.token().kind == Token::Kind::end) {
    report("syntax.expression", 0, "an empty formula", "a number or a formula");
    return faults_;
  }
  const Quantity q = formula(or_level);
  if (!stopped_ && lexer_.token().kind != Token::Kind::end)
    unexpected("an operator or the end", end_hint());
  if (faults_.empty() && code_.stack_height() > max_stack) {
    report("limit.expression",
           0,
           fmt::format("a formula with {} values at a time", code_.stack_height()),
           fmt::format("at most {}", max_stack),
           "split it with parameters or requests");
  }
  const auto bad = code_.first_not_finite();
  if (faults_.empty() && !excused_ && bad) {
    report("model.not-finite",
           *bad,
           "a division by zero, or an argument that the function has no value for",
           "a finite value");
  }
  if (!faults_.empty()) return std::move(faults_);
  Expression::Program program = code_.finish();
  program.dimension = excused_ ? dimension::none : q.dimension;
  program.plain = excused_ || q.kind != Quantity::Kind::fixed;
  if (!excused_) program.bare = q.bare;
  return program;
}

// What may have been meant by something that follows a whole formula.
std::string FormulaParser::end_hint() const {
  const Token& token = lexer_.token();
  if (token.is(",") && lexer_.next().token().kind == Token::Kind::number)
    return "the decimal sign is a point: 1.2";
  if (token.kind == Token::Kind::name && is_name(token.text))
    return fmt::format("write * before {}", token.text);
  if (token.kind == Token::Kind::name && find_unit(token.text))
    return "units are joined by *, as in kg*m^2";
  return {};
}

Quantity FormulaParser::formula(int level) {
  Quantity left = prefixed();
  int last_level = 0;
  while (!stopped_) {
    const Token sign = lexer_.token();
    const Operator* o = find_operator(sign);
    if (o == nullptr || o->level < level) break;
    if (o->level == comparison_level && last_level == comparison_level) {
      unexpected("one comparison at a time", "write a < b and b < c");
      break;
    }
    last_level = o->level;
    lexer_.advance();
    const Quantity right = formula(o->level + 1);
    if (stopped_) break;
    left = operated(sign, left, right);
    code_.operation(o->op, sign.at);
  }
  return left;
}

Quantity FormulaParser::operated(const Token& sign, const Quantity& left, const Quantity& right) {
  const Operator& o = *find_operator(sign);
  const std::string where = fmt::format("'{}'", sign.text);
  if (o.level == product_level) {
    Quantity q = product(left, right, o.op == Op::multiply ? 1 : -1);
    if (!q.possible)
      report("model.wrong-unit", sign.at, "a power of a unit beyond 60", "a physical quantity");
    return q.possible ? q : excused();
  }
  if (o.level <= and_level) {
    need_number(left, sign.at, where);
    need_number(right, sign.at, where);
    return {.varies = left.varies || right.varies, .pure = true};
  }
  const Quantity q = shared(left, right, sign.at, where);
  if (o.level == comparison_level) return {.varies = q.varies, .pure = true};
  return q;
}

Quantity FormulaParser::prefixed() {
  if (++depth_ > max_depth) {
    report("limit.expression",
           lexer_.token().at,
           fmt::format("more than {} nested levels", max_depth),
           "a flatter formula",
           "split it with parameters or requests");
    stop();
  }
  if (code_.emitted() > max_operations) {
    report("limit.expression",
           lexer_.token().at,
           fmt::format("more than {} numbers, names and operators", max_operations),
           "a shorter formula",
           "put long tables into a curve");
    stop();
  }
  const Quantity q = stopped_ ? excused() : negated();
  --depth_;
  return q;
}

Quantity FormulaParser::negated() {
  const Token sign = lexer_.token();
  const bool is_not = sign.is_name("not");
  if (!is_not && !sign.is("-") && !sign.is("+")) return powered();
  lexer_.advance();
  const Quantity q = is_not ? formula(comparison_level) : prefixed();
  if (stopped_) return excused();
  if (is_not) need_number(q, sign.at, "'not'");
  if (is_not) code_.operation(Op::logical_not, sign.at);
  if (sign.is("-")) code_.operation(Op::negate, sign.at);
  return is_not ? Quantity{.varies = q.varies, .pure = true} : q;
}

Quantity FormulaParser::powered() {
  const Quantity base = operand();
  const Token sign = lexer_.token();
  if (stopped_ || !sign.is("^")) return base;
  lexer_.advance();
  return power(base, sign.at);
}

Quantity FormulaParser::power(const Quantity& base, std::size_t at) {
  const std::size_t begin = code_.size();
  const Quantity exponent = prefixed();
  if (stopped_) return excused();
  need_number(exponent, at, "the exponent");
  const auto value = code_.constant_from(begin);
  Quantity q = base;
  if (value) {
    q = raised(base, *value);
  } else if (base.dimension != dimension::none) {
    q.possible = base.kind != Quantity::Kind::fixed;
    q.dimension = dimension::none;
  }
  if (!value) q.bare = {};
  if (!q.possible) {
    report("model.wrong-unit",
           at,
           fmt::format("a power of {}{}",
                       to_text(base),
                       value ? fmt::format(" to {:g}", *value) : " to a variable"),
           "a constant exponent that leaves whole powers of kg, m and s");
    q = excused();
  }
  q.varies = base.varies || exponent.varies;
  code_.operation(Op::power, at);
  return q;
}

Quantity FormulaParser::operand() {
  const Token token = lexer_.token();
  if (token.kind == Token::Kind::number) return number();
  if (token.kind == Token::Kind::name && find_operator(token) == nullptr) return name();
  if (!token.is("(")) {
    unexpected("a number, a name or '('");
    return excused();
  }
  lexer_.advance();
  const Quantity q = formula(or_level);
  expect(")");
  return q;
}

Quantity FormulaParser::shared(const Quantity& a,
                               const Quantity& b,
                               std::size_t at,
                               std::string_view where) {
  const Quantity q = common(a, b);
  if (q.possible) return q;
  report("model.wrong-unit",
         at,
         fmt::format("{} with {} and {}", where, to_text(a), to_text(b)),
         "quantities of one dimension");
  return excused();
}

void FormulaParser::need_number(const Quantity& q, std::size_t at, std::string_view where) {
  if (is_number(q)) return;
  std::string hint;
  if (q.dimension == dimension::time) hint = "multiply the time by a rate, as in sin(5 rad/s * t)";
  report("model.wrong-unit",
         at,
         fmt::format("{} of {}", where, to_text(q)),
         "a plain number or an angle",
         hint);
}

bool FormulaParser::expect(std::string_view symbol) {
  if (stopped_) return false;
  if (lexer_.token().is(symbol)) {
    lexer_.advance();
    return true;
  }
  unexpected(symbol == ")" ? "an operator or ')'" : fmt::format("'{}'", symbol));
  return false;
}

Quantity FormulaParser::excused() {
  excused_ = true;
  return {};
}

}  // namespace cardan
