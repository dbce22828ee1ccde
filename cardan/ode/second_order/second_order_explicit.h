#pragma once
// Explicit fixed-step methods for second-order equations, one evaluation a step:
//   taylor2         q + h v + h^2/2 a,   v + h a                                order 1
//   euler2          k = a(t + h/2, q + h/2 v, v):
//                   q + h v + h^2/2 k,   v + h k             order 1, 2 if a does not depend on v
//   semi-implicit   v_new = v + h a,   q + h v_new                              order 1
//   verlet          q_new = q + h v + h^2/2 a,   a_new = a(t + h, q_new, v + h a),
//                   v + h/2 (a + a_new)                                         order 2
// q + d is q (+) d on manifolds. For velocity-dependent forces verlet keeps a_new for its next
// step.
#include <complex>

#include "cardan/ode/second_order/second_order_method.h"

namespace cardan {

enum class ExplicitScheme { taylor2, euler2, semi_implicit, verlet };

class SecondOrderExplicit final : public SecondOrderMethod {
 public:
  SecondOrderExplicit(OdeProblem&, ExplicitScheme, const Traits&);
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Eval interpolate(double t, View y) override;
  Eval start(double t, CView y, const Tolerance&) override;

 private:
  void move(double h_v, double h_a);  // q_new = q (+) (h_v v + h_a k), k in k_

  ExplicitScheme scheme_;
  Eigen::VectorXd k_, middle_;  // acceleration that moves the step; q at its middle
};

// Growth per step on q'' + 2 beta w q' + w^2 q = 0, whose roots are the pair h lambda = z and its
// conjugate.
double amplification(ExplicitScheme, std::complex<double> z);

}  // namespace cardan
