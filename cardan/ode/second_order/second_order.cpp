#include "cardan/ode/second_order/second_order.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cardan/math/dense.h"
#include "cardan/ode/dense_newton.h"
#include "cardan/ode/views.h"

namespace cardan {

// a_q and a_v by forward differences along tangent increments, and LU of I - c_q a_q - c_v a_v.
class DenseNewton2 {
 public:
  void reserve(const SecondOrderProblem& p) {
    if (n_ != p.velocities()) lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(p.velocities());
    n_ = p.velocities();
    known_ = factored_ = false;
    a_q_.resize(n_, n_);
    a_v_.resize(n_, n_);
    W_.resize(n_, n_);
    for (Eigen::VectorXd* x : {&v_, &a_, &d_, &increment_}) x->setZero(n_);
    q_.resize(p.positions());
  }

  Eval setup(SecondOrderProblem& p,
             double t,
             CView q,
             CView v,
             CView a,
             double c_q,
             double c_v,
             Reuse allowed) {
    if (n_ != p.velocities()) reserve(p);
    if (!known_ || allowed == Reuse::nothing) {
      known_ = factored_ = false;
      ++p.stats().jacobian;
      if (const Eval e = differences(p, t, q, v, a, std::sqrt(std::abs(c_q))); e != Eval::ok) {
        return e;
      }
      known_ = true;
    }
    if (factored_ && allowed == Reuse::factors && c_q == c_q_ && c_v == c_v_) return Eval::ok;
    ++p.stats().factorization;
    W_ = -c_q * a_q_ - c_v * a_v_;
    W_.diagonal().array() += 1;
    lu_.compute(W_);
    c_q_ = c_q;
    c_v_ = c_v;
    factored_ = lu_.matrixLU().diagonal().array().abs().minCoeff<Eigen::PropagateNaN>() > 0;
    return factored_ ? Eval::ok : Eval::retry;
  }

  Eval solve(View x) {
    if (!factored_) throw std::logic_error("solve before setup");
    d_ = as_vector(x);
    as_vector(x) = lu_.solve(d_);
    return as_vector(x).allFinite() ? Eval::ok : Eval::retry;
  }

 private:
  Eval differences(SecondOrderProblem& p, double t, CView q, CView v, CView a, double h) {
    // positions: the size of q has no meaning for tangent increments of a manifold; one length
    // serves
    const double length = std::max(as_vector(q).lpNorm<Eigen::Infinity>(),
                                   h * as_vector(v).lpNorm<Eigen::Infinity>());
    const double step = 1.5e-8 * (length > 0 ? length : 1);
    for (int j = 0; j < n_; ++j) {
      d_.setZero();
      d_[j] = step;
      p.increment(q, view(d_), view(q_));
      if (const Eval e = p.evaluate(t, view(q_), v, view(a_)); e != Eval::ok) return e;
      a_q_.col(j) = (a_ - as_vector(a)) / step;
    }
    d_ = h * as_vector(a);
    for (double& x : d_) x = std::copysign(std::max(std::abs(x), p.natural_size()), x);
    difference_increments(v, view(d_), view(increment_));
    v_ = as_vector(v);
    for (int j = 0; j < n_; ++j) {
      v_[j] += increment_[j];
      if (const Eval e = p.evaluate(t, q, view(v_), view(a_)); e != Eval::ok) return e;
      a_v_.col(j) = (a_ - as_vector(a)) / increment_[j];
      v_[j] = v[static_cast<std::size_t>(j)];
    }
    return Eval::ok;
  }

  int n_ = -1;
  bool known_ = false, factored_ = false;
  double c_q_ = 0, c_v_ = 0;
  Eigen::MatrixXd a_q_, a_v_, W_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd q_, v_, a_, d_, increment_;
};

SecondOrderProblem::SecondOrderProblem() : newton_(std::make_unique<DenseNewton2>()) {}

SecondOrderProblem::~SecondOrderProblem() = default;

void SecondOrderProblem::rate(CView, CView v, View dq) const {
  std::copy(v.begin(), v.end(), dq.begin());
}

void SecondOrderProblem::increment(CView q, CView d, View out) const {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = q[i] + d[i];
}

void SecondOrderProblem::difference(CView q0, CView q1, View d) const {
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = q1[i] - q0[i];
}

std::string SecondOrderProblem::position_name(int i) const {
  return "q[" + std::to_string(i) + "]";
}

std::string SecondOrderProblem::velocity_name(int i) const {
  return "v[" + std::to_string(i) + "]";
}

Eval SecondOrderProblem::project(double, View, View) {
  return Eval::ok;
}

void SecondOrderProblem::reserve() {
  newton_->reserve(*this);
}

Eval SecondOrderProblem::setup(
    double t, CView q, CView v, CView a, double c_q, double c_v, Reuse allowed) {
  return newton_->setup(*this, t, q, v, a, c_q, c_v, allowed);
}

Eval SecondOrderProblem::solve(View x) {
  ++stats_->solve;
  return newton_->solve(x);
}

Eval SecondOrderProblem::evaluate(double t, CView q, CView v, View a) {
  ++stats_->f;
  const Eval e = acceleration(t, q, v, a);
  if (e != Eval::ok) return e;
  return as_vector(a).allFinite() ? Eval::ok : Eval::retry;
}

FirstOrderForm::FirstOrderForm(SecondOrderProblem& problem) : problem_(problem) {
  problem.share_stats(stats());
}

int FirstOrderForm::size() const {
  return problem_.positions() + problem_.velocities();
}

Eval FirstOrderForm::f(double t, CView y, View dy) {
  const auto nq = static_cast<std::size_t>(problem_.positions());
  const CView q = y.first(nq), v = y.subspan(nq);
  problem_.rate(q, v, dy.first(nq));
  return problem_.acceleration(t, q, v, dy.subspan(nq));
}

std::string FirstOrderForm::component_name(int i) const {
  const int nq = problem_.positions();
  return i < nq ? problem_.position_name(i) : problem_.velocity_name(i - nq);
}

Eval FirstOrderForm::project(double t, View y, View) {
  const auto nq = static_cast<std::size_t>(problem_.positions());
  return problem_.project(t, y.first(nq), y.subspan(nq));
}

}  // namespace cardan
