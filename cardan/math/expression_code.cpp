#include "cardan/math/expression_code.h"

#include <algorithm>
#include <cmath>

namespace cardan {

void CodeBuilder::push(Instruction instruction, std::size_t at) {
  code_.push_back(instruction);
  at_.push_back(at);
  ++emitted_;
}

void CodeBuilder::constant(double value, std::size_t at) {
  push({Op::constant, 0, value}, at);
}

void CodeBuilder::variable(std::size_t index, std::size_t at) {
  push({Op::variable, static_cast<std::uint32_t>(index), 0}, at);
}

void CodeBuilder::call(FunctionPtr function, std::size_t at) {
  functions_.push_back(std::move(function));
  push({Op::call, static_cast<std::uint32_t>(functions_.size() - 1), 0}, at);
  fold(2);
}

void CodeBuilder::operation(Op op, std::size_t at) {
  push({op, 0, 0}, at);
  fold(static_cast<std::size_t>(operands(op)) + 1);
}

void CodeBuilder::select(std::size_t condition, std::size_t yes, std::size_t no, std::size_t at) {
  const bool known = yes == condition + 1 && code_[condition].op == Op::constant;
  if (known && !std::isnan(code_[condition].value)) {
    if (code_[condition].value != 0) {
      erase(no, code_.size());
      erase(condition, yes);
    } else {
      erase(condition, no);
    }
    return;
  }
  operation(Op::select, at);
}

void CodeBuilder::fold(std::size_t count) {
  if (code_.size() < count) return;
  const std::size_t begin = code_.size() - count;
  for (std::size_t i = begin; i + 1 < code_.size(); ++i)
    if (code_[i].op != Op::constant) return;
  const double value = evaluate(std::span(code_).subspan(begin), functions_, {});
  std::size_t at = at_.back();
  for (std::size_t i = begin; i + 1 < code_.size(); ++i) {
    if (!std::isfinite(code_[i].value)) {  // blame the first cause
      at = at_[i];
      break;
    }
  }
  erase(begin, code_.size());
  push({Op::constant, 0, value}, at);
  --emitted_;
}

void CodeBuilder::erase(std::size_t begin, std::size_t end) {
  const auto b = static_cast<std::ptrdiff_t>(begin), e = static_cast<std::ptrdiff_t>(end);
  code_.erase(code_.begin() + b, code_.begin() + e);
  at_.erase(at_.begin() + b, at_.begin() + e);
}

std::optional<double> CodeBuilder::constant_from(std::size_t begin) const {
  if (begin + 1 != code_.size() || code_[begin].op != Op::constant) return std::nullopt;
  return code_[begin].value;
}

void CodeBuilder::drop_from(std::size_t begin) {
  erase(begin, code_.size());
}

std::optional<std::size_t> CodeBuilder::first_not_finite() const {
  for (std::size_t i = 0; i < code_.size(); ++i)
    if (code_[i].op == Op::constant && !std::isfinite(code_[i].value)) return at_[i];
  return std::nullopt;
}

int CodeBuilder::stack_height() const {
  int height = 0, most = 0;
  for (const auto& instruction : code_) {
    height += 1 - operands(instruction.op);
    most = std::max(most, height);
  }
  return most;
}

Expression::Program CodeBuilder::finish() {
  Expression::Program program;
  program.functions = std::move(functions_);
  for (const auto& instruction : code_)
    if (instruction.op == Op::variable) program.variables.push_back(instruction.index);
  auto& used = program.variables;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  program.code = std::move(code_);
  return program;
}

}  // namespace cardan
