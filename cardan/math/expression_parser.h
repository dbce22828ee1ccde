#pragma once
// Recursive descent over a formula, from the loosest operator to the tightest:
//   or | and | not | < <= > >= == != | + - | * / | - (sign) | ^ (from the right)
// A fault of grammar ends the parse; unknown names and wrong units are collected. Internal to the
// expression files.
#include <string>
#include <string_view>
#include <vector>

#include "cardan/math/expression_code.h"
#include "cardan/math/expression_lexer.h"
#include "cardan/math/expression_types.h"

namespace cardan {

struct CompoundUnit {  // factor to SI as a fraction
  double above = 1, below = 1;
  Dimension dimension;
};

class FormulaParser {
 public:
  FormulaParser(std::string_view text, const Scope& scope, const SourcePos& where)
      : text_(text), scope_(scope), where_(where), lexer_(text) {}

  Result<Expression::Program> parse();

  const std::vector<std::string>& mentioned() const { return mentioned_; }

 private:
  // Operators. level: the loosest that may be taken.
  Quantity formula(int level);
  Quantity operated(const Token& sign, const Quantity& left, const Quantity& right);
  Quantity prefixed();
  Quantity negated();
  Quantity powered();
  Quantity power(const Quantity& base, std::size_t at);
  Quantity operand();

  // Numbers with units (expression_quantity.cpp).
  Quantity number();
  bool unit_follows() const;
  CompoundUnit unit();
  bool unit_factor(CompoundUnit& product, int sign);
  int unit_exponent();
  bool is_name(std::string_view) const;

  // Names and calls (expression_call.cpp).
  Quantity name();
  Quantity named(const Token& word, const std::string& spelling);
  Quantity rate_of();
  Quantity call(const Token& word);
  Quantity call_curve(const Token& word, FunctionPtr);
  Quantity call_unknown(const Token& word);
  Quantity alike(const FunctionRule&, std::size_t at);
  Quantity selection(std::size_t at);
  Quantity smooth_step(const FunctionRule&, std::size_t at);
  Quantity table(std::size_t at);
  Quantity argument();  // with the comma before it, when it is not the first
  void close_call(const FunctionRule&);
  Quantity shared(const Quantity& a, const Quantity& b, std::size_t at, std::string_view where);
  void need_number(const Quantity&, std::size_t at, std::string_view where);

  // Faults.
  void report(std::string id,
              std::size_t at,
              std::string found,
              std::string expected,
              std::string hint = {});
  std::string end_hint() const;
  void unexpected(const std::string& expected, const std::string& hint = {});
  void stop();
  SourcePos position(std::size_t at) const;
  std::vector<std::string> candidates(bool functions) const;
  bool expect(std::string_view symbol);
  Quantity excused();  // after a fault: anything goes

  std::string_view text_;
  const Scope& scope_;
  const SourcePos& where_;
  Lexer lexer_;
  CodeBuilder code_;
  Diagnostics faults_;
  std::vector<std::string> mentioned_;
  int depth_ = 0;
  int arguments_ = 0;  // of the call being read
  bool stopped_ = false;
  bool excused_ = false;
};

}  // namespace cardan
