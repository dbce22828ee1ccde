#pragma once
// A system of differential equations written as formulas:
//   r = hypot(x, y)                   a definition, for the equations after it
//   x'' = -x / r^3                    second order: x and x' are components
//   m*x'' = -k*x                      the same with a factor, which both sides are divided by
//   z' = -k*z + x'                    first order
//   m1*x'' + c*cos(x - y)*y'' = ...   linear in the highest derivatives: a mass matrix M(t, y), solved
//                                     for them in every evaluation
//   0 = x + y - 1                     an algebraic equation, one for each variable without derivative
// M may be singular, and a factor on the left may be 0: formula_singular.cpp.
// Components are the variables in the order of their equations, then the rates of the second-order
// ones; where all equations are of second order the problem also has that form, for the methods
// that want positions and velocities. Derivatives of the formulas are exact.
#include <map>

#include "cardan/math/expression.h"
#include "cardan/ode/second_order/second_order.h"

namespace cardan {

struct NamedText {
  std::string name, text;
  SourcePos where;
};

class FormulaSystem final : public OdeProblem {
 public:
  // All faults of the equations and parameters, or the system.
  // declared: names of variables, which those without a derivative must have (start values).
  static Result<std::unique_ptr<FormulaSystem>> make(const std::vector<NamedText>& equations,
                                                     const std::vector<NamedText>& parameters,
                                                     const std::vector<NamedText>& declared = {});
  ~FormulaSystem() override;

  const std::vector<std::string>& names() const { return names_; }  // "x", "y", "x'", "y'"

  int component(std::string_view name) const;  // -1: there is none

  // A formula of the time, the parameters and the definitions, and, unless `of_time`, the
  // components.
  Result<Expression> formula(const NamedText&, bool of_time) const;
  Result<double> constant(const NamedText&) const;           // of the parameters alone
  double value(const Expression&, double t, CView y) const;  // y may be empty for one of the time

  // At a start: y is put onto the equations without derivatives, or it is told why that cannot be.
  std::optional<Diagnostic> begin(double t, View y);
  bool has_singular_mass() const;  // known from begin() on

  int size() const override { return static_cast<int>(names_.size()); }

  Eval f(double t, CView y, View dy) override;

  std::string component_name(int i) const override { return names_[static_cast<std::size_t>(i)]; }

  bool jacobian(double t, CView y, View J) override;
  Eval f_t(double t, CView y, CView dy, double h, View out) override;
  SecondOrderProblem* second_order() override;

  std::span<const int> rate_components() const override {
    return coupled_ ? std::span<const int>() : rates_;
  }

  std::span<const char> algebraic() const override;
  Eval complete(double t, View y) override;

  bool projects() const override { return has_singular_mass(); }

  Eval project(double t, View y, View error) override;

 private:
  class Mechanics;
  class Coupled;  // rows that are linear in the derivatives, and algebraic ones

  struct Equation {
    std::string variable;
    int order = 1;
    NamedText right, factor;  // of the derivative; empty: 1
    Expression formula;
  };

  FormulaSystem();
  static Result<std::unique_ptr<FormulaSystem>> make(const std::vector<NamedText>& equations,
                                                     const std::vector<NamedText>& parameters,
                                                     const std::vector<NamedText>& declared,
                                                     bool coupled);
  bool divides_by_zero() const;
  void read_equation(const NamedText&, Diagnostics&);
  static bool couples(const std::vector<NamedText>& equations);
  void read_coupled(const std::vector<NamedText>& equations,
                    const std::vector<NamedText>& declared,
                    Diagnostics&);
  void parse_coupled(Diagnostics&);
  void read_parameters(const std::vector<NamedText>&, Diagnostics&);
  void prepare();  // components of the equations
  Scope scope(bool components) const;
  std::string spelt_out(const NamedText&, Diagnostics&) const;
  void arguments(double t, CView y) const;

  std::vector<Equation> equations_;
  std::vector<std::string> names_;
  std::vector<int> rates_;    // per component: rate_components()
  std::vector<int> rate_of_;  // per equation: the component of its rate, -1 for first order
  std::map<std::string, std::string, std::less<>> definitions_;  // spelt out, in brackets
  std::map<std::string, double, std::less<>> parameters_;
  std::unique_ptr<Mechanics> mechanics_;
  std::unique_ptr<Coupled> coupled_;  // null: every equation gives one derivative
  mutable std::vector<double> arguments_, gradient_;
};

}  // namespace cardan
