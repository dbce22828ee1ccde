#pragma once
// Derivatives beside a singular pose. At distance s from it the differentiated constraints determine
// theta to eps / s, v_p to eps / s^2 and a_p to eps / s^3, though on the smooth branch all of them are
// smooth. So they are interpolated like the motion itself (formulation/singular/crossing.h), between
// states x_k of the branch at t + k d, with theta + k d v_p and v_p put onto the constraints there:
//   y(0) = sum_k w_k (y_k + y_-k) + O(d^12),   w = 6/7, -15/28, 5/21, -1/14, 1/77, -1/924
// Partial derivatives by p are differenced, to 1e-12, so that states from 0.1 of the size on serve.
// lambda_p may have a pole in the pose; what the mean leaves out follows from the equations of motion
// with a_p known.
//
// In the pose some u has u^T phi_q = 0. Where u^T phi_p is not zero there, theta grows like 1/s: with
// another value of p the mechanism has no such pose to pass, and there is no derivative.
#include <vector>

#include "cardan/analysis/sensitivity/parameter_slopes.h"
#include "cardan/formulation/singular/crossing.h"

namespace cardan {

class SlopeCrossing {
 public:
  SlopeCrossing(const System&, ParameterSlopes&);

  // Whether that is needed at the state that the slopes were evaluated at.
  bool beside() const;

  // theta, v_p, a_p, lambda_p of the theta and v_p given, all parameters. Then the slopes are evaluated
  // at `here` again. False: there are none, or not by without().
  [[nodiscard]] bool across(const State& here, std::vector<StateSlope>&);

  int without() const { return without_; }  // the parameter that has no derivative here; -1

  // Interpolated slopes at a state where the slopes have been evaluated: whether they satisfy the
  // constraints. lambda_p is completed where asked.
  [[nodiscard]] bool settle(bool forces, std::vector<StateSlope>&);

 private:
  [[nodiscard]] bool neighbour(const State& here, double shift, class Passage&);
  double shift(const State& here, class Passage&);

  const System& system_;
  ParameterSlopes& slopes_;
  State beside_;
  std::vector<StateSlope> there_, sum_;
  int without_ = -1;
};

// Of one parameter, at a singular pose that only this value of it has.
Diagnostic no_slopes_across(const ParameterStep&, double t);

}  // namespace cardan
