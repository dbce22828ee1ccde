#pragma once
// Rosenbrock method of order 4(3), stiffly accurate, six stages: Steinebach's RODASP (1995), which
// keeps order 3 on the problem of Prothero and Robinson. One Jacobian, one matrix and f_t a step,
// no iteration:
//   (I - h g f_y) u_i = h g (f(t + alpha_i h, y + sum_(j<i) a_ij u_j) + sum_(j<i) c_ij u_j / h
//                            + h d_i f_t),   y_new = y + sum m_i u_i, error u_6.
// Interpolant of order 3: y(theta) = (1 - theta) y + theta (y_new + (1 - theta)(p + theta q)).
// Form and notation: Hairer & Wanner II (1996), IV.7.
#include "cardan/ode/basic_method.h"
#include "cardan/ode/newton.h"

namespace cardan {

struct RosenbrockTableau {
  static constexpr int stages = 6;
  double gamma;
  double alpha[stages], d[stages];
  double a[stages][stages], c[stages][stages], m[stages];
  double p[stages], q[stages];  // of the interpolant
};

extern const RosenbrockTableau rodasp_tableau;

class Rosenbrock final : public BasicMethod {
 public:
  Rosenbrock(OdeProblem&, const Traits&);

  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Eval interpolate(double t, View y) override;
  void serialize(Archive&) override;

 private:
  Eval linearize(double h);
  Eval stage(int i, double h);

  const RosenbrockTableau& tableau_ = rodasp_tableau;
  Linearization linear_;
  bool renew_ = true;  // the Jacobian and f_t are not those of (t_, y_)
  Eigen::MatrixXd u_;
  Eigen::VectorXd f_t_, p_, q_;  // p_, q_: of the last accepted step
};

}  // namespace cardan
