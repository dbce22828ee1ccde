#include "cardan/ode/basic_method.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cardan/math/elementary.h"

namespace cardan {

Eval BasicMethod::start(double t, CView y, const Tolerance& tolerance) {
  const int n = problem_.size();
  if (static_cast<int>(y.size()) != n) throw std::invalid_argument("start: y has the wrong size");
  norm_.prepare(tolerance, n);
  controller_.reset();
  t_ = t_old_ = t;
  h_ = 0;
  y_ = as_vector(y);
  Eval e = problem_.complete(problem_.within(t), view(y_));
  y_old_ = y_new_ = y_;
  f_.setZero(n);
  error_.setZero(n);
  if (e == Eval::ok && wants_f_) e = problem_.evaluate(t, view(y_), view(f_));
  f_old_ = f_;
  return e;
}

// Hairer, Norsett & Wanner I, II.4: h such that an explicit Euler step and the change of f over it
// are well below the tolerance. The trial point stays within the interval. Of values below the tolerance, as what
// is left of a velocity where a motion turns back, the size says nothing.
double BasicMethod::initial_step(double t_end) {
  const double span = std::abs(t_end - t_), direction = t_end < t_ ? -1 : 1;
  if (span == 0) return 0;
  norm_.weigh(view(y_));
  const double size = norm_(view(y_)), slope = norm_(view(f_));
  double h = size < 1e-5 || slope < 1e-5 ? 1e-6 * std::max(span, 1e-3)
                                         : 0.01 * std::max(size, 1.0) / slope;
  h = std::min(h, span);
  for (int trial = 0; trial < 12; ++trial, h /= 10) {
    y_new_ = y_ + direction * h * f_;
    if (problem_.evaluate(t_ + direction * h, view(y_new_), view(error_)) == Eval::ok) break;
  }
  error_ -= f_;
  const double bend = norm_(view(error_)) / h, most = std::max(slope, bend);
  const double order = 1 / controller_.exponent;
  const double by_order =
      most <= 1e-15 ? std::max(1e-6, h * 1e-3) : elementary::pow(0.01 / most, 1 / order);
  return direction * std::min({100 * h, by_order, span});
}

Choice BasicMethod::next(const Attempt& a) {
  return {traits_.adaptive ? controller_.after_accept(h_, a.error) : h_, order()};
}

Choice BasicMethod::retry(const Attempt& a) {
  const bool measured = a.kind == Attempt::Kind::ok;
  return {measured ? controller_.after_reject(h_, a.error) : controller_.after_failure(h_),
          order()};
}

void BasicMethod::shift() {
  t_old_ = t_;
  t_ += h_;
  y_old_.swap(y_);
  y_ = y_new_;
  f_old_.swap(f_);
}

void BasicMethod::serialize(Archive& a) {
  a.mark(traits_.name);
  controller_.serialize(a);
  a.io(t_);
  a.io(t_old_);
  a.io(h_);
  for (Eigen::VectorXd* x : {&y_, &y_old_, &y_new_, &f_, &f_old_, &error_}) a.io(*x);
}

}  // namespace cardan
