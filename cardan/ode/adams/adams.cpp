// With psi_i = t_{n+1} - t_{n+1-i}, alpha_i = h / psi_i and modified divided differences
//   phi_i(n) = psi_1(n) ... psi_{i-1}(n) f[t_n, ..., t_{n-i+1}],  phi*_i = beta_i phi_i(n),
//   beta_i = psi_1(n+1) ... psi_{i-1}(n+1) / (psi_1(n) ... psi_{i-1}(n)),
// the predictor of order k, its differences, and the corrector of order k+1 are
//   p = y_n + h sum_{i<=k} g_i phi*_i,   phi^e_i = sum_{i<=j<=k} phi*_j,
//   y_{n+1} = p + h g_{k+1} (f(p) - phi^e_1),
// where g_i = g_{i,1} and g_{1,q} = 1/q, g_{2,q} = 1/(q(q+1)), g_{i,q} = g_{i-1,q} - alpha_{i-1}
// g_{i-1,q+1}. The local error of order k is h (g_{k+1} - g_k) (f(p) - phi^e_1); what it would be
// at orders k-2..k+1 for constant step, h sigma_{j+1} gamma*_j (phi^e_{j+1} + f(p) - phi^e_1),
// chooses the next order. Steps are doubled, kept, or shrunk, so that most steps have the size of
// the one before. Shampine & Gordon, Computer Solution of Ordinary Differential Equations (1975),
// ch. 5-7, 10.
#include "cardan/ode/adams/adams.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"
#include "cardan/ode/adams/adams_coefficients.h"
#include "cardan/ode/archive_lists.h"

