#include "cardan/ode/problem.h"

#include <cmath>
#include <limits>

#include "cardan/ode/dense_newton.h"

namespace cardan {

OdeProblem::OdeProblem() : newton_(std::make_unique<DenseNewton>()) {}

OdeProblem::~OdeProblem() = default;

std::string OdeProblem::component_name(int i) const {
  return "y[" + std::to_string(i) + "]";
}

bool OdeProblem::jacobian(double, CView, View) {
  return false;
}

void OdeProblem::reserve(int shifts) {
  newton_->reserve(size(), shifts);
}

Eval OdeProblem::setup(double t, CView y, CView dy, std::span<const Shift> shifts, Reuse allowed) {
  return newton_->setup(*this, t, y, dy, shifts, allowed);
}

Eval OdeProblem::solve(int k, View re, View im) {
  ++stats_.solve;
  return newton_->solve(k, re, im);
}

Eval OdeProblem::f_t(double t, CView y, CView dy, double h, View out) {
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  const double size = std::min(root * std::max(std::abs(t), std::abs(t + h)), std::abs(h));
  const volatile double there = t + std::copysign(std::max(size, root * std::abs(h)), h);
  if (const Eval e = evaluate(there, y, out); e != Eval::ok) return e;
  as_vector(out) = (as_vector(out) - as_vector(dy)) / (there - t);
  return Eval::ok;
}

Eval OdeProblem::f_y_times(double t, CView y, CView dy, CView v, View out) {
  const double length = as_vector(v).stableNorm();
  if (!(length > 0)) {
    as_vector(out).setZero();
    return Eval::ok;
  }
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  const double step = root * std::max(as_vector(y).stableNorm(), 1e-5) / length;
  moved_ = as_vector(y) + step * as_vector(v);
  const CView there{moved_.data(), static_cast<std::size_t>(moved_.size())};
  if (const Eval e = evaluate(t, there, out); e != Eval::ok) return e;
  as_vector(out) = (as_vector(out) - as_vector(dy)) / step;
  return Eval::ok;
}

Eval OdeProblem::project(double, View, View) {
  return Eval::ok;
}

Eval OdeProblem::evaluate(double t, CView y, View dy) {
  ++stats_.f;
  const Eval e = f(within(t), y, dy);
  if (e != Eval::ok) {
    bad_ = {-1, t};
    return e;
  }
  if ((as_vector(dy).array() * 0.0).sum() == 0) return Eval::ok;  // 0 times infinity is NaN
  for (std::size_t i = 0; i < dy.size(); ++i) {
    if (std::isfinite(dy[i])) continue;
    bad_ = {static_cast<int>(i), t};
    break;
  }
  return Eval::retry;
}

}  // namespace cardan
