#include "cardan/ode/bdf/bdf_fixed.h"

#include <cmath>

#include "cardan/ode/archive_lists.h"

namespace cardan {

namespace {

constexpr double slow_newton = 0.02;  // rate of corrections beyond which a new Jacobian is taken

}  // namespace

void lagrange_weights(std::span<const double> nodes, double x, std::span<double> out) {
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    out[j] = 1;
    for (std::size_t m = 0; m < nodes.size(); ++m) {
      if (m != j) out[j] *= (x - nodes[m]) / (nodes[j] - nodes[m]);
    }
  }
}

void derivative_weights(std::span<const double> nodes, double x, std::span<double> out) {
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    out[j] = 0;
    for (std::size_t l = 0; l < nodes.size(); ++l) {
      if (l == j) continue;
      double term = 1 / (nodes[j] - nodes[l]);
      for (std::size_t m = 0; m < nodes.size(); ++m) {
        if (m != j && m != l) term *= (x - nodes[m]) / (nodes[j] - nodes[m]);
      }
      out[j] += term;
    }
  }
}

BdfFixed::BdfFixed(OdeProblem& problem, const Traits& traits, int order, Start start)
    : BasicMethod(problem, traits), k_(order), start_(start), radau_(radau_tableau(4)) {
  wants_f_ = false;
}

Eval BdfFixed::start(double t, CView y, const Tolerance& tolerance) {
  const int n = problem_.size();
  radau_.prepare(problem_);
  linear_.prepare(problem_, start_ == Start::accurate ? radau_.systems() : 1);
  correction_.prepare(n);
  convergence_.forget();
  past_.setZero(n, highest + 2);
  base_.setZero(n);
  r_.setZero(n);
  pure_.setZero(n);
  times_[0] = t;
  points_ = 1;
  by_radau_ = radau_factors_ = false;
  renew_ = true;
  newton_.prepare(n);
  const Eval e = BasicMethod::start(t, y, tolerance);
  past_.col(0) = y_;
  norm_.weigh(view(y_));
  return e;
}

Eval BdfFixed::linearize(std::span<const Shift> shifts, bool fresh) {
  if (fresh) {
    if (const Eval e = problem_.evaluate(t_, view(y_), view(f_)); e != Eval::ok) return e;
  }
  return linear_.update(t_, view(y_), view(f_), shifts, fresh);
}

Attempt BdfFixed::attempt(double h) {
  h_ = h;
  const Attempt::Kind kind = starting() ? starting_step(h) : multistep(h, std::min(k_, points_));
  if (kind != Attempt::Kind::ok) renew_ = true;
  return {kind, 0};
}

Attempt::Kind BdfFixed::starting_step(double h) {
  convergence_.forget();
  radau_factors_ = true;
  if (const Eval e = linearize(radau_.shifts(h), true); e != Eval::ok) return failed(e);
  radau_.start_along(h, view(f_));
  const Attempt::Kind kind =
      radau_.iterate(t_, view(y_), h, linear_, convergence_, correction_, &norm_);
  if (kind == Attempt::Kind::ok) radau_.end_point(view(y_), view(y_new_));
  return kind;
}

// y_(n+1) = base + c f with times counted from t_(n+1) in units of h.
Attempt::Kind BdfFixed::multistep(double h, int k) {
  double nodes[highest + 2], weights[highest + 2];
  const auto count = static_cast<std::size_t>(k + 1);
  nodes[0] = 0;
  for (int j = 0; j <= k; ++j) nodes[j + 1] = (times_[j] - t_ - h) / h;
  derivative_weights({nodes, count}, 0, {weights, count});
  base_.setZero();
  for (int j = 1; j <= k; ++j) base_ -= weights[j] / weights[0] * past_.col(j - 1);
  const double c = h / weights[0];

  bool fresh = renew_ || !linear_.has_jacobian();
  const bool near =
      linear_.ready() && !radau_factors_ && std::abs(c / linear_.shifts()[0].re - 1) < 1e-6;
  const Shift shift{c, 0};
  for (int tries = 0;; ++tries) {
    if (fresh || !near) {
      radau_factors_ = false;
      convergence_.forget();
      if (const Eval e = linearize({&shift, 1}, fresh); e != Eval::ok) return failed(e);
    }
    const int known = std::min(points_, k + 1);  // the predictor has one more point if there is one
    lagrange_weights({nodes + 1, static_cast<std::size_t>(known)},
                     0,
                     {weights, static_cast<std::size_t>(known)});
    y_new_.setZero();
    for (int j = 0; j < known; ++j) y_new_ += weights[j] * past_.col(j);
    const Attempt::Kind kind = iterate(h, c);
    renew_ = convergence_.rate() > slow_newton;
    if (kind == Attempt::Kind::ok || kind == Attempt::Kind::fatal) return kind;
    if (fresh) return solve_anew(h, c);
    fresh = true;
  }
}

