// Dormand-Prince 8(5,3): its error estimate and its dense output,
//   y(t + s h) = y + s (r_1 + (1-s) (r_2 + s (r_3 + (1-s) (r_4 + s (r_5 + (1-s) (r_6 + s r_7)))))),
// r_1..r_3 from values and slopes at the ends, r_4..r_7 from all 16 stages (Hairer, Norsett &
// Wanner I, II.6).
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
  interpolant_.setZero(n, 7);
  ready_ = false;
  return e;
}

double Dop853::measure_error() {
  const double fifth = RungeKutta::measure_error();
  error3_.setZero();
  Tableau::Row scaled;
  for (std::size_t j = 0; j < scaled.size(); ++j) scaled[j] = h_ * dop853_extra.e3[j];
  combine(view(error3_), k_, scaled.data(), tableau_.stages, view(error3_));
  const double third = norm_(view(error3_));
  if (fifth == 0) return 0;
  return fifth * fifth / elementary::hypot(fifth, 0.1 * third);
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
    Tableau::Row scaled;
    for (std::size_t j = 0; j < scaled.size(); ++j) scaled[j] = h * dop853_extra.a[m][j];
    combine(view(y_old_), k_, scaled.data(), 13 + i, view(argument_));
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
