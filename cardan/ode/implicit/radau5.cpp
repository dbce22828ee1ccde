#include "cardan/ode/implicit/radau5.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr int most_iterations = 7;
constexpr double keep_jacobian = 0.001;        // while the rate is below
constexpr double keep_algebraic = 0.03;        // the same for equations without derivatives
constexpr double h_least = 1.0, h_most = 1.2;  // a factor between them is not worth new matrices
// Of the step chosen; least and most change of the step.
constexpr double safety = 0.9, shrink = 0.125, most_growth = 5;
// Derivatives are taken at this part of a step that is at most so much longer than the last one.
constexpr double midst = 0.7, most_ahead = 3;
// A step that Newton's iteration failed for is come near to slowly.
constexpr double below_barred = 0.8, forget_barred = 1.15;

// Weights of the stages in the error estimate: with the weight 1 / lambda of f(t, y) the embedded
// formula has order 3.
const double e1 = -(13 + 7 * std::sqrt(6.0)) / 3, e2 = (-13 + 7 * std::sqrt(6.0)) / 3,
             e3 = -1.0 / 3;

void clear_algebraic(const OdeProblem& problem, Eigen::VectorXd& x) {
  const std::span<const char> algebraic = problem.algebraic();
  for (std::size_t i = 0; i < algebraic.size(); ++i)
    if (algebraic[i] != 0) x[static_cast<Eigen::Index>(i)] = 0;
}

}  // namespace

Radau5::Radau5(OdeProblem& problem, const Traits& traits)
    : BasicMethod(problem, traits),
      stages_(radau_tableau(3)),
      convergence_({.missing = 1, .floor = 0, .most = most_iterations}) {
  controller_.exponent = 0.25;
}

Eval Radau5::start(double t, CView y, const Tolerance& tolerance) {
  const int n = problem_.size();
  stages_.prepare(problem_);
  linear_.prepare(problem_, stages_.systems());
  correction_.prepare(n);
  convergence_.forget();
  z_last_ = stages_.z();
  combined_.setZero(n);
  r_.setZero(n);
  h_last_ = 0;
  error_last_ = 1;
  barred_ = 0;
  renew_ = true;
  rejected_ = false;
  const Eval e = BasicMethod::start(t, y, tolerance);
  const double rtol = std::max(norm_.rtol(), 1e-14);
  convergence_.set_goal(std::clamp(std::sqrt(rtol), 1e-15 / rtol, 0.03));
  return e;
}

// Derivatives of where the last step's polynomial goes, in the midst of the stages: from there they
// serve all of them best.
Eval Radau5::linearize(double h, bool fresh) {
  if (fresh && h_last_ != 0 && std::abs(h) < most_ahead * std::abs(h_last_)) {
    const double t = t_ + midst * h;
    stages_.z() = z_last_;
    stages_.increment(1 + midst * h / h_last_, view(r_));
    r_ += y_ - z_last_.col(2);
    if (linear_.update(t, view(r_), {}, stages_.shifts(h), true) == Eval::ok) return Eval::ok;
  }
  return linear_.update(t_, view(y_), view(f_), stages_.shifts(h), fresh);
}

Attempt::Kind Radau5::solve(double h) {
  bool fresh = renew_ || !linear_.has_jacobian();
  const double c = stages_.real_shift(h);
  const auto k = static_cast<std::size_t>(stages_.real_system());
  if (fresh || !linear_.ready() || c != linear_.shifts()[k].re) {
    if (const Eval e = linearize(h, fresh); e != Eval::ok) return failed(e);
  }
  for (;;) {
    if (h_last_ != 0) {
      stages_.z() = z_last_;
      stages_.extrapolate(h / h_last_);
      start_uncontrolled(h);
    } else {
      stages_.start_along(h, view(f_));
    }
    const Attempt::Kind kind =
        stages_.iterate(t_, view(y_), h, linear_, convergence_, correction_, nullptr);
    rate_ = convergence_.rate();
    iterations_ = convergence_.iterations();
    if (kind == Attempt::Kind::ok || kind == Attempt::Kind::fatal || fresh) return kind;
    fresh = true;
    convergence_.forget();
    if (const Eval e = linearize(h, true); e != Eval::ok) return failed(e);
  }
}

