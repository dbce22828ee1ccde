#pragma once
// Explicit Runge-Kutta methods from a Tableau, with or without error control.
#include "cardan/ode/basic_method.h"
#include "cardan/ode/runge_kutta/tableau.h"

namespace cardan {

Traits tableau_traits(const Tableau&, std::string_view name);

// y(t0 + s h) from values and slopes at both ends: the cubic Hermite polynomial.
void hermite(double s, double h, CView y0, CView f0, CView y1, CView f1, View out);

// out = y + sum_j (h coefficient[j]) * column j of k, over the first `count` columns.
void combine(
    CView y, const Eigen::MatrixXd& k, const double* coefficient, int count, double h, View out);

class RungeKutta : public BasicMethod {
 public:
  RungeKutta(OdeProblem&, const Tableau&, const Traits&);
  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Eval interpolate(double t, View y) override;

  bool looks_stiff() const override { return stiff_hints_ >= 15; }

  void serialize(Archive&) override;

 protected:
  virtual double measure_error();  // of the attempt, after y_new_ and error_ were computed
  Eval stage(int i);               // fills column i of k_
  void watch_stiffness();

  View column(int i) { return {k_.col(i).data(), static_cast<std::size_t>(k_.rows())}; }

  Tableau tableau_;
  int columns_;                   // of k_
  Eigen::MatrixXd k_;             // stages in columns; of the last attempt
  Eigen::VectorXd argument_;      // Y_i
  Eigen::VectorXd end_argument_;  // Y_i of the stage at c = 1
  Eigen::VectorXd f_next_;
  Eigen::VectorXd jump_;  // what projection added to the last accepted step
  bool jumped_ = false;
  int stiff_hints_ = 0, easy_steps_ = 0;
};

// Its error estimate joins a fifth- and a third-order one; three further stages are evaluated when
// the interpolant is first asked for after a step.
class Dop853 final : public RungeKutta {
 public:
  Dop853(OdeProblem&, const Traits&);
  Eval start(double t, CView y, const Tolerance&) override;
  Eval accept(bool projected) override;
  Eval interpolate(double t, View y) override;
  void serialize(Archive&) override;

 private:
  double measure_error() override;
  Eval prepare_interpolant();

  Eigen::VectorXd error3_;
  double least_part_ = 0;        // of the difference to order 5: what the estimate is at least
  Eigen::MatrixXd interpolant_;  // its coefficients in columns
  bool ready_ = false;
};

}  // namespace cardan
