#pragma once
// Collocation Runge-Kutta methods with fixed step: Gauss and Radau IIA. The equations of the stages
// are solved to round-off. Interpolant: the collocation polynomial, of order s.
#include "cardan/ode/basic_method.h"
#include "cardan/ode/implicit/implicit_stages.h"

namespace cardan {

class CollocationMethod : public BasicMethod {
 public:
  CollocationMethod(OdeProblem&, const Traits&, ImplicitTableau);

  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Eval interpolate(double t, View y) override;
  void serialize(Archive&) override;

 protected:
  // Solves the first part of the last accepted step again, for values inside it; what the next
  // attempt will meet is as if this had not happened.
  Attempt::Kind solve_inside(double part);

  StageSolver stages_;

 private:
  // The stages of a step h from (t_, y_), starting from the solver's z if it has a start. The
  // Jacobian is renewed when the iteration was slow or fails with an old one; where that of the
  // start does not serve either, one from about the middle of the step may.
  Attempt::Kind solve(double h, bool has_start);
  enum class Point { before, start, middle };  // where the Jacobian is taken
  Eval linearize(double h, Point);

  Linearization linear_;
  Convergence convergence_{to_round_off};
  CorrectionNorm correction_;
  Eigen::MatrixXd z_last_;  // of the last accepted step, for starting values and interpolation
  Eigen::MatrixXd inside_;
  double h_last_ = 0;  // 0: no such step
  bool renew_ = true;
};

}  // namespace cardan
