#pragma once
// Diagonally implicit Runge-Kutta methods: every stage is an equation of the problem's own size,
//   Y_i = y + h sum_(j<i) a_ij k_j + h gamma k_i,   k_i = f(t + c_i h, Y_i),
// with the same matrix I - h gamma f_y throughout. With fixed step the stages are solved to
// round-off, with error control to a part of the tolerance.
#include "cardan/ode/basic_method.h"
#include "cardan/ode/damped_newton.h"
#include "cardan/ode/implicit/sdirk_tableaux.h"
#include "cardan/ode/newton.h"

namespace cardan {

class DiagonalMethod final : public BasicMethod {
 public:
  DiagonalMethod(OdeProblem&, const Traits&, const DiagonalTableau&);

  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Choice retry(const Attempt&) override;
  Eval interpolate(double t, View y) override;
  void serialize(Archive&) override;

  int unsolved() const override { return correction_.largest(view(newton_.last_correction())); }

 private:
  Eval linearize(double h, bool fresh);
  Attempt::Kind all_stages(double h);
  Attempt::Kind stage(int i, double h);
  Attempt::Kind solve_anew(int i, double h);
  void predict(int i);
  bool predict_by_stages(int i);
  Eval estimate_error(double h);
  Eval interpolate_hermite(double theta, View y);

  const DiagonalTableau& tableau_;
  double missed_[DiagonalTableau::most] = {};  // of the conditions of order 3, by the stages
  Linearization linear_;
  Convergence convergence_;
  CorrectionNorm correction_;
  Eigen::MatrixXd k_, k_last_;  // slopes of the stages; of the last accepted step
  DampedNewton newton_;
  Eigen::VectorXd base_, z_, r_;
  double rate_ = 0;     // the worst of the stages
  bool renew_ = true;   // take a new Jacobian at the next attempt
  bool have_f_ = true;  // f_ = f(t_, y_)
  bool projected_ = false;
  int wary_ = 0;         // steps until slopes are predicted from all stages again
  bool damped_ = false;  // stages by damped corrections
};

}  // namespace cardan