// Components that neither the error nor the iteration is judged by start along the line through the last two
// values: the polynomial would make what an iteration has left of them many times as large.
void Radau5::start_uncontrolled(double h) {
  const std::span<const char> algebraic = problem_.algebraic();
  const double share = h / (t_ - t_old_);
  for (std::size_t i = 0; i < algebraic.size(); ++i) {
    if (algebraic[i] == 0 || norm_.weights()[i] != 0) continue;
    const auto row = static_cast<Eigen::Index>(i);
    stages_.z().row(row) = share * (y_[row] - y_old_[row]) * stages_.tableau().c.transpose();
  }
}

Attempt Radau5::attempt(double h) {
  h_ = h;
  norm_.weigh(view(y_));
  correction_.by_tolerance(norm_);
  const Attempt::Kind kind = solve(h);
  renew_ = kind != Attempt::Kind::ok;
  if (kind != Attempt::Kind::ok) return {kind, 0};
  stages_.end_point(view(y_), view(y_new_));
  double error = 0;
  if (const Eval e = estimate(h, error); e != Eval::ok) return {failed(e), 0};
  return {kind, error};
}

Eval Radau5::estimate(double h, double& error) {
  const double c = stages_.real_shift(h);
  const Eigen::MatrixXd& z = stages_.z();
  combined_ = (e1 * z.col(0) + e2 * z.col(1) + e3 * z.col(2)) / h;
  error_ = c * (f_ + combined_);
  clear_algebraic(problem_, error_);
  const int k = stages_.real_system();
  if (const Eval e = linear_.solve(k, view(error_)); e != Eval::ok) return e;
  error = std::max(norm_(view(error_)), 1e-10);
  if (error < 1 || (h_last_ != 0 && !rejected_)) return Eval::ok;
  r_ = y_ + error_;
  if (problem_.evaluate(t_, view(r_), view(error_)) != Eval::ok) return Eval::ok;
  error_ = c * (error_ + combined_);
  clear_algebraic(problem_, error_);
  if (const Eval e = linear_.solve(k, view(error_)); e != Eval::ok) return e;
  error = std::max(norm_(view(error_)), 1e-10);
  return Eval::ok;
}

// The slope at the end is that of the last stage, from which a projection has hardly moved it.
Eval Radau5::accept(bool) {
  z_last_ = stages_.z();
  stages_.last_slope(h_, view(r_));
  shift();
  f_ = r_;
  return Eval::ok;
}

// Fewer iterations earn a bolder step.
double Radau5::factor(double error) const {
  const double most = 2 * most_iterations + 1;
  const double careful = std::min(safety, safety * most / (2 * most_iterations + iterations_));
  return std::clamp(careful * elementary::pow(error, -0.25), shrink, most_growth);
}

Choice Radau5::next(const Attempt& a) {
  double by = factor(a.error);
  if (h_last_ != 0) {  // predictive: the error's change over the last two steps goes on
    const double predicted =
        safety * h_ / h_last_ * elementary::pow(error_last_ / (a.error * a.error), 0.25);
    by = std::min(by, std::clamp(predicted, shrink, most_growth));
  }
  h_last_ = h_;
  error_last_ = std::max(a.error, 1e-2);
  if (rejected_) by = std::min(by, 1.0);
  if (barred_ != 0) by = std::min(by, std::max(1.0, below_barred * barred_ / std::abs(h_)));
  barred_ = barred_ > most_growth * std::abs(h_) ? 0 : barred_ * forget_barred;
  rejected_ = false;
  renew_ = rate_ > (problem_.algebraic().empty() ? keep_jacobian : keep_algebraic);
  if (!renew_ && by >= h_least && by <= h_most) by = 1;
  return {h_ * by, order()};
}

Choice Radau5::retry(const Attempt& a) {
  rejected_ = true;
  if (a.kind == Attempt::Kind::not_converged) barred_ = std::abs(h_);
  if (a.kind != Attempt::Kind::ok) return {0.5 * h_, order()};
  return {(h_last_ == 0 ? 0.1 : factor(a.error)) * h_, order()};
}

Eval Radau5::interpolate(double t, View y) {
  const double theta = (t - t_old_) / (t_ - t_old_);
  stages_.z() = z_last_;
  r_ = y_old_ + z_last_.col(2);
  stages_.increment(theta, y);
  as_vector(y) += y_old_ + theta * (y_ - r_);  // a projection has moved the end
  return Eval::ok;
}

void Radau5::serialize(Archive& a) {
  BasicMethod::serialize(a);
  linear_.serialize(a);
  convergence_.serialize(a);
  a.io(z_last_);
  for (double* x : {&h_last_, &error_last_, &rate_, &barred_}) a.io(*x);
  a.io(iterations_);
  a.io(renew_);
  a.io(rejected_);
}

}  // namespace cardan
