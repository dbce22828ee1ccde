#include "cardan/math/expression.h"

#include <algorithm>
#include <limits>

#include "cardan/math/expression_parser.h"
#include "cardan/math/formula_function.h"
#include "cardan/math/time_formula.h"

namespace cardan {
namespace {

class ExpressionFunction : public Function {
 public:
  explicit ExpressionFunction(Expression e) : expression_(std::move(e)), in_time_(expression_) {}

  Jet at(double x) const override { return expression_.jet({&x, 1}, 0); }

  bool constant() const override { return expression_.constant(); }

  Stretch over(const Interval& x) const override { return in_time_.over(x); }

  std::uint64_t piece(double x) const override { return in_time_.piece(x); }

  const Expression& formula() const { return expression_; }

 private:
  Expression expression_;
  TimeFormula in_time_;
};

}  // namespace

Expression::Expression(double constant) {
  auto program = std::make_shared<Program>();
  program->code.push_back({Op::constant, 0, constant});
  program_ = std::move(program);
}

Result<Expression> Expression::parse(std::string_view text,
                                     const Scope& scope,
                                     const SourcePos& where) {
  FormulaParser parser(text, scope, where);
  auto program = parser.parse();
  if (!program) return program.why();
  Expression e;
  e.program_ = std::make_shared<const Program>(std::move(program).value());
  return e;
}

bool Expression::constant() const {
  return !program_ || program_->variables.empty();
}

bool Expression::uses(int variable) const {
  if (!program_ || variable < 0) return false;
  const auto& used = program_->variables;
  return std::binary_search(used.begin(), used.end(), static_cast<std::uint32_t>(variable));
}

Dimension Expression::dimension() const {
  return program_ ? program_->dimension : dimension::none;
}

bool Expression::plain() const {
  return !program_ || program_->plain;
}

FunctionPtr as_function(Expression e) {
  return std::make_shared<ExpressionFunction>(std::move(e));
}

const Expression* formula_of(const Function& function) {
  const auto* made = dynamic_cast<const ExpressionFunction*>(&function);
  return made != nullptr ? &made->formula() : nullptr;
}

std::vector<std::string> names_in(std::string_view text) {
  Scope scope;  // accepts every name
  scope.constant = [](std::string_view) {
    return Scope::Constant{std::numeric_limits<double>::quiet_NaN(), {}, true};
  };
  const SourcePos nowhere;
  FormulaParser parser(text, scope, nowhere);
  (void)parser.parse();
  std::vector<std::string> names = parser.mentioned();
  std::erase(names, "pi");
  return names;
}

}  // namespace cardan
