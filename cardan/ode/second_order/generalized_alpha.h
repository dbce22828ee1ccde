#pragma once
// Newmark's family and its offspring for q' = K(q) v, v' = a(t, q, v), with fixed step. With the
// auxiliary accelerations A,
//   (1 - alpha_m) A_(n+1) + alpha_m A_n = (1 - alpha_f) a_(n+1) + alpha_f a_n,
//   q_(n+1) = q_n (+) (h v_n + h^2 ((1/2 - beta) A_n + beta A_(n+1))),
//   v_(n+1) = v_n + h ((1 - gamma) A_n + gamma A_(n+1)),   a_(n+1) = a(t_(n+1), q_(n+1), v_(n+1)),
// solved for a_(n+1) to round-off of q and v.
//   newmark             alpha_m = alpha_f = 0: A = a; (1/2, 1/4) is the trapezoidal rule
//   hht                 alpha_m = 0, alpha_f = -alpha, alpha in [-1/3, 0]
//                       (Hilber, Hughes & Taylor 1977)
//   generalized-alpha   by the spectral radius rho at infinite frequency (Chung & Hulbert 1993)
// The auxiliary accelerations keep order 2 for q and v (Arnold & Bruels 2007).
#include <complex>

#include "cardan/ode/damped_newton.h"
#include "cardan/ode/newton.h"
#include "cardan/ode/registry.h"
#include "cardan/ode/second_order/second_order_method.h"

namespace cardan {

struct AlphaParameters {
  double alpha_m = 0, alpha_f = 0, gamma = 0.5, beta = 0.25;
};

AlphaParameters hht_parameters(double alpha);
AlphaParameters generalized_alpha_parameters(double rho);

class GeneralizedAlpha final : public SecondOrderMethod {
 public:
  GeneralizedAlpha(OdeProblem&, const Traits&, const AlphaParameters&);

  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  void serialize(Archive&) override;

 private:
  void advance(double h);  // q_new, v_new from a_new_
  Eval linearize(double h, bool fresh);
  Attempt::Kind iterate(double h);
  Attempt::Kind solve_anew(double h);
  // Of a correction, in units of round-off of q and v.
  double size(CView correction, double h) const;

  AlphaParameters par_;
  double c_;  // A_(n+1) = c_ a_(n+1) + known
  Eigen::VectorXd A_, A_new_, r_;
  Eigen::VectorXd y_jacobian_, a_jacobian_;                 // where the Jacobian was taken
  double t_jacobian_ = 0, h_jacobian_ = 0, h_factors_ = 0;  // h 0: there is none
  Convergence convergence_{to_round_off};
  DampedNewton newton_;
  bool renew_ = true;
};

// Growth per step on q'' + 2 b w q' + w^2 q = 0 whose roots are the pair h lambda = z and
// conjugate.
double amplification(const AlphaParameters&, std::complex<double> z);

}  // namespace cardan