// The step by damped Newton corrections: from the last state, along the step.
Attempt::Kind BdfFixed::solve_anew(double h, double c) {
  radau_factors_ = false;
  double share = 1;  // of the step: base and time too
  y_new_ = y_;
  correction_.by_round_off(view(y_), view(y_), norm_);
  const auto residual = [&](CView x, View r) {
    const Eval e = problem_.evaluate(t_ + share * h, x, view(f_));
    as_vector(r) = y_ + share * (base_ - y_ + c * f_) - as_vector(x);
    pure_ = share * c * f_;
    keep_residuals(r);
    return e;
  };
  const auto factor = [&](CView x, CView) {
    const Shift shift{share * c, 0};
    return linear_.update(t_ + share * h, x, view(f_), {&shift, 1}, true);
  };
  const auto solve = [&](View r) {
    return linear_.solve(0, r);
  };
  const DampedNewton::Equations equations{
      std::ref(residual), std::ref(factor), std::ref(solve), std::ref(correction_)};
  Attempt::Kind kind = newton_.solve(equations, view(y_new_), problem_.stats());
  if (kind != Attempt::Kind::ok && kind != Attempt::Kind::fatal) {
    const auto move_to = [&](double s) {
      share = s;
    };
    y_new_ = y_;
    kind = newton_.follow(equations, std::ref(move_to), view(y_new_), problem_.stats());
  }
  renew_ = true;
  return kind;
}

Attempt::Kind BdfFixed::iterate(double h, double c) {
  convergence_.begin();
  for (;;) {
    if (const Eval e = problem_.evaluate(t_ + h, view(y_new_), view(r_)); e != Eval::ok) {
      return failed(e);
    }
    pure_ = c * r_;
    r_ = base_ + c * r_ - y_new_;
    keep_residuals(view(r_));
    if (const Eval e = linear_.solve(0, view(r_)); e != Eval::ok) return failed(e);
    ++problem_.stats().newton;
    y_new_ += r_;
    if (convergence_.iterations() == 0) correction_.by_round_off(view(y_), view(r_), norm_);
    const Convergence::Verdict verdict = convergence_.judge(correction_(view(r_)));
    if (verdict == Convergence::Verdict::done) return Attempt::Kind::ok;
    if (verdict == Convergence::Verdict::hopeless) return Attempt::Kind::not_converged;
  }
}

// Equations without derivatives: the residual is all there is.
void BdfFixed::keep_residuals(View r) const {
  const std::span<const char> algebraic = problem_.algebraic();
  for (std::size_t i = 0; i < algebraic.size(); ++i)
    if (algebraic[i] != 0) r[i] = pure_[static_cast<Eigen::Index>(i)];
}

Eval BdfFixed::accept(bool) {
  by_radau_ = starting();
  for (int j = highest + 1; j > 0; --j) {
    past_.col(j) = past_.col(j - 1);
    times_[j] = times_[j - 1];
  }
  shift();
  past_.col(0) = y_;
  times_[0] = t_;
  points_ = std::min(points_ + 1, highest + 2);
  return Eval::ok;
}

Eval BdfFixed::interpolate(double t, View y) {
  const double h = t_ - t_old_;
  if (by_radau_) {
    radau_.increment((t - t_old_) / h, y);
    as_vector(y) += y_old_;
    return Eval::ok;
  }
  double nodes[highest + 2], weights[highest + 2];
  const int known = std::min(points_, k_ + 1);
  for (int j = 0; j < known; ++j) nodes[j] = (times_[j] - t_) / h;
  const auto count = static_cast<std::size_t>(known);
  lagrange_weights({nodes, count}, (t - t_) / h, {weights, count});
  as_vector(y).setZero();
  for (int j = 0; j < known; ++j) as_vector(y) += weights[j] * past_.col(j);
  return Eval::ok;
}

void BdfFixed::serialize(Archive& a) {
  BasicMethod::serialize(a);
  io_within(a, points_, 1, highest + 2);
  a.io(times_);
  a.io(past_);
  radau_.serialize(a);
  for (bool* b : {&by_radau_, &radau_factors_, &renew_}) a.io(*b);
  linear_.serialize(a);
  convergence_.serialize(a);
}

}  // namespace cardan
