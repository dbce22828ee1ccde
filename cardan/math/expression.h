#pragma once
// Formulas of the model file: parsed once, evaluated many times, with exact derivatives.
// Grammar, functions, units and limits: docs/user-guide/expressions.md.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/base/units.h"
#include "cardan/math/function.h"
#include "cardan/math/types.h"

namespace cardan {

// The names a formula may use. A constant has its value now; a variable gets it at every evaluation.
struct Scope {
  struct Constant {
    double value = 0;  // SI
    Dimension dimension;
    bool plain = false;  // a bare number: takes the dimension of what it is added to or assigned to
  };
  // Looked up on demand, so that parameters may be evaluated lazily and cycles found. nullopt: unknown name.
  std::function<std::optional<Constant>(std::string_view)> constant;
  struct Variable {
    std::string name;
    Dimension dimension;
  };
  std::vector<Variable> variables;  // index = position in the evaluation's argument
  std::function<FunctionPtr(std::string_view)> curve;  // curves of the model, callable by name
  std::function<std::vector<std::string>()> names;      // for "did you mean"
};

class Expression {
 public:
  Expression() = default;  // the constant 0
  explicit Expression(double constant);

  // Errors carry `where` shifted by the column inside the text.
  static Result<Expression> parse(std::string_view text, const Scope& scope, const SourcePos& where);

  bool constant() const;                   // uses no variable
  bool uses(int variable) const;
  Dimension dimension() const;
  bool plain() const;                      // bare number: any dimension
  double value(CView variables) const;     // no allocation, no exceptions; NaN outside a function's domain
  double gradient(CView variables, View d) const;    // value; d[k] = derivative to variable k
  Jet jet(CView variables, int k) const;              // value and first two derivatives to variable k

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
};

// f(x) of an expression in which only variable 0 occurs.
FunctionPtr as_function(Expression);

}  // namespace cardan
