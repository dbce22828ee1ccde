#pragma once
// Gauss collocation with s = 4 or 8 stages, order 2 s, whose stages are evaluated side by side:
//   F_i = f(t + c_i h, Y_i),   Y_i = y + h sum_j a_ij F_j,   y_new = y + h sum_j b_j F_j
// by the iteration that puts the F_j of one pass into the Y_i of the next. Components whose rate is
// another one (positions) take the new values of that in the same pass, which doubles the gain of a
// pass. It starts from the polynomial through the rates of the step before, continued, or of the
// attempt before.
//
// Error: the polynomial through the F_j has Legendre coefficients d_0 .. d_(s-1) over the step; they
// fall like r^k, and the result is off by what is missing of degree 2 s and more. With r from the
// last pairs of them and E the larger one of the last two,
//   s = 8:   r^2 = max(E / max(d_4, d_5), sqrt(E / max(d_2, d_3))),   error = E r^(9.5) h
//   s = 4:   r^1.5 = E / d_1,                                         error = E r^(5.5) h
// where r counts as 1 at most: what does not fall is not believed to be small further on. The iteration is given up
// where that error is too large and E larger than what still changes.
//
// Interpolant: collocation at 2 s nodes over the step, of the same order all along, iterated from
// the polynomial of the step when it is first asked for.
// Reference: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.5, IV.8;
// B. Leimkuhler, S. Reich, Simulating Hamiltonian Dynamics (2004), 6.3 (fixed-point iteration).
#include <memory>

#include "cardan/ode/basic_method.h"
#include "cardan/ode/several/collocation_rule.h"
#include "cardan/ode/several/stage_sums.h"

namespace cardan {

class GaussSimd final : public BasicMethod {
 public:
  GaussSimd(OdeProblem&, const Traits&, int stages);

  Eval start(double t, CView y, const Tolerance&) override;
  double initial_step(double t_end) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;

  View error_estimate() override { return {}; }

  Choice next(const Attempt&) override;
  Choice retry(const Attempt&) override;
  Eval interpolate(double t, View y) override;
  void serialize(Archive&) override;

 private:
  using Numbers = std::vector<double>;

  struct Block {  // `width` nodes of the interpolant
    Numbers rates, states, times;
  };

  void order_components();
  void continue_rates(double from, double ratio, CView rates, View out) const;
  void begin_rates(double h);
  Attempt::Kind iterate(double h, bool may_give_up);
  Eval complete();
  void follow_rates();  // states of components whose rates are other ones
  double estimate();
  double norm_of(const StageSizes&) const;
  void weigh_rates(double h, CView y);

  Eval prepare_interpolant();
  Eval pass_interpolant(double& change);
  void spread_interpolant(std::span<const int> rows);

  int s_;
  std::size_t n_ = 0;
  const CollocationRule &rule_, &fine_;
  std::vector<int> direct_, derived_, source_;  // components; rows whose rates are evaluated
  Numbers unit_columns_, legendre_columns_, fine_columns_;  // of h = 1
  Numbers columns_, scaled_, weights_, error_weights_, sums_, times_;
  Numbers states_, rates_, fresh_, last_;  // n x s; last_: of the accepted step
  Eigen::VectorXd end_;                    // of the attempt, before anything projected it
  Eigen::VectorXd end_last_;               // of the accepted step
  double h_last_ = 0, h_tried_ = 0;        // 0: none
  double rate_ = 0;                        // of the iteration: its changes fall by this
  double last_coefficient_ = 0;            // of the estimate: E
  bool given_up_ = false;                  // the attempt: its error is too large
  Block block_[2];
  bool starting_ = true;  // no step has been long enough yet
  bool ready_ = false;    // the interpolant of the accepted step
};

}  // namespace cardan
