#include "cardan/ode/implicit_runge_kutta.h"

namespace cardan {

namespace {

constexpr double slow = 0.02;  // a rate beyond which a new Jacobian pays in the next step

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
  return BasicMethod::start(t, y, tolerance);
}

Eval CollocationMethod::linearize(double t, CView y, double h, bool fresh) {
  if (fresh || !linear_.has_jacobian()) {
    if (const Eval e = problem_.evaluate(t, y, view(f_)); e != Eval::ok) return e;
    fresh = true;
  }
  return linear_.update(t, y, view(f_), stages_.shifts(h), fresh);
}

Attempt::Kind CollocationMethod::solve(double t, CView y, double h) {
  bool fresh = renew_ || !linear_.has_jacobian();
  const Shift now = stages_.shifts(h)[0];
  const bool same = linear_.ready() && now.re == linear_.shifts()[0].re;
  if (fresh || !same) {
    if (const Eval e = linearize(t, y, h, fresh); e != Eval::ok) return failed(e);
  }
  for (;;) {
    const Attempt::Kind kind = stages_.iterate(t, y, h, linear_, convergence_, correction_, true);
    renew_ = convergence_.rate() > slow;
    if (kind == Attempt::Kind::ok || kind == Attempt::Kind::fatal || fresh) return kind;
    fresh = true;
    stages_.z().setZero();
    convergence_.forget();
    if (const Eval e = linearize(t, y, h, true); e != Eval::ok) return failed(e);
  }
}

Attempt::Kind CollocationMethod::solve_inside(double part) {
  const double h = t_ - t_old_;
  if (const Eval e = linearize(t_old_, view(y_old_), part * h, false); e != Eval::ok)
    return failed(e);
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
      stages_.iterate(t_old_, view(y_old_), part * h, linear_, convergence, correction_, true);
  const Eval back = linear_.update(t_old_, view(y_old_), view(f_), stages_.shifts(h), false);
  return back == Eval::ok ? kind : failed(back);
}

Attempt CollocationMethod::attempt(double h) {
  h_ = h;
  if (h_last_ != 0) {
    stages_.z() = z_last_;
    stages_.extrapolate(h / h_last_);
  } else {
    stages_.z().setZero();
  }
  const Attempt::Kind kind = solve(t_, view(y_), h);
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
