#include "cardan/ode/implicit/implicit_runge_kutta.h"

#include <cmath>

namespace cardan {

namespace {

constexpr double slow = 0.02;       // a rate beyond which a new Jacobian pays in the next step
constexpr double same_step = 1e-6;  // relative change of h that the factors may stand

}  // namespace

CollocationMethod::CollocationMethod(OdeProblem& problem,
                                     const Traits& traits,
                                     ImplicitTableau tableau)
    : BasicMethod(problem, traits), stages_(std::move(tableau)) {
  wants_f_ = false;
}

Eval CollocationMethod::start(double t, CView y, const Tolerance& tolerance) {
  stages_.prepare(problem_);
  linear_.prepare(problem_, stages_.systems());
  correction_.prepare(problem_.size());
  convergence_.forget();
  z_last_ = inside_ = stages_.z();
  h_last_ = 0;
  renew_ = true;
  const Eval e = BasicMethod::start(t, y, tolerance);
  norm_.weigh(view(y_));
  return e;
}

Eval CollocationMethod::linearize(double h, Point at) {
  if (at == Point::start) {
    if (const Eval e = problem_.evaluate(t_, view(y_), view(f_)); e != Eval::ok) return e;
  }
  if (at != Point::middle) {
    return linear_.update(t_, view(y_), view(f_), stages_.shifts(h), at == Point::start);
  }
  y_new_ = y_ + 0.5 * h * f_;
  if (const Eval e = problem_.evaluate(t_ + 0.5 * h, view(y_new_), view(f_old_)); e != Eval::ok) {
    return e;
  }
  return linear_.update(t_ + 0.5 * h, view(y_new_), view(f_old_), stages_.shifts(h), true);
}

Attempt::Kind CollocationMethod::solve(double h, bool has_start) {
  const double now = stages_.shifts(h)[0].re;
  const bool same = linear_.ready() && std::abs(now / linear_.shifts()[0].re - 1) < same_step;
  Point at = renew_ || !linear_.has_jacobian() ? Point::start : Point::before;
  for (;;) {
    if (at != Point::before || !same) {
      if (const Eval e = linearize(h, at); e != Eval::ok) return failed(e);
    }
    if (!has_start) stages_.start_along(h, view(f_));
    const Attempt::Kind kind =
        stages_.iterate(t_, view(y_), h, linear_, convergence_, correction_, &norm_);
    renew_ = convergence_.rate() > slow;
    if (kind == Attempt::Kind::ok || kind == Attempt::Kind::fatal || at == Point::middle)
      return kind;
    at = at == Point::before ? Point::start : Point::middle;
    has_start = false;
  }
}

Attempt::Kind CollocationMethod::solve_inside(double part) {
  const double h = t_ - t_old_;
  Eval e = linear_.update(t_old_, view(y_old_), view(f_), stages_.shifts(part * h), false);
  if (e != Eval::ok) return failed(e);
  for (Eigen::Index i = 0; i < z_last_.cols();
       ++i) {  // starting values on the collocation polynomial
    const double theta = part * stages_.tableau().c[i];
    stages_.z() = z_last_;
    stages_.increment(theta, view(y_new_));
    inside_.col(i) = y_new_;
  }
  stages_.z() = inside_;
  Convergence convergence = convergence_;
  const Attempt::Kind kind =
      stages_.iterate(t_old_, view(y_old_), part * h, linear_, convergence, correction_, &norm_);
  e = linear_.update(t_old_, view(y_old_), view(f_), stages_.shifts(h), false);
  return e == Eval::ok ? kind : failed(e);
}

Attempt CollocationMethod::attempt(double h) {
  h_ = h;
  const bool has_start = h_last_ != 0;
  if (has_start) {
    stages_.z() = z_last_;
    stages_.extrapolate(h / h_last_);
  }
  const Attempt::Kind kind = solve(h, has_start);
  if (kind == Attempt::Kind::ok) stages_.end_point(view(y_), view(y_new_));
  if (kind != Attempt::Kind::ok) renew_ = true;
  return {kind, 0};
}

Eval CollocationMethod::accept(bool) {
  z_last_ = stages_.z();
  h_last_ = h_;
  shift();
  return Eval::ok;
}

Eval CollocationMethod::interpolate(double t, View y) {
  const double theta = (t - t_old_) / (t_ - t_old_);
  stages_.z() = z_last_;
  stages_.end_point(view(y_old_), view(y_new_));
  stages_.increment(theta, y);
  as_vector(y) += y_old_ + theta * (y_ - y_new_);  // a projection has moved the end
  return Eval::ok;
}

void CollocationMethod::serialize(Archive& a) {
  BasicMethod::serialize(a);
  linear_.serialize(a);
  convergence_.serialize(a);
  a.io(z_last_);
  a.io(h_last_);
  a.io(renew_);
}

}  // namespace cardan
