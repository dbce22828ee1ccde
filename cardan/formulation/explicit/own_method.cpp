#include "cardan/formulation/explicit/own_method.h"

#include <algorithm>

#include "cardan/formulation/increment.h"

namespace cardan {

ConstrainedMethod::ConstrainedMethod(OdeProblem& problem,
                                     MotionSolver& motion,
                                     const Traits& traits)
    : BasicMethod(problem, traits),
      motion_(motion),
      system_(motion.system()),
      n_q_(static_cast<std::size_t>(system_.q_size())),
      n_v_(static_cast<std::size_t>(system_.v_size())),
      a_(n_v_),
      a_old_(n_v_),
      lambda_(static_cast<std::size_t>(system_.equations().rows())),
      d_(n_v_),
      rate_(n_v_),
      second_(n_v_),
      bend_(n_v_) {}

Eval ConstrainedMethod::start(double t, CView y, const Tolerance& tolerance) {
  if (const Eval e = BasicMethod::start(t, y, tolerance); e != Eval::ok) return e;
  std::copy_n(f_.data() + n_q_, n_v_, a_.begin());
  a_old_ = a_;
  return Eval::ok;
}

void ConstrainedMethod::take_over(const std::vector<double>& a_new) {
  shift();
  a_old_.swap(a_);
  a_ = a_new;
}

// In space d is the rotation vector from the old pose, with d' = L(d) omega and d'' = L omega' + L'
// omega; L(0) = 1.
Eval ConstrainedMethod::interpolate(double t, View y) {
  const double h = t_ - t_old_, s = h == 0 ? 1 : (t - t_old_) / h;
  system_.difference(q(y_), q(y_old_), d_);
  increment_rate(system_, d_, v(y_), rate_);
  increment_rate(system_, d_, a_, second_);
  increment_bend(system_, d_, v(y_), bend_);
  for (std::size_t k = 0; k < n_v_;
       ++k) {  // c3, c4, c5 of d = v s h + a (s h)^2 / 2 + c3 s^3 + c4 s^4 + c5 s^5
    const double v0 = h * v(y_old_)[k], v1 = h * rate_[k], a0 = h * h * a_old_[k],
                 a1 = h * h * (second_[k] + bend_[k]);
    const double d = d_[k] - v0 - 0.5 * a0, e = v1 - v0 - a0, g = a1 - a0;
    const double c3 = 10 * d - 4 * e + 0.5 * g, c4 = -15 * d + 7 * e - g,
                 c5 = 6 * d - 3 * e + 0.5 * g;
    d_[k] = s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))));
    rate_[k] = h == 0 ? v(y_)[k] : (v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h;
  }
  increment_velocity(system_, d_, rate_, y.subspan(n_q_, n_v_));
  system_.advance(q(y_old_), d_, y.first(n_q_));
  for (std::size_t k = n_q_ + n_v_; k < y.size(); ++k) {  // first-order states: cubic
    const auto i = static_cast<Eigen::Index>(k);
    const double u = 1 - s;
    y[k] = u * u * (1 + 2 * s) * y_old_[i] + h * s * u * u * f_old_[i] +
           s * s * (3 - 2 * s) * y_[i] - h * s * s * u * f_[i];
  }
  return Eval::ok;
}

void ConstrainedMethod::serialize(Archive& archive) {
  BasicMethod::serialize(archive);
  archive.io(a_);
  archive.io(a_old_);
  archive.io(lambda_);
}

}  // namespace cardan
