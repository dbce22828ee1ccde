#include "cardan/ode/bdf/bdf.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"
#include "cardan/ode/archive_lists.h"
#include "cardan/ode/views.h"

namespace cardan {

namespace {

constexpr double newton_share = 0.1;  // of the tolerance, left to Newton's iteration
// The same for equations without derivatives: their matrices age with the pose and not with its
// square, so that iterations are slower and what they leave has the same sign from step to step.
constexpr double algebraic_share = 0.001;
constexpr double refactor_beyond = 0.3;  // relative change of c since the factors were made
constexpr int factor_age = 20, jacobian_age = 50;                 // accepted steps
constexpr double bias_same = 6, bias_below = 6, bias_above = 10;  // on the error, when choosing
constexpr double worthwhile = 1.5;                                // a step is not changed for less
constexpr int not_lower = 15;    // steps without a lower order, after one whose first step failed
constexpr double less_of = 0.9;  // of the step that failed, at most, by the order before
constexpr double grow_first = 1e4, grow = 10;  // most growth of the step: the first, all others

}  // namespace

double ndf_kappa(int k) {
  constexpr double kappa[] = {0, -0.1850, -1.0 / 9, -0.0823, -0.0415};
  return k > 0 && k < 5 ? kappa[k] : 0;
}

BdfMethod::BdfMethod(OdeProblem& problem, const Traits& traits, int max_order, bool ndf)
    : BasicMethod(problem, traits),
      max_order_(max_order),
      convergence_({.missing = newton_share, .floor = 0, .most = 4}) {
  double gamma = 0;
  for (int k = 1; k <= highest; ++k) {
    gamma += 1.0 / k;
    kappa_[k] = ndf ? ndf_kappa(k) : 0;
    leading_[k] = (1 - kappa_[k]) * gamma;
  }
  controller_.exponent = 0.5;
}

Eval BdfMethod::start(double t, CView y, const Tolerance& tolerance) {
  const int n = problem_.size();
  linear_.prepare(problem_, 1);
  correction_.prepare(n);
  convergence_.forget();
  phi_.setZero(n, highest + 3);
  for (Eigen::VectorXd* x : {&y_pred_, &slope_, &d_, &r_, &pure_}) x->setZero(n);
  order_ = tried_order_ = accepted_order_ = 1;
  steps_ = steps_at_order_ = failures_ = steps_to_lower_ = 0;
  lowered_ = false;
  before_ = 0;
  first_ = may_grow_ = true;
  has_above_ = false;
  steps_since_factor_ = steps_since_jacobian_ = 0;
  refactor_ = renew_ = true;
  const Eval e = BasicMethod::start(t, y, tolerance);
  integrals_.start(problem_, tolerance, view(f_));
  return e;
}

// ---------------------------------------------------------------- one attempt

void BdfMethod::coefficients(double h) {
  if (first_) {  // as if the solution had come along its tangent
    for (int i = 0; i < highest + 2; ++i) psi_[i] = (i + 1) * h;
    phi_.col(0) = y_;
    phi_.col(1) = h * f_;
  }
  psi_new_[0] = h;
  beta_[0] = 1;
  for (int i = 0; i < highest + 2; ++i) {
    if (i > 0) psi_new_[i] = psi_[i - 1] + h;
    alpha_[i] = h / psi_new_[i];
    beta_[i + 1] = beta_[i] * psi_new_[i] / psi_[i];
  }
}

// y_pred = p(t + h), slope = h p'(t + h).
void BdfMethod::predict(double h) {
  coefficients(h);
  y_pred_.setZero();
  slope_.setZero();
  double gamma = 0;
  for (int i = 0; i <= order_; ++i) {
    y_pred_ += beta_[i] * phi_.col(i);
    slope_ += gamma * beta_[i] * phi_.col(i);
    gamma += alpha_[i];
  }
}

Attempt BdfMethod::attempt(double h) {
  h_ = h;
  tried_order_ = order_;
  predict(h);
  norm_.weigh(view(y_));
  correction_.by_tolerance(norm_);
  const Attempt::Kind kind = correct(h);
  if (kind != Attempt::Kind::ok) return {kind, 0};
  integrals_.integrate(h, psi_, view(y_), view(y_new_));
  for (const int i : integrals_.components()) d_[i] = y_new_[i] - y_pred_[i];
  double sum = 0;
  for (int i = 0; i <= order_; ++i) sum += alpha_[i];
  const double leading = leading_[order_];
  const double constant = std::max(
      std::abs(sum - leading), alpha_[order_] * (order_ + 1) * std::abs(error_constant(order_)));
  error_ = constant / leading * d_;
  return {kind, norm_(view(error_))};
}

Eval BdfMethod::linearize(double h, bool fresh) {
  if (fresh) {
    if (const Eval e = problem_.evaluate(t_ + h, view(y_pred_), view(r_)); e != Eval::ok) return e;
    steps_since_jacobian_ = 0;
  }
  const Shift shift{h / leading_[order_], 0};
  steps_since_factor_ = 0;
  refactor_ = renew_ = false;
  convergence_.forget();
  return linear_.update(t_ + h, view(y_pred_), view(r_), {&shift, 1}, fresh);
}

// r = f becomes the right side of a correction. Where the factors are those of another c, the
// derivatives' part is scaled (Brenan, Campbell & Petzold, 5.2.2); equations without derivatives
// need none.
void BdfMethod::residual(double c) {
  const double factored = linear_.shifts()[0].re, scale = 2 / (1 + c / factored);
  const std::span<const char> algebraic = problem_.algebraic();
  if (!algebraic.empty()) pure_ = factored * r_;
  r_ = scale * (c * r_ - slope_ / leading_[order_] - d_);
  for (std::size_t i = 0; i < algebraic.size(); ++i)
    if (algebraic[i] != 0) r_[static_cast<Eigen::Index>(i)] = pure_[static_cast<Eigen::Index>(i)];
}

// Newton for d = c f(t + h, y_pred + d) - h p' / leading, c = h / leading.
Attempt::Kind BdfMethod::correct(double h) {
  const double c = h / leading_[order_];
  bool fresh = false, evaluated = false;
  for (int tries = 0; tries < 2; ++tries) {
    const bool far = !linear_.ready() || std::abs(c / linear_.shifts()[0].re - 1) > refactor_beyond;
    if (tries > 0 || refactor_ || far || steps_since_factor_ >= factor_age) {
      fresh =
          tries > 0 || renew_ || !linear_.has_jacobian() || steps_since_jacobian_ >= jacobian_age;
      if (const Eval e = linearize(h, fresh); e != Eval::ok) return failed(e);
      evaluated = fresh;
    }
    const double share = problem_.algebraic().empty() ? newton_share : algebraic_share;
    convergence_.set_goal(share / std::abs(error_constant(order_)) * leading_[order_]);
    convergence_.begin();
    d_.setZero();
    y_new_ = y_pred_;
    for (;;) {
      if (!evaluated) {
        const Eval e = problem_.evaluate(t_ + h, view(y_new_), view(r_));
        if (e != Eval::ok) return failed(e);
      }
      evaluated = false;
      integrals_.take_rates(view(r_));
      residual(c);
      integrals_.take_right_side(view(r_));
      if (const Eval e = linear_.solve(0, view(r_)); e != Eval::ok) return failed(e);
      integrals_.correct_rates(view(r_), linear_.shifts()[0].re);
      ++problem_.stats().newton;
      d_ += r_;
      y_new_ = y_pred_ + d_;
      const Convergence::Verdict verdict = convergence_.judge(correction_(view(r_)));
      if (verdict == Convergence::Verdict::done) return Attempt::Kind::ok;
      if (verdict == Convergence::Verdict::hopeless) break;
    }
    if (fresh) break;
  }
  return Attempt::Kind::not_converged;
}

// ---------------------------------------------------------------- after an attempt

Eval BdfMethod::accept(bool projected) {
  if (projected) d_ = y_new_ - y_pred_;
  // h^(m+1) y^(m+1) for m = k - 1, k, k + 1 from differences of one more, one less
  size_ = norm_(view(d_));
  if (order_ > 1) {
    r_ = beta_[order_] * phi_.col(order_) + d_;
    size_below_ = norm_(view(r_));
  }
  has_above_ = order_ < max_order_ && steps_at_order_ >= order_;
  if (has_above_) {
    r_ = d_ - beta_[order_ + 1] * phi_.col(order_ + 1);
    size_above_ = norm_(view(r_));
  }
  phi_.col(order_ + 1) = d_;
  phi_.col(order_) = beta_[order_] * phi_.col(order_) + d_;
  for (int i = order_ - 1; i >= 0; --i) phi_.col(i) = beta_[i] * phi_.col(i) + phi_.col(i + 1);
  std::copy(std::begin(psi_new_), std::end(psi_new_), std::begin(psi_));
  shift();
  integrals_.accept();
  accepted_order_ = order_;
  first_ = false;
  steps_ = std::min(steps_ + 1, 2);
  ++steps_at_order_;
  ++steps_since_factor_;
  ++steps_since_jacobian_;
  return Eval::ok;
}

double BdfMethod::error_constant(int m) const {
  double gamma = 0;
  for (int j = 1; j <= m; ++j) gamma += 1.0 / j;
  return kappa_[m] * gamma + 1.0 / (m + 1);
}

// Of order m with equal steps h; `size` is that of phi_(m+2), made with the steps as they were.
double BdfMethod::scaled_error(int m, double size) const {
  double factor = std::abs(error_constant(m)) / leading_[m];
  for (int j = 1; j <= m + 1; ++j) factor *= j * alpha_[j - 1];
  return factor * size;
}

double BdfMethod::growth(int m, double error, double bias) const {
  return 1 / (elementary::pow(bias * error, 1.0 / (m + 1)) + 1e-6);
}

Choice BdfMethod::next(const Attempt&) {
  double factor = growth(order_, scaled_error(order_, size_), bias_same);
  int chosen = order_;
  if (steps_at_order_ > order_) {
    if (order_ > 1 && steps_to_lower_ == 0) {
      const double below = growth(order_ - 1, scaled_error(order_ - 1, size_below_), bias_below);
      if (below > factor) factor = below, chosen = order_ - 1;
    }
    if (has_above_) {
      const double above = growth(order_ + 1, scaled_error(order_ + 1, size_above_), bias_above);
      if (above > factor) factor = above, chosen = order_ + 1;
    }
  }
  factor = std::min(factor, may_grow_ ? (steps_ > 1 ? grow : grow_first) : 1.0);
  failures_ = 0;
  may_grow_ = true;
  if (steps_to_lower_ > 0) --steps_to_lower_;
  before_ = h_;
  if (factor < worthwhile) return {h_, order_};
  if (chosen != order_) {
    lowered_ = chosen < order_;
    order_ = chosen;
    steps_at_order_ = 0;
  }
  return {h_ * factor, order_};
}

Choice BdfMethod::retry(const Attempt& a) {
  may_grow_ = false;
  if (a.kind != Attempt::Kind::ok) {
    refactor_ = renew_ = true;
    return {0.25 * h_, order_};
  }
  ++failures_;
  if (lowered_ && steps_at_order_ == 0) {
    lowered_ = false;
    steps_to_lower_ = not_lower;
    ++order_;
    return {std::copysign(std::min(std::abs(before_), less_of * std::abs(h_)), h_), order_};
  }
  double factor = std::clamp(growth(order_, a.error, bias_same), 0.1, 0.9);
  if (failures_ > 1) factor = std::min(factor, 0.2);
  if (failures_ > 2 && order_ > 1) {
    --order_;
    steps_at_order_ = 0;
  }
  return {h_ * factor, order_};
}

Eval BdfMethod::interpolate(double t, View y) {
  const double x = t - t_;
  double w = 1;
  as_vector(y) = phi_.col(0);
  for (int i = 1; i <= accepted_order_; ++i) {
    w *= (x + (i > 1 ? psi_[i - 2] : 0)) / psi_[i - 1];
    as_vector(y) += w * phi_.col(i);
  }
  for (const int i : integrals_.components()) y[static_cast<std::size_t>(i)] = y_[i];
  integrals_.between(x, psi_, y);
  return Eval::ok;
}

// The past as values at its times, those in the new variables, and their differences again.
bool BdfMethod::change_variables(const NewVariables& map, const Tolerance& tolerance) {
  if (first_) return false;
  const int known = accepted_order_ + 1;  // differences beside the value itself
  Eigen::MatrixXd past(phi_.rows(), known + 1);
  for (int j = 0; j <= known; ++j) {
    y_pred_ = phi_.col(0);
    double w = 1;
    for (int i = 1; i <= known; ++i) {
      w *= (time_before(j) - time_before(i - 1)) / psi_[i - 1];
      y_pred_ += w * phi_.col(i);
    }
    if (!map(time_before(j), view(y_pred_), column(past, j))) return false;
  }
  phi_.setZero();
  double product = 1;
  for (int i = 0; i <= known; ++i) {
    phi_.col(i) = product * past.col(0);
    if (i == known) break;
    product *= psi_[i];
    for (int j = 0; j + i < known; ++j)
      past.col(j) = (past.col(j) - past.col(j + 1)) / (time_before(j) - time_before(j + i + 1));
  }
  norm_.prepare(tolerance, problem_.size());
  y_ = y_old_ = y_new_ = phi_.col(0);
  linear_.forget();
  convergence_.forget();
  refactor_ = renew_ = true;
  return true;
}

void BdfMethod::serialize(Archive& a) {
  BasicMethod::serialize(a);
  for (int* n : {&order_, &tried_order_, &accepted_order_}) io_within(a, *n, 1, max_order_);
  for (int* n :
       {&steps_, &steps_at_order_, &failures_, &steps_since_factor_, &steps_since_jacobian_}) {
    a.io(*n);
  }
  for (bool* b : {&first_, &may_grow_, &has_above_, &refactor_, &renew_}) a.io(*b);
  a.io(steps_to_lower_);
  a.io(lowered_);
  for (double* x : {&size_, &size_below_, &size_above_, &before_}) a.io(*x);
  a.io(phi_);
  a.io(psi_);
  a.io(psi_new_);
  a.io(alpha_);
  a.io(beta_);
  linear_.serialize(a);
  convergence_.serialize(a);
  integrals_.serialize(a);
}

}  // namespace cardan
