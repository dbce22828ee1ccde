#pragma once
// ode23s: a Rosenbrock formula of order 2 with an error estimate of order 3, one Jacobian, one matrix
// W = I - h d f_y and f_t a step, d = 1/(2 + sqrt 2), e = 6 + sqrt 2:
//   W k1 = f0 + h d f_t,                 f1 = f(t + h/2, y + h/2 k1),
//   W (k2 - k1) = f1 - k1,               y_new = y + h k2,   f2 = f(t + h, y_new),
//   W k3 = f2 - e (k2 - f1) - 2 (k1 - f0) + h d f_t,   error h/6 (k1 - 2 k2 + k3).
// L-stable; f2 is the next f0. Interpolant y + h (s (1 - s) k1 + s (s - 2 d) k2)/(1 - 2 d).
// Reference: Shampine & Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997).
#include "cardan/ode/basic_method.h"
#include "cardan/ode/newton.h"

namespace cardan {

class Ode23s final : public BasicMethod {
 public:
  Ode23s(OdeProblem&, const Traits&);

  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Eval interpolate(double t, View y) override;
  void serialize(Archive&) override;

 private:
  Eval linearize(double h);
  Eval stages(double h);

  Linearization linear_;
  bool renew_ = true;  // the Jacobian and f_t are not those of (t_, y_)
  Eigen::VectorXd f_t_, f1_, f2_, k1_, k2_, k3_;
  Eigen::VectorXd k1_old_, k2_old_, jump_;  // of the last accepted step; what projection added
};

// Growth of y' = lambda y in a step, z = h lambda.
double amplification_ode23s(std::complex<double> z);

}  // namespace cardan
