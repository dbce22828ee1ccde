#pragma once
// Backward differentiation of variable order 1 to 5 and variable step, with fixed leading
// coefficient, optionally as numerical differentiation formulas (NDF).
//
// The past is kept as modified divided differences phi_i = psi_1 ... psi_(i-1) [y_n, ...,
// y_(n-i+1)], psi_i = t_n - t_(n-i), so that a change of step costs nothing. The polynomial p
// through y_n, ..., y_(n-k) predicts; the corrector asks of d = y_(n+1) - p(t_(n+1))
//   (1 - kappa_k) gamma_k d + h p'(t_(n+1)) = h f(t_(n+1), y_(n+1)),
//   gamma_k = 1 + 1/2 + ... + 1/k,
// which for equal steps is BDF k (kappa = 0) or NDF k. Interpolant: the polynomial through y_n,
// ..., y_(n-k). References: Jackson & Sacks-Davis (1980), fixed leading coefficient; Brenan,
// Campbell & Petzold (1996), chapter 5; Shampine & Reichelt (1997), NDF.
#include "cardan/ode/basic_method.h"
#include "cardan/ode/bdf/rate_integrals.h"
#include "cardan/ode/newton.h"

namespace cardan {

class BdfMethod final : public BasicMethod {
 public:
  static constexpr int highest = 5;
  BdfMethod(OdeProblem&, const Traits&, int max_order, bool ndf);

  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Choice next(const Attempt&) override;
  Choice retry(const Attempt&) override;
  Eval interpolate(double t, View y) override;
  bool change_variables(const NewVariables&, const Tolerance&) override;

  int order() const override { return tried_order_; }

  void serialize(Archive&) override;

 private:
  double time_before(int i) const { return i == 0 ? t_ : t_ - psi_[i - 1]; }

  void coefficients(double h);
  void predict(double h);
  Attempt::Kind correct(double h);
  Eval linearize(double h, bool fresh);
  void residual(double c);
  double error_constant(int m) const;  // of order m with equal steps, for h^(m+1) y^(m+1)
  double scaled_error(int m, double size) const;
  double growth(int m, double error, double bias) const;

  int max_order_;
  double kappa_[highest + 1] = {};
  double leading_[highest + 1] = {};  // (1 - kappa_k) gamma_k

  int order_ = 1, tried_order_ = 1,
      accepted_order_ = 1;  // next, of the last attempt, of the last step
  int steps_ = 0;           // accepted: none, one, more
  int steps_at_order_ = 0;
  int failures_ = 0;   // of the error test since the last accepted step
  bool first_ = true;  // no step accepted yet: phi_2 = h f
  bool may_grow_ = true;
  Eigen::MatrixXd phi_;  // columns 0 .. highest + 1: phi_1, phi_2, ...
  // Since a lower order did not hold what its error promised: steps until one is tried again.
  int steps_to_lower_ = 0;
  bool lowered_ = false;  // with the next step
  double before_ = 0;     // the step that it replaces
  double psi_[highest + 2] = {}, psi_new_[highest + 2] = {};
  double alpha_[highest + 2] = {}, beta_[highest + 3] = {};

  Linearization linear_;
  Convergence convergence_;
  CorrectionNorm correction_;
  RateIntegrals integrals_;
  Eigen::VectorXd y_pred_, slope_, d_, r_, pure_;
  double size_ = 0, size_below_ = 0, size_above_ = 0;  // of the differences that tell the errors
  bool has_above_ = false;
  int steps_since_factor_ = 0, steps_since_jacobian_ = 0;
  bool refactor_ = true, renew_ = true;
};

double ndf_kappa(int k);  // 0 beyond the orders that have one

}  // namespace cardan
