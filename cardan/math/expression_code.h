#pragma once
// Collects the instructions of a formula and folds what is constant. Internal to the expression
// files.
#include <optional>
#include <vector>

#include "cardan/math/expression_program.h"

namespace cardan {

class CodeBuilder {
 public:
  void constant(double value, std::size_t at);
  void variable(std::size_t index, std::size_t at);
  void call(FunctionPtr, std::size_t at);  // of the last value
  void operation(Op, std::size_t at);      // of the last values
  // if(condition, yes, no), whose parts start there: a condition known now leaves one branch.
  void select(std::size_t condition, std::size_t yes, std::size_t no, std::size_t at);

  std::size_t size() const { return code_.size(); }

  int emitted() const { return emitted_; }

  // The value of the code from `begin` on, when that is one constant.
  std::optional<double> constant_from(std::size_t begin) const;
  void drop_from(std::size_t begin);

  std::optional<std::size_t> first_not_finite() const;  // where in the formula
  int stack_height() const;                             // the most values at a time
  Expression::Program finish();

 private:
  void push(Instruction, std::size_t at);
  void fold(std::size_t count);  // the last instructions, into one constant
  void erase(std::size_t begin, std::size_t end);

  std::vector<Instruction> code_;
  std::vector<std::size_t> at_;
  std::vector<FunctionPtr> functions_;
  int emitted_ = 0;
};

}  // namespace cardan
