#include "cardan/ode/problem.h"

#include <cmath>
#include <limits>

#include "cardan/ode/dense_newton.h"
#include "cardan/ode/several/stage_sums.h"

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

void OdeProblem::reserve_several(int width) {
  one_y_.setZero(size());
  one_dy_ = one_y_;
  times_.assign(static_cast<std::size_t>(width), 0.0);
}

Eval OdeProblem::f_of_several(int width, CView t, CView y, View dy) {
  const auto n = static_cast<std::size_t>(one_y_.size()), w = static_cast<std::size_t>(width);
  const View one(one_y_.data(), n), one_dy(one_dy_.data(), n);
  for (std::size_t k = 0; k < w; ++k) {
    for (std::size_t i = 0; i < n; ++i) one[i] = y[i * w + k];
    if (const Eval e = f(t[k], one, one_dy); e != Eval::ok) {
      bad_ = {-1, t[k]};
      return e;
    }
    for (std::size_t i = 0; i < n; ++i) dy[i * w + k] = one_dy[i];
  }
  return Eval::ok;
}

Eval OdeProblem::evaluate_several(int width, CView t, CView y, View dy) {
  stats_.f += width;
  for (std::size_t k = 0; k < times_.size(); ++k) times_[k] = within(t[k]);
  bad_ = {-1, t[0]};
  const Eval e = f_of_several(width, times_, y, dy);
  return e != Eval::ok ? e : guard_several(width, t, dy);
}

Eval OdeProblem::evaluate_quadratures(int width, CView t, CView y, View dy) {
  for (std::size_t k = 0; k < times_.size(); ++k) times_[k] = within(t[k]);
  const Eval e = quadrature_rates(width, times_, y, dy);
  return e != Eval::ok ? e : guard_several(width, t, dy);
}

Eval OdeProblem::guard_several(int width, CView t, CView dy) {
  if (all_finite(dy)) return Eval::ok;
  for (std::size_t i = 0; i < dy.size(); ++i) {
    if (std::isfinite(dy[i])) continue;
    const std::size_t w = static_cast<std::size_t>(width);
    bad_ = {static_cast<int>(i / w), t[i % w]};
    break;
  }
  return Eval::retry;
}

}  // namespace cardan
