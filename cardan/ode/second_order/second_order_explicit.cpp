#include "cardan/ode/second_order/second_order_explicit.h"

#include <cmath>

#include "cardan/math/eigenvalues.h"

namespace cardan {

SecondOrderExplicit::SecondOrderExplicit(OdeProblem& problem,
                                         ExplicitScheme scheme,
                                         const Traits& traits)
    : SecondOrderMethod(problem, traits), scheme_(scheme) {}

Eval SecondOrderExplicit::start(double t, CView y, const Tolerance& tolerance) {
  k_.setZero(second_.velocities());
  middle_.setZero(second_.positions());
  return SecondOrderMethod::start(t, y, tolerance);
}

void SecondOrderExplicit::move(double h_v, double h_a) {
  d_ = h_v * as_vector(v(y_)) + h_a * k_;
  second_.increment(q(y_), view(d_), q(y_new_));
}

Attempt SecondOrderExplicit::attempt(double h) {
  h_ = h;
  k_ = a_;
  auto v_new = as_vector(v(y_new_));
  Eval e = Eval::ok;
  switch (scheme_) {
    case ExplicitScheme::euler2:
      d_ = 0.5 * h * as_vector(v(y_));
      second_.increment(q(y_), view(d_), view(middle_));
      e = second_.evaluate(t_ + 0.5 * h, view(middle_), v(y_), view(k_));
      [[fallthrough]];
    case ExplicitScheme::taylor2:
      move(h, 0.5 * h * h);
      v_new = as_vector(v(y_)) + h * k_;
      break;
    case ExplicitScheme::semi_implicit:
      move(h, h * h);
      v_new = as_vector(v(y_)) + h * k_;
      break;
    case ExplicitScheme::verlet:
      move(h, 0.5 * h * h);
      v_new = as_vector(v(y_)) + h * k_;
      e = second_.evaluate(t_ + h, q(y_new_), v(y_new_), view(a_new_));
      v_new += 0.5 * h * (a_new_ - k_);
      has_a_new_ = true;
      break;
  }
  if (e != Eval::ok || !y_new_.allFinite()) return {failed(e), 0};
  return {};
}

Eval SecondOrderExplicit::accept(bool projected) {
  if (scheme_ == ExplicitScheme::euler2) {  // needs no acceleration at the ends
    a_new_ = k_;
    has_a_new_ = true;
    projected = false;
  }
  return SecondOrderMethod::accept(projected);
}

Eval SecondOrderExplicit::interpolate(double t, View y) {
  if (scheme_ == ExplicitScheme::verlet) return SecondOrderMethod::interpolate(t, y);
  const double h = t_ - t_old_, s = h == 0 ? 1 : (t - t_old_) / h;
  second_.difference(q(y_old_), q(y_), view(d_));
  if (scheme_ == ExplicitScheme::semi_implicit) {
    d_ *= s;
  } else {  // meets both ends, also after a projection
    d_ = s * s * d_ + s * (1 - s) * h * as_vector(v(y_old_));
  }
  second_.increment(q(y_old_), view(d_), y.first(nq_));
  as_vector(y.subspan(nq_)) = (1 - s) * as_vector(v(y_old_)) + s * as_vector(v(y_));
  return Eval::ok;
}

double amplification(ExplicitScheme scheme, std::complex<double> z) {
  const double x = std::abs(z), beta = x > 0 ? -z.real() / x : 0;
  const auto acceleration = [&](double q, double v) {
    return -q - 2 * beta * v;
  };                                                   // in units of w^2
  Eigen::MatrixXd step = Eigen::MatrixXd::Zero(3, 3);  // acts on (q, v / w, a / w^2)
  for (int unit = 0; unit < 3; ++unit) {
    const double q = unit == 0, v = unit == 1;
    const bool keeps_a = scheme == ExplicitScheme::verlet;
    if (unit == 2 && !keeps_a) break;
    double a = keeps_a ? (unit == 2 ? 1 : 0) : acceleration(q, v);
    if (scheme == ExplicitScheme::euler2) a = acceleration(q + 0.5 * x * v, v);
    const double half = scheme == ExplicitScheme::semi_implicit ? 1 : 0.5;
    const double q_new = q + x * v + half * x * x * a;
    double v_new = v + x * a, a_new = 0;
    if (keeps_a) {
      a_new = acceleration(q_new, v_new);
      v_new += 0.5 * x * (a_new - a);
    }
    step.col(unit) << q_new, v_new, a_new;
  }
  return spectral_radius(step);
}

}  // namespace cardan
