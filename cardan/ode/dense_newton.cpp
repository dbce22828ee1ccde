#include "cardan/ode/dense_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "cardan/math/elementary.h"
#include "cardan/ode/views.h"

namespace cardan {

void difference_increments(CView y, CView change, View out) {
  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    out[i] = std::max(std::abs(y[i]), std::abs(change[i]));
    largest = std::max(largest, out[i]);
  }
  if (!(largest > 0)) largest = 1;
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double size = root * std::max(out[i], 1e-5 * largest);
    const double wish = change[i] < 0 ? -size : size;
    const volatile double there = y[i] + wish;  // an increment that is exact in the arithmetic
    out[i] = there - y[i];
  }
}

void DenseNewton::reserve(int n, int shifts) {
  if (n != n_) factors_.clear();
  n_ = n;
  known_ = false;
  f_y_.resize(n, n);
  for (Eigen::VectorXd* x : {&y_, &dy_, &slope_, &increment_, &work_}) x->resize(n);
  complex_work_.resize(n);
  complex_x_.resize(n);
  factors_.resize(std::max(factors_.size(), static_cast<std::size_t>(shifts)));
  for (Factor& f : factors_) {
    if (f.W.rows() == n && n > 0) continue;
    f.W.resize(n, n);
    f.W_complex.resize(n, n);
    f.real = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
    f.complex = Eigen::PartialPivLU<Eigen::MatrixXcd>(n);
  }
  used_ = 0;
}

Eval DenseNewton::setup(OdeProblem& problem,
                        double t,
                        CView y,
                        CView dy,
                        std::span<const Shift> shifts,
                        Reuse allowed) {
  if (n_ != problem.size() || shifts.size() > factors_.size()) {
    reserve(problem.size(), static_cast<int>(shifts.size()));
  }
  if (shifts.empty()) throw std::invalid_argument("setup needs at least one shift");
  if (!known_ || allowed == Reuse::nothing) {
    known_ = false;
    ++problem.stats().jacobian;
    if (!problem.jacobian(t, y, {f_y_.data(), static_cast<std::size_t>(f_y_.size())})) {
      const double c = elementary::hypot(shifts[0].re, shifts[0].im);
      if (const Eval e = differences(problem, t, y, dy, c); e != Eval::ok) return e;
    }
    if (!f_y_.allFinite()) return Eval::retry;
    known_ = true;
    used_ = 0;
  }
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const Shift s = shifts[k], old = factors_[k].shift;
    if (allowed == Reuse::factors && k < used_ && s.re == old.re && s.im == old.im) continue;
    ++problem.stats().factorization;
    if (!factor(factors_[k], s, problem.algebraic())) {
      used_ = 0;
      return Eval::retry;
    }
  }
  used_ = shifts.size();
  return Eval::ok;
}

Eval DenseNewton::differences(OdeProblem& problem, double t, CView y, CView given, double c) {
  CView dy = given;
  if (given.empty()) {
    if (const Eval e = problem.evaluate(t, y, view(slope_)); e != Eval::ok) return e;
    dy = view(slope_);
  }
  work_ = c * as_vector(dy);
  for (int j = 0; j < n_; ++j)
    work_[j] = std::copysign(std::max(std::abs(work_[j]), problem.natural_size(j)), work_[j]);
  difference_increments(y, view(work_), view(increment_));
  y_ = as_vector(y);
  for (int j = 0; j < n_; ++j) {
    y_[j] += increment_[j];
    Eval e = problem.evaluate(t, view(y_), view(dy_));
    if (e == Eval::retry) {  // perhaps the other side is still inside the domain
      increment_[j] = -increment_[j];
      y_[j] = y[static_cast<std::size_t>(j)] + increment_[j];
      e = problem.evaluate(t, view(y_), view(dy_));
    }
    if (e != Eval::ok) return e;
    f_y_.col(j) = (dy_ - as_vector(dy)) / increment_[j];
    y_[j] = y[static_cast<std::size_t>(j)];
  }
  return Eval::ok;
}

bool DenseNewton::factor(Factor& f, Shift s, std::span<const char> algebraic) {
  const auto one = [&](Eigen::Index i) {
    return algebraic.empty() || algebraic[static_cast<std::size_t>(i)] == 0 ? 1.0 : 0.0;
  };
  f.shift = s;
  if (s.im == 0) {
    f.W = -s.re * f_y_;
    for (Eigen::Index i = 0; i < f.W.rows(); ++i) f.W(i, i) += one(i);
    f.real.compute(f.W);
    return f.real.matrixLU().diagonal().array().abs().minCoeff<Eigen::PropagateNaN>() > 0;
  }
  f.W_complex = f_y_.cast<std::complex<double>>() * std::complex<double>(-s.re, -s.im);
  for (Eigen::Index i = 0; i < f.W_complex.rows(); ++i) f.W_complex(i, i) += one(i);
  f.complex.compute(f.W_complex);
  return f.complex.matrixLU().diagonal().array().abs().minCoeff<Eigen::PropagateNaN>() > 0;
}

Eval DenseNewton::solve(int k, View re, View im) {
  if (k < 0 || static_cast<std::size_t>(k) >= used_) throw std::logic_error("solve before setup");
  const Factor& f = factors_[static_cast<std::size_t>(k)];
  if (f.shift.im == 0) {
    for (const View x : {re, im}) {  // a real matrix acts on both parts alike
      if (x.empty()) continue;
      work_ = as_vector(x);
      as_vector(x) = f.real.solve(work_);
    }
    return as_vector(re).allFinite() ? Eval::ok : Eval::retry;
  }
  if (im.size() != re.size()) throw std::logic_error("a complex shift needs both parts");
  complex_work_.real() = as_vector(re);
  complex_work_.imag() = as_vector(im);
  complex_x_ = f.complex.solve(complex_work_);
  as_vector(re) = complex_x_.real();
  as_vector(im) = complex_x_.imag();
  return as_vector(re).allFinite() && as_vector(im).allFinite() ? Eval::ok : Eval::retry;
}

}  // namespace cardan
