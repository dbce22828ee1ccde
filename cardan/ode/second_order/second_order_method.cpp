#include "cardan/ode/second_order/second_order_method.h"

#include <stdexcept>

#include "cardan/ode/runge_kutta/runge_kutta.h"

namespace cardan {

namespace {

SecondOrderProblem& second_order_form(OdeProblem& problem) {
  SecondOrderProblem* second = problem.second_order();
  if (!second) throw std::invalid_argument("the method needs positions and velocities");
  return *second;
}

}  // namespace

SecondOrderMethod::SecondOrderMethod(OdeProblem& problem, const Traits& traits)
    : BasicMethod(problem, traits), second_(second_order_form(problem)) {
  wants_f_ = false;
}

Eval SecondOrderMethod::start(double t, CView y, const Tolerance& tolerance) {
  nq_ = static_cast<std::size_t>(second_.positions());
  nv_ = static_cast<std::size_t>(second_.velocities());
  for (Eigen::VectorXd* x : {&a_, &a_new_, &d_}) x->setZero(second_.velocities());
  has_a_new_ = false;
  if (const Eval e = BasicMethod::start(t, y, tolerance); e != Eval::ok) return e;
  const Eval e = second_.evaluate(t, q(y_), v(y_), view(a_));
  a_old_ = a_;
  return e;
}

Eval SecondOrderMethod::accept(bool projected) {
  if (!has_a_new_ || projected) {
    const Eval e = second_.evaluate(t_ + h_, q(y_new_), v(y_new_), view(a_new_));
    if (e != Eval::ok) return e;
  }
  shift();
  a_old_.swap(a_);
  a_ = a_new_;
  has_a_new_ = false;
  return Eval::ok;
}

Eval SecondOrderMethod::interpolate(double t, View y) {
  const double h = t_ - t_old_, s = h == 0 ? 1 : (t - t_old_) / h, u = 1 - s;
  second_.difference(q(y_old_), q(y_), view(d_));
  for (std::size_t i = 0; i < nv_; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    d_[k] = s * s * (3 - 2 * s) * d_[k] + h * s * u * (u * v(y_old_)[i] - s * v(y_)[i]);
  }
  second_.increment(q(y_old_), view(d_), y.first(nq_));
  hermite(s, h, v(y_old_), view(a_old_), v(y_), view(a_), y.subspan(nq_));
  return Eval::ok;
}

void SecondOrderMethod::serialize(Archive& a) {
  BasicMethod::serialize(a);
  a.io(a_);
  a.io(a_old_);
}

}  // namespace cardan
