#pragma once
// Gauss methods of order 2 s with fixed step. Interpolant: Hermite's through both ends and, for
// orders 6 and 8, one or two points inside the step that the method itself computes from the start
// of the step when it is first asked; so it has order 3, 3, 5, 7.
#include "cardan/ode/implicit/implicit_runge_kutta.h"

namespace cardan {

class GaussMethod final : public CollocationMethod {
 public:
  GaussMethod(OdeProblem&, const Traits&, int stages);

  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Eval interpolate(double t, View y) override;
  void serialize(Archive&) override;

 private:
  Eval complete();  // values and slopes at the nodes

  int nodes_;                      // of Hermite's polynomial, equally spaced over the step
  bool complete_ = false;          // for the last accepted step
  Eigen::MatrixXd value_, slope_;  // a column for each node
};

// Weights of values and of slopes (per unit of theta) at m equally spaced nodes of [0, 1].
void hermite_weights(int m, double theta, double* value, double* slope);

}  // namespace cardan