namespace cardan {

namespace {

double gamma_star_size(int i) {
  return std::abs(adams_gamma_star[static_cast<std::size_t>(i)].value());
}

}  // namespace

Adams::Adams(OdeProblem& problem, int max_order, const Traits& traits)
    : BasicMethod(problem, traits), max_order_(max_order) {
  controller_.exponent = 0.5;  // the first step is of order 1
}

Eval Adams::start(double t, CView y, const Tolerance& tolerance) {
  const Eval e = BasicMethod::start(t, y, tolerance);
  const int n = problem_.size();
  phi_.setZero(n, most + 3);
  phi_star_.setZero(n, most + 3);
  for (Eigen::VectorXd* x : {&f_predicted_, &correction_, &f_next_, &work_}) x->setZero(n);
  phi_.col(1) = f_;
  k_ = order_tried_ = lower_ = 1;
  equal_steps_ = failures_ = low_order_steps_ = 0;
  h_last_ = 0;
  starting_ = true;
  psi_.fill(0);
  return e;
}

void Adams::make_coefficients(double h) {
  equal_now_ = h == h_last_ ? equal_steps_ + 1 : 1;
  psi_new_[1] = h;
  beta_[1] = alpha_[1] = sigma_[1] = 1;
  sigma_[2] = 1;
  for (int i = 2; i <= k_ + 1; ++i) {
    const auto m = static_cast<std::size_t>(i);
    psi_new_[m] = psi_[m - 1] + h;
    alpha_[m] = h / psi_new_[m];
    beta_[m] = psi_[m - 1] == 0 ? 0 : beta_[m - 1] * (psi_new_[m - 1] / psi_[m - 1]);
    sigma_[m + 1 < sigma_.size() ? m + 1 : m] = i * alpha_[m] * sigma_[m];
  }
  Coefficients w{};  // g_{i,q} for the present i, over q
  for (int q = 1; q <= k_ + 1; ++q) w[static_cast<std::size_t>(q)] = 1.0 / q;
  g_[1] = 1;
  for (int i = 2; i <= k_ + 1; ++i) {
    const auto m = static_cast<std::size_t>(i);
    for (int q = 1; q <= k_ + 2 - i; ++q) {
      const auto r = static_cast<std::size_t>(q);
      w[r] = i == 2 ? 1.0 / (q * (q + 1)) : w[r] - alpha_[m - 1] * w[r + 1];
    }
    g_[m] = w[1];
  }
}

// phi_star_ becomes phi^e, except for its column k+1, which keeps phi*_{k+1}.
void Adams::predict() {
  y_new_.setZero();
  for (int i = k_ + 1; i >= 1; --i) {
    phi_star_.col(i) = beta_[static_cast<std::size_t>(i)] * phi_.col(i);
    if (i == k_ + 1) continue;
    y_new_ += g_[static_cast<std::size_t>(i)] * phi_star_.col(i);
    if (i < k_) phi_star_.col(i) += phi_star_.col(i + 1);
  }
  y_new_ = y_ + h_ * y_new_;
}

Attempt Adams::attempt(double h) {
  h_ = h;
  order_tried_ = k_;
  make_coefficients(h);
  predict();
  if (const Eval e = problem_.evaluate(t_ + h, view(y_new_), view(f_predicted_)); e != Eval::ok) {
    return {failed(e), 0};
  }
  correction_ = f_predicted_ - phi_star_.col(1);
  const auto k = static_cast<std::size_t>(k_);
  y_new_ += h * g_[k + 1] * correction_;
  error_ = h * (g_[k + 1] - g_[k]) * correction_;
  norm_.weigh(view(y_), view(y_new_));
  estimate_errors();
  const double error = norm_(view(error_));
  return {std::isfinite(error) ? Attempt::Kind::ok : Attempt::Kind::retry, error};
}

void Adams::estimate_errors() {
  const auto k = static_cast<std::size_t>(k_);
  const double size = std::abs(h_);
  error_k_ = size * sigma_[k + 1] * gamma_star_size(k_) * norm_(view(correction_));
  error_below_ = error_below2_ = 0;
  lower_ = k_;
  if (k_ >= 2) {
    work_ = phi_star_.col(k_) + correction_;
    error_below_ = size * sigma_[k] * gamma_star_size(k_ - 1) * norm_(view(work_));
  }
  if (k_ >= 3) {
    work_ = phi_star_.col(k_ - 1) + correction_;
    error_below2_ = size * sigma_[k - 1] * gamma_star_size(k_ - 2) * norm_(view(work_));
    if (std::max(error_below_, error_below2_) <= error_k_) lower_ = k_ - 1;
  } else if (k_ == 2 && error_below_ <= 0.5 * error_k_) {
    lower_ = 1;
  }
}

Eval Adams::accept(bool) {
  const Eval e = problem_.evaluate(t_ + h_, view(y_new_), view(f_next_));
  if (e != Eval::ok) return e;
  correction_ = f_next_ - phi_star_.col(1);  // phi_{k+1}(n+1)
  for (int i = 1; i <= k_; ++i) phi_.col(i) = phi_star_.col(i) + correction_;
  phi_.col(k_ + 1) = correction_;
  phi_.col(k_ + 2) = correction_ - phi_star_.col(k_ + 1);
  psi_ = psi_new_;
  h_last_ = h_;
  equal_steps_ = equal_now_;
  failures_ = 0;
  low_order_steps_ = order_tried_ > 4 ? 0 : low_order_steps_ + 1;
  shift();
  f_ = f_next_;
  return Eval::ok;
}

void Adams::choose_order() {
  if (lower_ < k_ || k_ == max_order_) starting_ = false;
  if (starting_) {
    ++k_;
    return;
  }
  if (lower_ < k_) {
    k_ = lower_;
    error_k_ = error_below_;
    return;
  }
  if (equal_steps_ <= k_) return;  // the difference of order k+1 is not one of constant step
  work_ = phi_.col(k_ + 2);
  const double above = std::abs(h_) * gamma_star_size(k_ + 1) * norm_(view(work_));
  if (k_ == 1) {
    if (above >= 0.5 * error_k_ || max_order_ == 1) return;
  } else if (error_below_ <= std::min(error_k_, above)) {
    --k_;
    error_k_ = error_below_;
    return;
  } else if (above >= error_k_ || k_ == max_order_) {
    return;
  }
  ++k_;
  error_k_ = above;
}

Choice Adams::next(const Attempt&) {
  choose_order();
  const double room = 0.5 / std::max(error_k_, 1e-300);
  if (starting_ || room >= elementary::exp2(k_ + 1)) return {2 * h_, k_};
  if (room >= 1) return {h_, k_};
  return {h_ * std::clamp(elementary::pow(room, 1.0 / (k_ + 1)), 0.5, 0.9), k_};
}

Choice Adams::retry(const Attempt& a) {
  starting_ = false;
  ++failures_;
  if (a.kind != Attempt::Kind::ok) return {0.25 * h_, k_};
  k_ = lower_;
  double factor = 0.5;
  if (failures_ >= 3) {  // the past is no guide any more
    k_ = 1;
    if (error_k_ > 2) factor = std::min(factor, std::sqrt(0.5 / error_k_));
  }
  return {factor * h_, k_};
}

// y_{n+1} + int P, where P interpolates f at the k+1 latest points: with s = t - t_{n+1},
//   y(t) = y_{n+1} + s sum_{i<=k+1} g_i phi_i,   g_{i,q} = Gamma_{i-1} g_{i-1,q} - eta_{i-1}
//   g_{i-1,q+1}, Gamma_i = (s + psi_{i-1}) / psi_i,  eta_i = s / psi_i,  psi_0 = 0.
Eval Adams::interpolate(double t, View y) {
  const double s = t - t_;
  const int terms = order_tried_ + 1;
  Coefficients w{};
  for (int q = 1; q <= terms; ++q) w[static_cast<std::size_t>(q)] = 1.0 / q;
  as_vector(y) = phi_.col(1);
  double before = 0;
  for (int i = 2; i <= terms; ++i) {
    const double psi = psi_[static_cast<std::size_t>(i) - 1];
    const double gamma = (s + before) / psi, eta = s / psi;
    for (int q = 1; q <= terms + 1 - i; ++q) {
      const auto r = static_cast<std::size_t>(q);
      w[r] = gamma * w[r] - eta * w[r + 1];
    }
    as_vector(y) += w[1] * phi_.col(i);
    before = psi;
  }
  as_vector(y) = y_ + s * as_vector(y);
  return Eval::ok;
}

void Adams::serialize(Archive& a) {
  BasicMethod::serialize(a);
  for (int* x : {&k_, &order_tried_, &lower_}) io_within(a, *x, 0, most);
  for (int* x : {&equal_steps_, &failures_, &low_order_steps_}) a.io(*x);
  for (double* x : {&h_last_, &error_k_, &error_below_, &error_below2_}) a.io(*x);
  a.io(starting_);
  for (double& x : psi_) a.io(x);
  a.io(phi_);
}

}  // namespace cardan
