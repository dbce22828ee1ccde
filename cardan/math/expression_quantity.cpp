// Numbers with units: "35 mm", "9.81 m/s^2", "3 1/s". A unit follows its number directly and goes
// on over * / and ^ as long as unit symbols follow. It binds tighter than every operator: 1/2 m is
// 1/(2 m). The symbol t (tonne) is a unit only directly after the number, so that "3 rad/s*t" is
// what it looks like.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/math/expression_parser.h"
#include "cardan/math/unit_words.h"

namespace cardan {

namespace {

// What may have been meant by a word behind a number.
std::string unit_hint(const Token& number, const Token& word) {
  std::vector<std::string> symbols;
  for (const NamedUnit& u : all_units()) symbols.emplace_back(u.symbol);
  const std::string text(word.text.substr(0, 40));
  if (const std::string meant = meant_unit(text); !meant.empty())
    return fmt::format("'{}' is no unit here; did you mean {}?", text, meant);
  if (text == "kgf" || text == "kp")
    return fmt::format("'{}' is no unit; 1 {} is 9.80665 N", text, text);
  const std::string near = nearest_name(text, symbols);
  const bool alike = !near.empty() && near.size() + 1 >= text.size() && text.size() <= 4;
  if (alike) return fmt::format("'{}' is no unit; did you mean {}?", text, near);
  return fmt::format("write {}*{}, or a unit such as mm", number.text, text);
}

}  // namespace

Quantity FormulaParser::number() {
  const Token literal = lexer_.token();
  lexer_.advance();
  if (!unit_follows()) {
    const Token next = lexer_.token();
    const bool word = next.kind == Token::Kind::name && !next.is_name("and") && !next.is_name("or");
    if (word) {
      unexpected("a unit or an operator after the number", unit_hint(literal, next));
      return excused();
    }
    code_.constant(literal.value, literal.at);
    return {.bare = bare_quantity(literal.value, dimension::none, true)};
  }
  const CompoundUnit u = unit();
  code_.constant(literal.value * u.above / u.below, literal.at);
  return {.kind = Quantity::Kind::fixed,
          .dimension = u.dimension,
          .bare = bare_quantity(literal.value, u.dimension, false)};
}

bool FormulaParser::unit_follows() const {
  const Token& token = lexer_.token();
  if (token.kind == Token::Kind::name) return find_unit(token.text).has_value();
  if (token.kind != Token::Kind::number || token.text != "1") return false;
  const Lexer slash = lexer_.next();
  return slash.token().is("/") && find_unit(slash.next().token().text).has_value();
}

CompoundUnit FormulaParser::unit() {
  CompoundUnit product;
  if (lexer_.token().kind == Token::Kind::number) {
    lexer_.advance();  // the 1 of 1/s
  } else if (!unit_factor(product, 1)) {
    return product;
  }
  while (!stopped_) {
    const Token sign = lexer_.token();
    if (!sign.is("*") && !sign.is("/")) break;
    const Lexer ahead = lexer_.next();
    const Token& symbol = ahead.token();
    if (symbol.kind != Token::Kind::name || symbol.text == "t" || !find_unit(symbol.text)) break;
    if (ahead.next().token().is("(")) break;  // a function that is spelt like a unit: min(...)
    // Areas are called A, heights H and volumes V: electrical symbols give way to such names.
    if (find_unit(symbol.text)->dimension.power[3] != 0 && is_name(symbol.text)) break;
    if (is_name(symbol.text)) {
      report("model.ambiguous-unit",
             symbol.at,
             fmt::format("'{}', which is both a unit and a name of the model", symbol.text),
             "one meaning",
             fmt::format("for the name put the quantity before it into brackets, as in (2 "
                         "N){0}{1}; for the unit write "
                         "(1 {1}); or rename '{1}'",
                         sign.text,
                         symbol.text));
    }
    lexer_.advance();
    if (!unit_factor(product, sign.is("*") ? 1 : -1)) break;
  }
  return product;
}

// Multiplies by the unit at hand with its exponent.
bool FormulaParser::unit_factor(CompoundUnit& product, int sign) {
  const Token symbol = lexer_.token();
  const Unit u = *find_unit(symbol.text);
  lexer_.advance();
  const int exponent = sign * unit_exponent();
  if (stopped_) return false;
  const auto d = multiply(product.dimension, u.dimension, exponent);
  if (!d) {
    report("model.wrong-unit", symbol.at, "a power of a unit beyond 60", "a physical quantity");
    excused();
    return false;
  }
  product.dimension = *d;
  // 1e-3 has no exact double, 1000 has: divide where the inverse is whole, so that 35 mm is exactly
  // 0.035.
  const double inverse = std::round(1 / u.factor);
  const bool small = u.factor < 1 && 1 / inverse == u.factor;
  for (int i = 0; i < std::abs(exponent); ++i)
    ((exponent > 0) != small ? product.above : product.below) *= small ? inverse : u.factor;
  return true;
}

// "^2", "^-3" or nothing. What else may follow ^ would raise the number too, which nobody could
// tell from the text.
int FormulaParser::unit_exponent() {
  if (!lexer_.token().is("^")) return 1;
  lexer_.advance();
  const bool negative = lexer_.token().is("-");
  if (negative) lexer_.advance();
  const Token digits = lexer_.token();
  const bool whole = digits.kind == Token::Kind::number && digits.text.size() <= 2 &&
                     digits.text.find_first_not_of("0123456789") == digits.text.npos;
  if (!whole) {
    unexpected("a whole number as exponent of the unit",
               "to raise the quantity, put it into brackets: (2 m)^n");
    return 1;
  }
  lexer_.advance();
  if (lexer_.token().is("^")) unexpected("one exponent on a unit");
  const int exponent = static_cast<int>(digits.value);
  return negative ? -exponent : exponent;
}

bool FormulaParser::is_name(std::string_view word) const {
  const auto same = [&](const auto& v) {
    return v.name == word;
  };
  if (std::any_of(scope_.variables.begin(), scope_.variables.end(), same)) return true;
  if (scope_.known) return scope_.known(word);
  if (!scope_.names) return false;
  const auto names = scope_.names();
  return std::find(names.begin(), names.end(), word) != names.end();
}

}  // namespace cardan
