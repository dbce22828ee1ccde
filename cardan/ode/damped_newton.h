#pragma once
// Newton's method with a matrix of its own in every iteration and damped corrections, for steps
// that the simplified iteration (newton.h) cannot solve: r(x) = 0 with corrections
//   W(x_k) d_k = r(x_k),   x_(k+1) = x_k + s d_k,   0 < s <= 1.
// s is halved until the simplified correction at the new point, W(x_k) e = r(x_(k+1)), is smaller
// than d_k: |e| <= (1 - s/4) |d_k|, a test that does not depend on how r is scaled.
// Where that fails too, the solution is followed from a step of no length to the whole one.
// Reference: Deuflhard, Newton Methods for Nonlinear Problems (2004), 3.3.
#include <functional>

#include "cardan/ode/method.h"

namespace cardan {

class DampedNewton {
 public:
  struct Equations {
    std::function<Eval(CView x, View r)> residual;
    std::function<Eval(CView x, CView r)> factor;  // at the x of the last residual
    std::function<Eval(View r)> solve;             // r <- W^-1 r
    std::function<double(CView)> size;             // of a correction, in units of round-off
  };

  void prepare(int n);  // allocates

  // From the x given; x is the solution where the answer is ok.
  Attempt::Kind solve(const Equations&, View x, Stats&);

  // Equations that depend on a share of the step, whose solution at share 0 is x: followed to
  // share 1 by as many solves as it takes. move_to says for which share they hold next.
  Attempt::Kind follow(const Equations&,
                       const std::function<void(double)>& move_to,
                       View x,
                       Stats&);

  const Eigen::VectorXd& last_correction() const { return d_; }

 private:
  Eigen::VectorXd r_, d_, e_, x_, tried_;  // of one solve
  Eigen::VectorXd here_, before_, next_;   // along the way
};

}  // namespace cardan
