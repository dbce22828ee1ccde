#pragma once
// The two numbers of constraint stabilisation, phi'' + 2 alpha phi' + beta^2 phi = 0: given as
// (alpha, beta) or (zeta, omega), or chosen from the step h and the integrator:
//   "stability"    alpha = beta = safety SL / h, SL the integrator's limit on the negative real
//                  axis: both roots are -alpha, so alpha h <= SL
//   "ostermeyer"   alpha = beta = x / h with the x whose error decays most in one step: the growth
//                  factor of the integrator at h lambda = -x is least (explicit Euler: x = 1,
//                  nothing is left after two steps)
// Of a given zeta alone, omega is chosen likewise on the way from 0 to the larger root of
// s^2 + 2 zeta s + 1, where the steps are given.
// References: the step rule of predictor-corrector methods with alpha = beta; Ostermeyer, On
// Baumgarte stabilization for differential algebraic equations (1990).
// An integrator that chooses its steps gets a fifth of that with the mean of its steps, from the
// 20th on: feedback at the stability limit would turn position errors within the tolerance into
// velocity errors beyond it, and drive the step down. For the same reason it rises to twice its
// lowest value at most: else smaller steps and larger gains would cause each other without end.
#include "cardan/base/result.h"
#include "cardan/model/options.h"
#include "cardan/ode/archive.h"

namespace cardan {

struct Gains {
  double alpha = 0, beta = 0;
  double share = 0;   // > 0: alpha = beta = share / h, to follow the step
  bool fixed = true;  // the step is
};

// A gain that follows the steps.
class FollowedGain {
 public:
  explicit FollowedGain(const Gains& gains)
      : gain_(gains.alpha), share_(gains.share), fixed_(gains.fixed) {}

  operator double() const { return gain_; }  // NOLINT(google-explicit-constructor)

  bool follows() const { return share_ > 0; }

  double most(double h) const { return (share_ > 0 ? share_ : 1) / h; }

  void step(double h);
  void serialize(Archive&);

 private:
  double gain_, share_, total_ = 0, lowest_ = 0;
  bool fixed_;
  long steps_ = 0;
};

Result<Gains> choose_gains(const DynamicOptions&);

}  // namespace cardan
