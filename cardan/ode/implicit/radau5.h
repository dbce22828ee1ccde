#pragma once
// Radau IIA of order 5 with error control: three stages, simplified Newton iteration split into one
// real and one complex system, error estimate of order 3 filtered by the real matrix, step size by
// Gustafsson's predictive controller. Interpolant: the collocation polynomial, of order 3.
//   error = (I - c f_y)^-1 c (f(t, y) + (e_1 z_1 + e_2 z_2 + e_3 z_3) / h),  c = h / lambda,
// lambda the real eigenvalue of A^-1; estimated once more at y + error when the first is too large
// after a start or a rejection.
// Reference: Hairer & Wanner II (1996), IV.8.
#include "cardan/ode/basic_method.h"
#include "cardan/ode/implicit/implicit_stages.h"

namespace cardan {

class Radau5 final : public BasicMethod {
 public:
  Radau5(OdeProblem&, const Traits&);

  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Choice next(const Attempt&) override;
  Choice retry(const Attempt&) override;
  Eval interpolate(double t, View y) override;
  void serialize(Archive&) override;

 private:
  Attempt::Kind solve(double h);
  Eval linearize(double h, bool fresh);
  void start_uncontrolled(double h);
  Eval estimate(double h, double& error);
  double factor(double error) const;

  StageSolver stages_;
  Linearization linear_;
  Convergence convergence_;
  CorrectionNorm correction_;
  Eigen::MatrixXd z_last_;
  Eigen::VectorXd combined_, r_;
  double h_last_ = 0, error_last_ = 1;  // of the last accepted step; h 0: none
  double rate_ = 0;
  double barred_ = 0;  // length of a step that Newton's iteration failed for; 0: none
  int iterations_ = 0;
  bool renew_ = true, rejected_ = false;
};

}  // namespace cardan
