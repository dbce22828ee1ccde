#include "cardan/ode/implicit/implicit_stages.h"

#include <cmath>
#include <complex>

#include "cardan/ode/views.h"

namespace cardan {

StageSolver::StageSolver(ImplicitTableau tableau)
    : tableau_(std::move(tableau)), transform_(transform_stages(tableau_)) {
  shifts_.resize(transform_.blocks.size());
  for (std::size_t k = 0; k < transform_.blocks.size(); ++k) {
    if (transform_.blocks[k].im == 0) real_ = static_cast<int>(k);
  }
  weights_.setZero(tableau_.stages() + 1);
}

void StageSolver::prepare(OdeProblem& problem) {
  problem_ = &problem;
  const Eigen::Index n = problem.size(), s = tableau_.stages();
  for (Eigen::MatrixXd* m : {&z_, &next_, &f_, &r_, &w_}) m->setZero(n, s);
  stage_.setZero(n);
}

std::span<const Shift> StageSolver::shifts(double h) {
  for (std::size_t k = 0; k < shifts_.size(); ++k) {
    const std::complex<double> lambda(transform_.blocks[k].re, transform_.blocks[k].im);
    const std::complex<double> c = h / lambda;
    shifts_[k] = {c.real(), transform_.blocks[k].im == 0 ? 0 : c.imag()};
  }
  return shifts_;
}

double StageSolver::real_shift(double h) const {
  return h / transform_.blocks[static_cast<std::size_t>(real_)].re;
}

// r = h F - Z A^-T, stages in columns; h F alone where F is a residual.
Eval StageSolver::residual(double t, CView y, double h) {
  for (Eigen::Index i = 0; i < z_.cols(); ++i) {
    stage_ = as_vector(y) + z_.col(i);
    const CView at{stage_.data(), static_cast<std::size_t>(stage_.size())};
    const Eval e = problem_->evaluate(t + tableau_.c[i] * h, at, column(f_, i));
    if (e != Eval::ok) return e;
  }
  r_ = h * f_;
  r_.noalias() -= z_.lazyProduct(transform_.A_inverse.transpose());
  const std::span<const char> algebraic = problem_->algebraic();
  for (std::size_t i = 0; i < algebraic.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (algebraic[i] != 0) r_.row(row) = h * f_.row(row);
  }
  return Eval::ok;
}

// r <- dZ.
Eval StageSolver::correction(Linearization& linear) {
  w_.noalias() = r_.lazyProduct(transform_.T_inverse.transpose());
  for (std::size_t k = 0; k < transform_.blocks.size(); ++k) {
    const StageTransform::Block& b = transform_.blocks[k];
    Eval e = Eval::ok;
    if (b.im == 0) {
      w_.col(b.first) /= b.re;
      e = linear.solve(static_cast<int>(k), column(w_, b.first));
    } else {
      const double size = b.re * b.re + b.im * b.im;
      for (Eigen::Index i = 0; i < w_.rows(); ++i) {
        const double re = w_(i, b.first), im = w_(i, b.first + 1);
        w_(i, b.first) = (re * b.re + im * b.im) / size;
        w_(i, b.first + 1) = (im * b.re - re * b.im) / size;
      }
      e = linear.solve(static_cast<int>(k), column(w_, b.first), column(w_, b.first + 1));
    }
    if (e != Eval::ok) return e;
  }
  r_.noalias() = w_.lazyProduct(transform_.T.transpose());
  return Eval::ok;
}

Attempt::Kind StageSolver::iterate(double t,
                                   CView y,
                                   double h,
                                   Linearization& linear,
                                   Convergence& convergence,
                                   CorrectionNorm& norm,
                                   const ErrorNorm* round_off) {
  convergence.begin();
  const Eigen::Index s = z_.cols();
  for (;;) {
    if (const Eval e = residual(t, y, h); e != Eval::ok) return failed(e);
    if (const Eval e = correction(linear); e != Eval::ok) return failed(e);
    ++problem_->stats().newton;
    z_ += r_;
    if (round_off != nullptr && convergence.iterations() == 0)
      norm.by_round_off(y, column(z_, s - 1), *round_off);
    double sum = 0;
    for (Eigen::Index i = 0; i < s; ++i) {
      const double size = norm(column(r_, i));
      sum += size * size;
    }
    switch (convergence.judge(std::sqrt(sum / static_cast<double>(s)))) {
      case Convergence::Verdict::done:
        return Attempt::Kind::ok;
      case Convergence::Verdict::hopeless:
        return Attempt::Kind::not_converged;
      case Convergence::Verdict::go_on:
        break;
    }
  }
}

void StageSolver::end_point(CView y, View out) const {
  as_vector(out) = as_vector(y);
  as_vector(out).noalias() += z_.lazyProduct(transform_.end);
}

void StageSolver::last_slope(double h, View out) const {
  const Eigen::Index last = z_.cols() - 1;
  as_vector(out).noalias() = z_.lazyProduct(transform_.A_inverse.row(last).transpose()) / h;
}

void StageSolver::increment(double theta, View out) const {
  collocation_weights(tableau_.c, theta, weights_);
  as_vector(out).noalias() = z_.lazyProduct(weights_.tail(z_.cols()));
}

void StageSolver::start_along(double h, CView f) {
  for (Eigen::Index i = 0; i < z_.cols(); ++i) z_.col(i) = tableau_.c[i] * h * as_vector(f);
}

void StageSolver::extrapolate(double ratio) {
  stage_.noalias() = z_.lazyProduct(transform_.end);
  for (Eigen::Index i = 0; i < z_.cols(); ++i) {
    increment(1 + ratio * tableau_.c[i], column(next_, i));
    next_.col(i) -= stage_;
  }
  z_.swap(next_);
}

}  // namespace cardan
