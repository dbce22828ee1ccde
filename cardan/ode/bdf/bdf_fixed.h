#pragma once
// BDF of orders 1 to 6 with fixed step: the derivative at t_(n+1) of the polynomial through
// y_(n+1), y_n, ..., y_(n+1-k) equals f(t_(n+1), y_(n+1)), solved to round-off. The weights are
// made for the points as they lie, so a step of another size is no special case. Zero-stable up to
// order 6, A-stable up to 2. Interpolant: the same polynomial, of order k. Start: "accurate" with
// Radau IIA of order 7, or "self", the order rising from 1.
#include "cardan/ode/basic_method.h"
#include "cardan/ode/damped_newton.h"
#include "cardan/ode/implicit/implicit_stages.h"

namespace cardan {

class BdfFixed final : public BasicMethod {
 public:
  static constexpr int highest = 6;
  enum class Start { accurate, self };
  BdfFixed(OdeProblem&, const Traits&, int order, Start);

  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Eval interpolate(double t, View y) override;

  int order() const override { return std::min(k_, points_); }

  int unsolved() const override { return correction_.largest(view(newton_.last_correction())); }

  void serialize(Archive&) override;

 private:
  Attempt::Kind starting_step(double h);
  Attempt::Kind multistep(double h, int k);
  Attempt::Kind iterate(double h, double c);
  void keep_residuals(View r) const;
  Attempt::Kind solve_anew(double h, double c);
  Eval linearize(std::span<const Shift>, bool fresh);

  bool starting() const { return start_ == Start::accurate && points_ < k_; }

  int k_;
  Start start_;
  int points_ = 1;  // of the past that are known: y_n, y_(n-1), ...
  double times_[highest + 2] = {};
  Eigen::MatrixXd past_;  // columns: y_n, y_(n-1), ...
  StageSolver radau_;
  bool by_radau_ = false;  // the last accepted step was a starting one
  Linearization linear_;
  bool radau_factors_ = false;  // the factors are those of the starting method
  Convergence convergence_{to_round_off};
  CorrectionNorm correction_;
  DampedNewton newton_;
  Eigen::VectorXd base_, r_, pure_;
  bool renew_ = true;
};

// Weights of the values at the nodes for the derivative at x (first) or the value at x (second) of
// the polynomial through them.
void derivative_weights(std::span<const double> nodes, double x, std::span<double> out);
void lagrange_weights(std::span<const double> nodes, double x, std::span<double> out);

}  // namespace cardan
