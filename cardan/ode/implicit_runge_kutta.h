#pragma once
// Collocation Runge-Kutta methods with fixed step: Gauss and Radau IIA. The equations of the stages
// are solved to round-off. Interpolant: the collocation polynomial, of order s.
#include "cardan/ode/basic_method.h"
#include "cardan/ode/implicit_stages.h"

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
  // The stages of a step from (t, y), starting from the solver's present z; the Jacobian is renewed
  // when the iteration was slow or fails with an old one.
  Attempt::Kind solve(double t, CView y, double h);
  Eval linearize(double t, CView y, double h, bool fresh);

  Linearization linear_;
  Convergence convergence_{to_round_off};
  CorrectionNorm correction_;
  Eigen::MatrixXd z_last_;  // of the last accepted step, for starting values and interpolation
  Eigen::MatrixXd inside_;
  double h_last_ = 0;  // 0: no such step
  bool renew_ = true;
};

}  // namespace cardan
