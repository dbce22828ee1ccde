#pragma once
// A formula over intervals of its variables, and what its operations do there that may be flat in one
// place and change in another (exp, step, tables, comparisons, ...): what is narrow in a formula is
// narrow in one of them, or in what is made of them. Sums, products, powers of low degree, sine and
// cosine alone are flat nowhere.
#include <span>
#include <vector>

#include "cardan/math/centred_form.h"
#include "cardan/math/expression.h"

namespace cardan {

class FormulaRange {
 public:
  // moves[k]: variable k is looked at; behind the list, and where it is 0, what is narrow along the
  // variable does not count.
  FormulaRange(const Expression&, std::vector<char> moves);
  FormulaRange(FunctionPtr, std::vector<char> moves);  // of variable 0

  int hiding() const {
    return static_cast<int>(hiding_.size());
  }  // operations that may hide something

  // Whether one of them follows a condition (Expression::conditions): its value may jump, and runs
  // have an event there.
  bool switches(int k) const { return switches_[static_cast<std::size_t>(k)] != 0; }

  // The values of the formula along a way of length 2 half; those of the operations that may hide
  // something, one after the other.
  Reached over(std::span<const Reached> variables,
               double half,
               std::span<Reached> operations) const;

 private:
  void find_hiding();

  std::shared_ptr<const Expression::Program> program_;  // null: the constant 0
  std::vector<char> moves_;
  std::vector<std::size_t> hiding_;  // their places in the code
  std::vector<char> switches_;       // of hiding_
};

}  // namespace cardan
