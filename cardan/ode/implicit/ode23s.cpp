#include "cardan/ode/implicit/ode23s.h"

#include <complex>

namespace cardan {

namespace {

constexpr double root = 1.41421356237309504880;     // of 2
constexpr double d = 1 / (2 + root), e = 6 + root;  // of the stages

}  // namespace

Ode23s::Ode23s(OdeProblem& problem, const Traits& traits) : BasicMethod(problem, traits) {
  controller_.exponent = 1. / 3;
  controller_.beta = 0;
}

Eval Ode23s::start(double t, CView y, const Tolerance& tolerance) {
  const int n = problem_.size();
  linear_.prepare(problem_, 1);
  renew_ = true;
  for (Eigen::VectorXd* x : {&f_t_, &f1_, &f2_, &k1_, &k2_, &k3_, &k1_old_, &k2_old_, &jump_})
    x->setZero(n);
  return BasicMethod::start(t, y, tolerance);
}

Eval Ode23s::linearize(double h) {
  const Shift shift{h * d, 0};
  const Eval eval = linear_.update(t_, view(y_), view(f_), {&shift, 1}, renew_);
  if (eval != Eval::ok || !renew_) return eval;
  renew_ = false;
  return problem_.f_t(t_, view(y_), view(f_), h, view(f_t_));
}

Eval Ode23s::stages(double h) {
  k1_ = f_ + h * d * f_t_;
  Eval eval = linear_.solve(0, view(k1_));
  y_new_ = y_ + 0.5 * h * k1_;
  if (eval == Eval::ok) eval = problem_.evaluate(t_ + 0.5 * h, view(y_new_), view(f1_));
  if (eval != Eval::ok) return eval;
  k2_ = f1_ - k1_;
  eval = linear_.solve(0, view(k2_));
  k2_ += k1_;
  y_new_ = y_ + h * k2_;
  if (eval == Eval::ok) eval = problem_.evaluate(t_ + h, view(y_new_), view(f2_));
  if (eval != Eval::ok) return eval;
  k3_ = f2_ - e * (k2_ - f1_) - 2 * (k1_ - f_) + h * d * f_t_;
  return linear_.solve(0, view(k3_));
}

Attempt Ode23s::attempt(double h) {
  h_ = h;
  Eval eval = linearize(h);
  if (eval != Eval::ok) renew_ = true;
  if (eval == Eval::ok) eval = stages(h);
  if (eval != Eval::ok) return {failed(eval), 0};
  error_ = h / 6 * (k1_ - 2 * k2_ + k3_);
  norm_.weigh(view(y_), view(y_new_));
  return {Attempt::Kind::ok, norm_(view(error_))};
}

Eval Ode23s::accept(bool projected) {
  if (projected) {
    if (const Eval eval = problem_.evaluate(t_ + h_, view(y_new_), view(f2_)); eval != Eval::ok)
      return eval;
  }
  jump_ = y_new_ - (y_ + h_ * k2_);
  k1_old_ = k1_;
  k2_old_ = k2_;
  shift();
  f_ = f2_;
  renew_ = true;
  return Eval::ok;
}

Eval Ode23s::interpolate(double t, View y) {
  const double h = t_ - t_old_, s = h == 0 ? 1 : (t - t_old_) / h, scale = h / (1 - 2 * d);
  as_vector(y) = y_old_ + scale * s * (1 - s) * k1_old_ + scale * s * (s - 2 * d) * k2_old_ +
                 s * s * (3 - 2 * s) * jump_;
  return Eval::ok;
}

void Ode23s::serialize(Archive& a) {
  BasicMethod::serialize(a);
  linear_.serialize(a);
  a.io(renew_);
  for (Eigen::VectorXd* x : {&f_t_, &k1_old_, &k2_old_, &jump_}) a.io(*x);
}

double amplification_ode23s(std::complex<double> z) {
  const std::complex<double> w = 1.0 / (1.0 - d * z), k1 = z * w;
  const std::complex<double> k2 = w * (z * (1.0 + 0.5 * k1) - k1) + k1;
  return std::abs(1.0 + k2);
}

}  // namespace cardan
