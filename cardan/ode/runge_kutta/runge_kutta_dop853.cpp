// Dormand-Prince 8(5,3): its error estimate
//   e = e5^2 / sqrt(e5^2 + (e3 / 10)^2)
// from the differences to formulas of order 5 and 3 (Hairer, Norsett & Wanner I, II.10), never below
//   e5 * 0.3 * min(1, 2/n) * (rtol / 1e-6)^(1/4)
// for n components. e5 of a single component passes zero as the step grows, and e with its square:
// steps were taken whose error was thousands of times the tolerance. Where n components are measured
// they are not all zero at once. e5 / e grows with tolerance^(-1/4), so that the bound costs the same
// at all tolerances: about a fifth more steps with one freedom. And its dense output,
//   y(t + s h) = y + s (r_1 + (1-s) (r_2 + s (r_3 + (1-s) (r_4 + s (r_5 + (1-s) (r_6 + s r_7)))))),
// r_1..r_3 from values and slopes at the ends, r_4..r_7 from all 16 stages (Hairer, Norsett &
// Wanner I, II.6).
#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"
#include "cardan/ode/runge_kutta/runge_kutta.h"

namespace cardan {

Dop853::Dop853(OdeProblem& problem, const Traits& traits)
    : RungeKutta(problem, dop853_tableau, traits) {
  columns_ = 16;
  controller_.exponent = 1.0 / 8;
  controller_.beta = 0;
  controller_.safety = 0.8;  // with 0.9 a third of the steps of an eccentric orbit were rejected
  controller_.shrink = 0.333;
  controller_.grow = 6;
}

Eval Dop853::start(double t, CView y, const Tolerance& tolerance) {
  const Eval e = RungeKutta::start(t, y, tolerance);
  const int n = problem_.size();
  error3_.setZero(n);
  norm_.weigh(view(y_));
  const CView weights = norm_.weights();
  const auto ignored = static_cast<double>(std::count(weights.begin(), weights.end(), 0.0));
  constexpr double few = 2, part = 0.3, usual_rtol = 1e-6;  // of the bound above
  least_part_ = part * std::min(1.0, few / std::max(n - ignored, 1.0)) *
                elementary::pow(std::min(norm_.rtol() / usual_rtol, 1 / usual_rtol), 0.25);
  least_part_ = std::min(least_part_, 1.0);
  interpolant_.setZero(n, 7);
  ready_ = false;
  return e;
}

double Dop853::measure_error() {
  const double fifth = RungeKutta::measure_error();
  error3_.setZero();
  combine(view(error3_), k_, dop853_extra.e3.data(), tableau_.stages, h_, view(error3_));
  const double third = norm_(view(error3_));
  if (fifth == 0) return 0;
  return std::max(fifth * fifth / elementary::hypot(fifth, 0.1 * third), least_part_ * fifth);
}

Eval Dop853::accept(bool projected) {
  const Eval e = RungeKutta::accept(projected);
  if (e == Eval::ok) ready_ = false;
  return e;
}

Eval Dop853::prepare_interpolant() {
  const double h = t_ - t_old_;
  k_.col(12) = f_;
  for (int i = 0; i < 3; ++i) {
    const auto m = static_cast<std::size_t>(i);
    combine(view(y_old_), k_, dop853_extra.a[m].data(), 13 + i, h, view(argument_));
    const Eval e =
        problem_.evaluate(t_old_ + dop853_extra.c[m] * h, view(argument_), column(13 + i));
    if (e != Eval::ok) return e;
  }
  interpolant_.col(0) = y_ - y_old_;
  interpolant_.col(1) = h * f_old_ - interpolant_.col(0);
  interpolant_.col(2) = interpolant_.col(0) - h * f_ - interpolant_.col(1);
  for (int r = 0; r < 4; ++r) {
    interpolant_.col(3 + r).setZero();
    for (int j = 0; j < 16; ++j) {
      const double d = dop853_extra.d[static_cast<std::size_t>(r)][static_cast<std::size_t>(j)];
      if (d != 0) interpolant_.col(3 + r) += h * d * k_.col(j);
    }
  }
  ready_ = true;
  return Eval::ok;
}

Eval Dop853::interpolate(double t, View y) {
  if (t == t_) {
    as_vector(y) = y_;
    return Eval::ok;
  }
  if (!ready_) {
    if (const Eval e = prepare_interpolant(); e != Eval::ok) return e;
  }
  const double h = t_ - t_old_, s = (t - t_old_) / h, u = 1 - s;
  for (Eigen::Index i = 0; i < y_.size(); ++i) {
    const auto r = interpolant_.row(i);
    const double high = r[3] + s * (r[4] + u * (r[5] + s * r[6]));
    y[static_cast<std::size_t>(i)] = y_old_[i] + s * (r[0] + u * (r[1] + s * (r[2] + u * high)));
  }
  return Eval::ok;
}

void Dop853::serialize(Archive& a) {
  RungeKutta::serialize(a);
  a.io(interpolant_);
  a.io(ready_);
}

}  // namespace cardan
