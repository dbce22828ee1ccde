#pragma once
// Formulas M(t, y) d = r(t, y), 0 = g(t, y) with d the highest derivatives: every row is linear in d,
//   left(t, y, d) = right(t, y):   M = left_d,   r = right - left(t, y, 0),
// and M is factored in every evaluation. Rows without derivatives are algebraic equations, as many as
// variables without derivatives; they are of index 1 where g can be solved for these. A singular M:
// formula_singular.cpp.
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

  // At a start, once: puts y onto the equations without derivatives, or says why that cannot be.
  std::optional<Diagnostic> begin(double t, View y);
  Eval complete(double t, View y);  // Newton for the algebraic variables
  Eval project(double t, View y);   // with a singular M

  bool singular() const { return N_.cols() > 0; }

  std::span<const char> algebraic() const {
    return unknown_ == 0 || singular() ? std::span<const char>() : std::span<const char>(flags_);
  }

 private:
  void arguments(double t, CView y);
  bool rows_at(double t, CView y);  // mass_, right_
  void residuals(double t, CView y, Eigen::VectorXd& g);
  Eval solve_for_unknowns(double t, View y);
  std::optional<Diagnostic> undetermined(const Eigen::MatrixXd& slopes,
                                         const std::vector<std::size_t>& components) const;

  // formula_singular.cpp
  std::optional<Diagnostic> split_rows(double t, CView y);
  bool stays_split() const;
  bool linearise(double t, CView y);
  Eval reduced_f(double t, CView y, View dy);
  Eval correct(double t, View y);

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

  // ---- a singular M
  bool begun_ = false;
  Eigen::MatrixXd N_, B_;  // combinations of rows without and with derivatives, by columns
  std::vector<std::size_t> moving_;    // components whose rates are solved for
  Eigen::MatrixXd slopes_, g_slopes_;  // of right_ and of g by (t, y)
  Eigen::MatrixXd reduced_;            // [B^T M; g_y]
  Eigen::VectorXd g_, reduced_right_;
};

}  // namespace cardan
