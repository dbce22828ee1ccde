#include "cardan/math/expression_failure.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cardan/math/expression_program.h"

namespace cardan {

namespace {

using Cause = FormulaFailure::Kind;

struct TracedValue {
  double x = 0;
  int failure = -1;  // of the list; -1: none
};

std::string shown_number(double x) {
  return fmt::format("{:.6g}", x);
}

FormulaFailure of_unary(Op op, double x) {
  switch (op) {
    case Op::sqrt:
      return {Cause::root, fmt::format("sqrt({})", shown_number(x))};
    case Op::log:
    case Op::log10:
      return {Cause::logarithm,
              fmt::format("{}({})", op == Op::log ? "log" : "log10", shown_number(x))};
    case Op::asin:
    case Op::acos:
      return {Cause::arc, fmt::format("{}({})", op == Op::asin ? "asin" : "acos", shown_number(x))};
    case Op::call:
      return {Cause::curve, fmt::format("its curve or table at {}", shown_number(x))};
    case Op::exp:
      return {Cause::overflow, fmt::format("exp({})", shown_number(x))};
    case Op::sinh:
    case Op::cosh:
      return {Cause::overflow,
              fmt::format("{}({})", op == Op::sinh ? "sinh" : "cosh", shown_number(x))};
    default:
      return {Cause::overflow, fmt::format("a value beyond all bounds at {}", shown_number(x))};
  }
}

FormulaFailure of_binary(Op op, double a, double b) {
  if (op == Op::divide)
    return {Cause::division, fmt::format("{}/{}", shown_number(a), shown_number(b))};
  if (op == Op::power)
    return {Cause::power, fmt::format("({})^{}", shown_number(a), shown_number(b))};
  if (op == Op::modulo)
    return {Cause::division, fmt::format("mod({}, {})", shown_number(a), shown_number(b))};
  return {
      Cause::overflow,
      fmt::format("a value beyond all bounds from {} and {}", shown_number(a), shown_number(b))};
}

// Runs the code and keeps for every value the operation from which it has none.
class Tracer {
 public:
  Tracer(const Expression::Program& program, CView variables)
      : program_(program), variables_(variables) {}

  std::optional<FormulaFailure> run() {
    for (const Instruction& i : program_.code) step(i);
    if (stack_.empty() || stack_.back().failure < 0) return {};
    return failures_[static_cast<std::size_t>(stack_.back().failure)];
  }

 private:
  void step(const Instruction& i) {
    const auto n = static_cast<std::size_t>(operands(i.op));
    if (stack_.size() < n) return;
    std::array<TracedValue, 5> of{};
    for (std::size_t k = 0; k < n; ++k) of[k] = stack_[stack_.size() - n + k];
    stack_.resize(stack_.size() - n);
    if (n == 0) return leaf(i);
    if (i.op == Op::select) return stack_.push_back(of[0].x != 0 ? of[1] : of[2]);
    TracedValue out;
    for (std::size_t k = 0; k < n; ++k)
      if (of[k].failure >= 0 && out.failure < 0) out.failure = of[k].failure;
    if (i.op == Op::call) {
      out.x = program_.functions[i.index]->at(of[0].x).f;
    } else if (n == 1) {
      out.x = unary_value(i.op, of[0].x);
    } else if (n == 2) {
      out.x = binary_value(i.op, of[0].x, of[1].x);
    } else {
      std::array<Instruction, 6> alone{};
      for (std::size_t k = 0; k < n; ++k) alone[k] = {Op::constant, 0, of[k].x};
      alone[n] = i;
      out.x = evaluate(std::span(alone).first(n + 1), program_.functions, variables_);
    }
    if (std::isfinite(out.x)) {
      out.failure = -1;  // min, max and comparisons may leave a bad operand out
    } else if (out.failure < 0) {
      failures_.push_back(n == 1 ? of_unary(i.op, of[0].x) : of_binary(i.op, of[0].x, of[1].x));
      out.failure = static_cast<int>(failures_.size()) - 1;
    }
    stack_.push_back(out);
  }

  void leaf(const Instruction& i) {
    TracedValue out;
    out.x = i.op == Op::constant ? i.value : variables_[i.index];
    if (!std::isfinite(out.x)) {
      failures_.push_back({Cause::argument, "an argument without a value"});
      out.failure = static_cast<int>(failures_.size()) - 1;
    }
    stack_.push_back(out);
  }

  const Expression::Program& program_;
  CView variables_;
  std::vector<TracedValue> stack_;
  std::vector<FormulaFailure> failures_;
};

}  // namespace

std::optional<FormulaFailure> failure_of(const Expression& formula, CView variables) {
  if (formula.program() == nullptr) return {};
  if (!std::isfinite(formula.value(variables))) return Tracer(*formula.program(), variables).run();
  std::vector<double> slopes(variables.size());
  formula.gradient(variables, slopes);
  for (std::size_t k = 0; k < slopes.size(); ++k)
    if (formula.uses(static_cast<int>(k)) && !std::isfinite(slopes[k]))
      return FormulaFailure{Cause::slope, "an infinite slope, as sqrt has at 0"};
  return {};
}

}  // namespace cardan
