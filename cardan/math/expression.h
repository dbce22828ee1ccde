#pragma once
// Formulas of the model file: parsed once, evaluated many times, with exact derivatives.
// Grammar, functions, units and limits: docs/user-guide/expressions.md.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/base/units.h"
#include "cardan/math/function.h"
#include "cardan/math/types.h"

namespace cardan {

// The names a formula may use. A constant has its value now; a variable gets it at every
// evaluation.
struct Scope {
  struct Constant {
    // SI. NaN: the name exists, but its own definition is at fault and has been reported there; the
    // formula is accepted without a second complaint, evaluates to NaN and fits any dimension.
    double value = 0;
    Dimension dimension;
    bool plain = false;  // a bare number: takes the dimension of what it is added to or assigned to
  };

  // Looked up on demand, so that parameters may be evaluated lazily and cycles found. nullopt:
  // unknown name.
  std::function<std::optional<Constant>(std::string_view)> constant;

  struct Variable {
    std::string name;
    Dimension dimension;
  };

  std::vector<Variable> variables;  // index = position in the evaluation's argument
  std::function<FunctionPtr(std::string_view)> curve;  // curves of the model, callable by name
  std::function<std::vector<std::string>()> names;     // for "did you mean"
  // Is this a constant or a curve? Asked without evaluating it, where a unit symbol might also be a
  // name. When empty, names() is searched.
  std::function<bool(std::string_view)> known;
};

class Expression {
 public:
  Expression() = default;  // the constant 0
  explicit Expression(double constant);

  // Errors carry `where` shifted by the column inside the text.
  static Result<Expression> parse(std::string_view text,
                                  const Scope& scope,
                                  const SourcePos& where);

  bool constant() const;  // uses no variable
  bool uses(int variable) const;
  Dimension dimension() const;
  // Fits any dimension: a bare number, or a varying quantity times one ("2*t": the unit of 2 is
  // understood).
  bool plain() const;
  // Conditions: comparisons, sign and heaviside of what varies, in which the formula may jump. In a
  // list of sides their places begin at a number given once. Where sides are given, a condition
  // answers as on its side (-1, 1) whatever its operands are; 0, or no list: by its operands.
  using Sides = std::span<const int>;
  int conditions() const;

  void number_conditions(int first) { first_condition_ = first; }

  // The conditions' differences of operands, into their places of out: positive on side 1.
  void condition_values(CView variables, Sides, View out) const;

  // No allocation, no exceptions; NaN outside a function's domain.
  double value(CView variables, Sides = {}) const;
  double gradient(CView variables,
                  View d,
                  Sides = {}) const;      // value; d[k] = derivative to variable k
  Jet jet(CView variables, int k) const;  // value and first two derivatives to variable k
  // Value, gradient and the gradient of the slope along w: bend[k] = sum_i f_ki w_i.
  double bend(CView variables, CView w, View d, View bend, Sides = {}) const;

  struct Program;

  const std::shared_ptr<const Program>& program() const { return program_; }  // null: constant 0

 private:
  std::shared_ptr<const Program> program_;
  int first_condition_ = 0;
};

// f(x) of an expression in which only variable 0 occurs.
FunctionPtr as_function(Expression);

// The names a formula mentions, each once, in order of appearance: without functions, units after a
// number and pi; for rate(x) it is x. A formula that does not parse gives what could be
// recognised.
std::vector<std::string> names_in(std::string_view text);

}  // namespace cardan
