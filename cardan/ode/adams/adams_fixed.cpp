#include "cardan/ode/adams/adams_fixed.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/interpolation.h"
#include "cardan/ode/adams/adams_coefficients.h"
#include "cardan/ode/archive_lists.h"
#include "cardan/ode/runge_kutta/runge_kutta.h"

namespace cardan {

namespace {

double gamma(int i) {
  return adams_gamma[static_cast<std::size_t>(i)].value();
}

double gamma_star_value(int i) {
  return adams_gamma_star[static_cast<std::size_t>(i)].value();
}

}  // namespace

AdamsFixed::AdamsFixed(OdeProblem& problem, const AdamsOptions& options, const Traits& traits)
    : BasicMethod(problem, traits),
      options_(options),
      needed_(options.scheme == AdamsScheme::am ? std::max(1, options.order - 1) : options.order) {
  if (needed_ > 1 && options.start == AdamsStart::accurate) starter_ = accurate_starter(problem);
  if (needed_ > 1 && options.start == AdamsStart::small_steps) {
    AdamsOptions self = options;
    self.start = AdamsStart::self;
    starter_ = small_step_starter(std::make_unique<AdamsFixed>(problem, self, traits));
  }
}

Eval AdamsFixed::start(double t, CView y, const Tolerance& tolerance) {
  const int n = problem_.size();
  if (const Eval e = BasicMethod::start(t, y, tolerance); e != Eval::ok) return e;
  if (options_.scheme == AdamsScheme::am) problem_.reserve(1);
  D_.setZero(n, options_.order + 2);
  D_.col(0) = f_;
  for (Eigen::VectorXd* x : {&predicted_,
                             &f_predicted_,
                             &f_next_,
                             &known_part_,
                             &column_,
                             &D_last_,
                             &predictor_error_,
                             &corrector_error_}) {
    x->setZero(n);
  }
  known_ = order_ = predictor_terms_ = corrector_terms_ = 1;
  step_ = 0;
  started_step_ = has_predictor_error_ = has_corrector_error_ = false;
  return starter_ ? starter_->start(t, y) : Eval::ok;
}

Attempt AdamsFixed::attempt(double h) {
  if (step_ == 0 || std::abs(h - step_) > 1e-6 * std::abs(step_)) {  // another step: start over
    if (step_ != 0) {
      if (const Eval e = start(t_, view(y_), {}); e != Eval::ok) return {failed(e), 0};
    }
    step_ = h;
  }
  h_ = h;
  Eval e = Eval::ok;
  if (starting()) {
    e = starter_->step(t_, view(y_), h, view(y_new_));
    order_ = options_.order;
  } else {
    e = predict();
    if (e == Eval::ok) e = options_.scheme == AdamsScheme::am ? iterate() : correct();
  }
  if (e != Eval::ok) return {failed(e), 0};
  return {y_new_.allFinite() ? Attempt::Kind::ok : Attempt::Kind::retry, 0};
}

Eval AdamsFixed::predict() {
  const int p = predictor_terms_ = std::min(options_.order, known_);
  predicted_ = y_;
  for (int i = p - 1; i >= 0; --i) predicted_ += h_ * gamma(i) * D_.col(i);
  has_predictor_error_ = p < known_;
  if (has_predictor_error_) predictor_error_ = h_ * gamma(p) * D_.col(p);
  order_ = p;
  y_new_ = predicted_;
  if (options_.scheme == AdamsScheme::ab || options_.scheme == AdamsScheme::am) return Eval::ok;
  return problem_.evaluate(t_ + h_, view(predicted_), view(f_predicted_));
}

// h sum_{i<terms} gamma*_i nabla^i f_{n+1} = weight f_{n+1} + known_part, since nabla^i f_{n+1} =
// f_{n+1} - D_0 - ... - D_{i-1}.
void AdamsFixed::corrector_sum(int terms, double& weight, Eigen::VectorXd& known_part) const {
  weight = 0;
  known_part.setZero();
  double tail = 0;
  for (int i = terms - 1; i >= 0; --i) {
    weight += h_ * gamma_star_value(i);
    if (i == 0) break;
    tail += h_ * gamma_star_value(i);
    known_part -= tail * D_.col(i - 1);
  }
}

Eval AdamsFixed::correct() {
  if (options_.scheme == AdamsScheme::ab) return Eval::ok;
  const int p = predictor_terms_;
  const bool higher = options_.scheme == AdamsScheme::pece || options_.direct;
  corrector_terms_ = options_.all_terms ? options_.order + 1 : higher ? p + 1 : p;
  double weight = 0;
  corrector_sum(corrector_terms_, weight, known_part_);
  y_new_ = y_ + weight * f_predicted_ + known_part_;
  order_ = corrector_terms_;
  if (options_.scheme == AdamsScheme::mampc && !options_.direct) {
    const AdamsWeights w = modified_weights(p);
    y_new_ = w.bashforth.value() * predicted_ + w.moulton.value() * y_new_;
    order_ = corrector_terms_ = p + 1;
  }
  has_corrector_error_ = corrector_terms_ <= known_;
  if (has_corrector_error_) {  // nabla^c f_{n+1} with the predicted f
    corrector_error_ = f_predicted_;
    for (int i = 0; i < corrector_terms_; ++i) corrector_error_ -= D_.col(i);
    corrector_error_ *= h_ * gamma_star_value(corrector_terms_);
  }
  return Eval::ok;
}

Eval AdamsFixed::accept(bool) {
  const Eval e = problem_.evaluate(t_ + h_, view(y_new_), view(f_next_));
  if (e != Eval::ok) return e;
  started_step_ = starting();
  shift();
  f_ = f_next_;
  update_differences();
  return Eval::ok;
}

void AdamsFixed::update_differences() {
  const int most = options_.order + 2;
  known_ = std::min(known_ + 1, most);
  column_ = f_;
  for (int i = 0; i < known_; ++i) {  // new D_i in column_, old in D_last_
    D_last_ = D_.col(i);
    D_.col(i) = column_;
    column_ -= D_last_;
  }
}

Eval AdamsFixed::interpolate(double t, View y) {
  const double h = t_ - t_old_;
  if (started_step_ && starter_->looks_within()) {
    if (t == t_old_) {
      as_vector(y) = y_old_;
      return Eval::ok;
    }
    return starter_->look(t_old_, view(y_old_), t - t_old_, y);
  }
  const double s = h == 0 ? 0 : (t - t_) / h;
  if (known_ < 4) {
    hermite(1 + s, h, view(y_old_), view(f_old_), view(y_), view(f_), y);
    return Eval::ok;
  }
  double w[adams_most + 1];
  const int terms = std::min(known_, options_.order + 1);
  newton_backward_integral_weights(s, {w, static_cast<std::size_t>(terms)});
  as_vector(y) = y_;
  for (int i = terms - 1; i >= 0; --i) as_vector(y) += h * w[i] * D_.col(i);
  return Eval::ok;
}

bool AdamsFixed::predictor_error(View out) const {
  as_vector(out) = predictor_error_;
  return has_predictor_error_;
}

bool AdamsFixed::corrector_error(View out) const {
  as_vector(out) = corrector_error_;
  return has_corrector_error_;
}

void AdamsFixed::serialize(Archive& a) {
  BasicMethod::serialize(a);
  for (int* x : {&known_, &order_, &predictor_terms_, &corrector_terms_})
    io_within(a, *x, 0, options_.order + 2);
  a.io(step_);
  a.io(started_step_);
  a.io(has_predictor_error_);
  a.io(has_corrector_error_);
  a.io(D_);
  for (Eigen::VectorXd* x : {&predicted_, &predictor_error_, &corrector_error_}) a.io(*x);
  if (starter_) starter_->serialize(a);
}

}  // namespace cardan
