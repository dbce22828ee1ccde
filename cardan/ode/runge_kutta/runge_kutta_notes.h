#pragma once
// ode23 and ode45 with the step rules that MATLAB's codes of these names print. With the threshold
// atol/rtol the error of a step is
//   e = h max_i |f E|_i / max(|y|_i, |y_new|_i, threshold_i) / rtol,
// or with norm control h |f E| / max(|y|, |y_new|, threshold) / rtol in 2-norms, and it passes when
// e <= 1. With p = 1/3 for ode23 and 1/5 for ode45
//   after a passed step  h / max(1.25 e^p, 1/5), or h itself if attempts before it had failed,
//   after the first failure  h max(least, 0.8 e^-p), least = 1/2 and 1/10; after further ones h/2;
//   at the start  h = 0.8 rtol^p / max_i (|f|_i / max(|y|_i, threshold_i));
// no step is longer than a tenth of the interval. Ends of intervals are met as by all methods here.
// Reference: Shampine & Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997).
#include "cardan/ode/runge_kutta/runge_kutta.h"

namespace cardan {

class NotesRungeKutta final : public RungeKutta {
 public:
  NotesRungeKutta(OdeProblem&, const Tableau&, const Traits&);
  Eval start(double t, CView y, const Tolerance&) override;
  double initial_step(double t_end) override;
  Choice next(const Attempt&) override;
  Choice retry(const Attempt&) override;
  void serialize(Archive&) override;

 private:
  double measure_error() override;
  double relative(CView e, CView y0, CView y1) const;  // to the tolerance

  double power() const { return 1.0 / tableau_.order; }

  Tolerance tolerance_;
  std::vector<double> rtol_, threshold_;  // by component; rtol infinite: not controlled
  double longest_ = 0;                    // step; 0: not known
  int failures_ = 0;                      // attempts of this step that did not pass
};

}  // namespace cardan
