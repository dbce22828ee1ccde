#pragma once
// Formulas M(t, y) d = r(t, y), 0 = g(t, y) with d the highest derivatives: every row is linear in d,
//   left(t, y, d) = right(t, y):   M = left_d,   r = right - left(t, y, 0),
// and M is factored in every evaluation. Rows without derivatives are algebraic equations, as many as
// variables without derivatives; they are of index 1 where g can be solved for these.
#include <optional>

#include "cardan/math/dense.h"
#include "cardan/ode/formula_system.h"

namespace cardan {

class FormulaSystem::Coupled {
 public:
  struct Row {
    NamedText source;
    std::string left, right;
    Expression left_side, right_side;
    bool algebraic = false;
  };

  explicit Coupled(FormulaSystem& system) : system_(system) {}

  std::vector<Row> rows;

  void add_variable(int order);        // 0: without derivative
  std::optional<Diagnostic> finish();  // after all; what is wrong with numbers and linearity

  Eval f(double t, CView y, View dy);
  Eval complete(double t, View y);  // Newton for the algebraic variables

  std::span<const char> algebraic() const {
    return unknown_ == 0 ? std::span<const char>() : std::span<const char>(flags_);
  }

 private:
  void arguments(double t, CView y);
  void residuals(double t, CView y, Eigen::VectorXd& g);

  FormulaSystem& system_;
  std::vector<int> orders_;
  std::vector<char> flags_;               // by component
  std::vector<std::size_t> derivatives_;  // component whose rate is d_k
  std::vector<std::size_t> unknowns_;     // algebraic components
  std::size_t unknown_ = 0;
  std::vector<double> x_, gradient_;  // t, y, d
  Eigen::MatrixXd mass_;
  Eigen::VectorXd right_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
};

}  // namespace cardan
