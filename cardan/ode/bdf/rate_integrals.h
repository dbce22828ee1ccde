#pragma once
// Components of y on which nothing depends and that no error control judges (works, losses): beside
// a motion that needs no small steps or high orders, a formula for y' = f would leave them as
// coarse as it likes. They are integrals of their rates w,
//   z(t) = z_n + int_(t_n)^t p,
// p the polynomial through w at t_(n+1), t_n, t_(n-1), ..., five of them at most: Adams-Moulton of
// variable step. A rate is the f of the last iterate and what the last correction x adds to it: of
// (1 - c f_y) x = r the rows of z tell f_y x = (x - r) / c. Times of the past that are close
// together beside the step would make rates' noise large and are left out.
// Reference: Hairer, Norsett & Wanner I, III.5.
#include <array>
#include <vector>

#include "cardan/ode/archive.h"
#include "cardan/ode/problem.h"
#include "cardan/ode/tolerance.h"

namespace cardan {

class RateIntegrals {
 public:
  static constexpr int most_rates = 5;

  void start(OdeProblem&, const Tolerance&, CView f);  // f at the start

  // ---- of an iterate: f there, the right side r of its correction, and the correction
  void take_rates(CView f);
  void take_right_side(CView r);
  void correct_rates(CView x, double c);

  // z at the end of the step h, psi[i] = t_n - t_(n-1-i) before it.
  void integrate(double h, const double* psi, CView y, View y_new);
  void accept();  // the step

  // At t_n + x within the last step, psi as it is after it.
  void between(double x, const double* psi, View y) const;

  const std::vector<int>& components() const { return components_; }

  void serialize(Archive&);

 private:
  using Weights = std::array<double, most_rates>;
  static Weights weights(const Weights& times, int count, double from, double to);

  std::vector<int> components_;
  Eigen::VectorXd rate_, right_;  // of the iterate
  Eigen::MatrixXd rates_;         // columns: at t_n, t_(n-1), ...
  int known_ = 0;                 // of them
  int used_ = 1, tried_ = 1;      // in the last step and attempt
};

}  // namespace cardan
