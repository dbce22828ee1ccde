#include "cardan/formulation/implicit/alpha_method.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "cardan/formulation/explicit/local_share.h"

namespace cardan {

namespace {

constexpr double at_rest = 0.1;                 // 1/s: slower motions count as this fast
constexpr double slow_alpha_corrections = 0.1;  // a rate beyond which new derivatives pay
constexpr double same_step_size = 1e-6;         // relative change of h that the factors may stand
constexpr double newton_part = 0.03;            // of the tolerance, left to Newton's iteration
constexpr double closed_joint = 8;              // units of round-off of positions
constexpr double most_noise = 1e8;              // the same, of a correction that is left
constexpr double balanced = 1e-9;               // of the forces: the rest of their balance
constexpr double open_joint = 1e-6;  // of the mechanism's size: the constraint is to blame
constexpr Convergence::Goal by_tolerance{.missing = newton_part, .floor = 0, .most = 8};

double error_of_positions(const AlphaParameters& p) {
  return p.beta + 0.5 * (p.alpha_m - p.alpha_f) - 1.0 / 6;
}

double error_of_velocities(const AlphaParameters& p) {
  const double shift = p.alpha_m - p.alpha_f;
  const double c_0 = 0.5 * (1 - p.alpha_f) - (1 - p.alpha_m) * (0.5 + shift);
  return c_0 + p.gamma * (0.5 + shift) - 1.0 / 6;
}

bool undamped(const AlphaParameters& p) {
  return std::abs(p.gamma - 0.5) < 1e-9 && std::abs(p.alpha_m - p.alpha_f) < 1e-9;
}

double largest_entry(CView x) {
  return as_vector(x).lpNorm<Eigen::Infinity>();
}

}  // namespace

AlphaMethod::AlphaMethod(OdeProblem& problem,
                         MotionEquations& equations,
                         const Traits& traits,
                         const AlphaParameters& parameters)
    : BasicMethod(problem, traits),
      equations_(equations),
      par_(parameters),
      c_((1 - parameters.alpha_f) / (1 - parameters.alpha_m)),
      n_q_(static_cast<std::size_t>(equations.positions())),
      n_v_(static_cast<std::size_t>(equations.velocities())),
      n_z_(static_cast<std::size_t>(equations.states())),
      m_(static_cast<std::size_t>(equations.equations())),
      consistent_(traits.adaptive || undamped(parameters)),
      convergence_(traits.adaptive ? by_tolerance : to_round_off) {
  controller_.exponent = 1.0 / 3;
}

Eval AlphaMethod::start(double t, CView y, const Tolerance& tolerance) {
  if (const Eval e = BasicMethod::start(t, y, tolerance); e != Eval::ok) return e;
  a_ = f_.tail(f_.size() - static_cast<Eigen::Index>(n_q_));
  lambda_.resize(m_);
  const View accelerations = view(a_).first(n_v_);
  const Eval e =
      equations_.accelerations(problem_.within(t), q(y_), v(y_), z(y_), accelerations, lambda_);
  for (std::size_t r = 0; r < m_; ++r)
    if (equations_.active()[r] == 0) lambda_[r] = 0;
  lambda_new_ = constraints_ = open_ = lambda_;
  missing_.assign(n_v_, 0.0);
  v_from_ = normal_ = missing_;
  a_new_ = a_old_ = A_ = A_from_ = A_new_ = correction_ = bend_ = a_;
  d_.assign(n_v_, 0.0);
  rate_.assign(n_v_, 0.0);
  jacobian_ = {0, 0, 0, y_, a_, lambda_, d_};
  h_last_ = 0;
  renew_ = true;
  convergence_.forget();
  if (newton_ == nullptr) {
    equations_.linearise(t, q(y_), v(y_), view(a_).first(n_v_), lambda_, z(y_));
    newton_ = std::make_unique<AlphaNewton>(equations_);
  }
  return e;
}

// ---------------------------------------------------------------- one attempt

void AlphaMethod::find_auxiliary() {
  A_new_ = c_ * a_new_ + (par_.alpha_f * a_ - par_.alpha_m * A_from_) / (1 - par_.alpha_m);
}

void AlphaMethod::advance(double h) {
  find_auxiliary();
  const auto n = static_cast<Eigen::Index>(n_v_), s = static_cast<Eigen::Index>(n_z_);
  as_vector(View(d_)) = h * as_vector(CView(v_from_)) +
                        h * h * ((0.5 - par_.beta) * A_from_.head(n) + par_.beta * A_new_.head(n));
  equations_.advance(q(y_), d_, q(y_new_));
  as_vector(v(y_new_)) = as_vector(CView(v_from_)) +
                         h * ((1 - par_.gamma) * A_from_.head(n) + par_.gamma * A_new_.head(n));
  as_vector(z(y_new_)) =
      as_vector(z(y_)) + h * ((1 - par_.gamma) * A_from_.tail(s) + par_.gamma * A_new_.tail(s));
}

// What is missing, negative: right sides of the correction.
Eval AlphaMethod::residual(double t, double h) {
  ++problem_.stats().f;
  const double c_1 = c_ * par_.gamma * h, c_2 = c_ * par_.beta * h * h;
  const Eval e = equations_.evaluate(t, q(y_new_), v(y_new_), lambda_new_, z(y_new_));
  if (e != Eval::ok) return e;
  const View motion = view(correction_).first(n_v_), rates = view(correction_).subspan(n_v_);
  equations_.multiply_M(view(a_new_).first(n_v_), motion);
  for (std::size_t k = 0; k < n_v_; ++k) motion[k] = equations_.Q()[k] - motion[k];
  equations_.add_phi_qT(lambda_new_, -1, motion);
  equations_.multiply_phi_q(v(y_new_), constraints_);
  for (std::size_t r = 0; r < m_; ++r) {
    constraints_[r] = equations_.at_velocity_level(static_cast<int>(r))
                          ? (equations_.nu()[r] - constraints_[r]) / c_1
                          : -equations_.phi()[r] / c_2;
    if (equations_.active()[r] == 0) constraints_[r] = 0;
  }
  for (std::size_t k = 0; k < n_z_; ++k)
    rates[k] = equations_.w()[k] - a_new_[static_cast<Eigen::Index>(n_v_ + k)];
  return Eval::ok;
}

// Matrices of the step h; derivatives at the iterate when fresh, otherwise the last.
Eval AlphaMethod::linearize(double h, bool fresh) {
  if (fresh) {
    jacobian_.t = problem_.within(t_ + h);
    jacobian_.h = h;
    jacobian_.y = y_new_;
    jacobian_.a = a_new_;
    jacobian_.lambda = lambda_new_;
    jacobian_.d = d_;
    ++problem_.stats().jacobian;
    newton_->linearise(jacobian_.t,
                       q(jacobian_.y),
                       v(jacobian_.y),
                       view(jacobian_.a).first(n_v_),
                       jacobian_.lambda,
                       z(jacobian_.y),
                       jacobian_.d);
    convergence_.forget();
  }
  jacobian_.h_factors = h;
  ++problem_.stats().factorization;
  if (newton_->factor(c_ * par_.gamma * h, c_ * par_.beta * h * h)) return Eval::ok;
  jacobian_.h = 0;
  return Eval::retry;
}

Attempt AlphaMethod::attempt(double h) {
  h_ = h;
  A_from_ = A_;
  as_vector(View(v_from_)) = as_vector(v(y_)) - h * h * as_vector(CView(normal_));
  if (traits_.adaptive && h_last_ != 0) A_from_ = a_ + h / h_last_ * (A_ - a_);
  norm_.weigh(view(y_));
  bool fresh = renew_ || jacobian_.h == 0;
  const auto begin = [&] {
    a_new_ = a_;
    lambda_new_ = lambda_;
    advance(h);
  };
  begin();
  if (fresh || std::abs(h / jacobian_.h_factors - 1) > same_step_size) {
    if (const Eval e = linearize(h, fresh); e != Eval::ok) return {failed(e), 0};
  }
  Attempt::Kind kind = iterate(h);
  // With derivatives of another place, then of where the iteration has got to.
  for (int tries = 0; tries < 2 && kind == Attempt::Kind::not_converged; ++tries) {
    if (!fresh || !as_vector(CView(view(a_new_))).allFinite()) begin();
    fresh = true;
    if (const Eval e = linearize(h, true); e != Eval::ok) return {failed(e), 0};
    kind = iterate(h);
  }
  // The rate of noise says nothing about the derivatives.
  renew_ = kind != Attempt::Kind::ok ||
           (!only_noise_left_ && convergence_.rate() > slow_alpha_corrections);
  if (kind != Attempt::Kind::ok) return {kind, 0};
  if (consistent_) {
    const double t = problem_.within(t_ + h);
    Eval e = equations_.factor(t, q(y_new_));
    if (e == Eval::ok) e = equations_.project_positions(t, q(y_new_));
    if (e == Eval::ok) e = equations_.project_velocities(t, q(y_new_), v(y_new_));
    if (e == Eval::ok)
      e = equations_.accelerations(
          t, q(y_new_), v(y_new_), z(y_new_), view(a_new_).first(n_v_), lambda_new_);
    if (e != Eval::ok) return {failed(e), 0};
    ++problem_.stats().factorization;
    if (n_z_ > 0) {
      e = equations_.evaluate(t, q(y_new_), v(y_new_), lambda_new_, z(y_new_));
      if (e != Eval::ok) return {failed(e), 0};
      std::copy_n(equations_.w().begin(), n_z_, a_new_.data() + n_v_);
    }
    find_auxiliary();
    finish_quadratures(h);
  }
  if (!traits_.adaptive) return {kind, 0};
  estimate(h);
  norm_.weigh(view(y_), view(y_new_));
  return {kind, weight_of_second_order(norm_.rtol()) * norm_(view(error_))};
}

// Works and losses are under no error control, so that the iteration ends whatever they are: reactions
// are off by the last correction over h^2 then. They follow from those of the state that was found.
void AlphaMethod::finish_quadratures(double h) {
  const View now = z(y_new_);
  const CView before = z(y_), weights = norm_.weights();
  for (std::size_t k = 0; k < n_z_; ++k) {
    const auto at = static_cast<Eigen::Index>(n_v_ + k);
    if (weights[n_q_ + n_v_ + k] == 0)
      now[k] = before[k] + h * ((1 - par_.gamma) * A_from_[at] + par_.gamma * A_new_[at]);
  }
}

Attempt::Kind AlphaMethod::iterate(double h) {
  only_noise_left_ = false;
  convergence_.begin();
  const double t = problem_.within(t_ + h);
  for (;;) {
    if (const Eval e = residual(t, h); e != Eval::ok) return failed(e);
    std::copy_n(correction_.data(), n_v_, missing_.begin());
    open_ = constraints_;
    newton_->solve(view(correction_).first(n_v_), constraints_, view(correction_).subspan(n_v_));
    ++problem_.stats().newton;
    ++problem_.stats().solve;
    a_new_ += correction_;
    for (std::size_t r = 0; r < m_; ++r) lambda_new_[r] += constraints_[r];
    advance(h);
    switch (convergence_.judge(size(h))) {
      case Convergence::Verdict::done:
        return Attempt::Kind::ok;
      case Convergence::Verdict::hopeless:
        only_noise_left_ = at_round_off(h);
        return only_noise_left_ ? Attempt::Kind::ok : Attempt::Kind::not_converged;
      case Convergence::Verdict::go_on:
        break;
    }
  }
}

// The correction as one of q, v and z, in units of the tolerance or of round-off.
double AlphaMethod::size(double h) {
  if (!traits_.adaptive) return round_off_size(h);
  const double c_1 = c_ * par_.gamma * h, c_2 = c_ * par_.beta * h * h;
  const auto n = static_cast<Eigen::Index>(n_v_);
  as_vector(View(rate_)) = c_2 * correction_.head(n);
  equations_.rate(q(y_new_), rate_, q(error_));
  as_vector(v(error_)) = c_1 * correction_.head(n);
  as_vector(z(error_)) = c_1 * correction_.tail(correction_.size() - n);
  return weight_of_second_order(norm_.rtol()) * norm_(view(error_));
}

// Of a correction of positions, in units of their round-off.
double AlphaMethod::position_round_off(double h) const {
  const auto n = static_cast<Eigen::Index>(n_v_), p = static_cast<Eigen::Index>(n_q_);
  if (n == 0) return 0;
  const double size = std::max({y_new_.head(p).lpNorm<Eigen::Infinity>(),
                                largest_entry(d_),
                                equations_.length(),
                                std::numeric_limits<double>::min()});
  const double moved = c_ * par_.beta * h * h * correction_.head(n).lpNorm<Eigen::Infinity>();
  return moved / size / std::numeric_limits<double>::epsilon();
}

// Small steps, long mechanisms: joints are closed as well as numbers of the size of q can tell, and
// what corrections still do is their noise: accelerations along the normals are known to
// noise / (beta h^2) only.
bool AlphaMethod::at_round_off(double h) {
  if (convergence_.iterations() < 2) return false;
  const double reach = std::max(
      equations_.length(), y_new_.head(static_cast<Eigen::Index>(n_q_)).lpNorm<Eigen::Infinity>());
  const double open = largest_entry(open_) * c_ * par_.beta * h * h;
  equations_.multiply_M(view(a_new_).first(n_v_), rate_);
  const double forces =
      std::max({largest_entry(rate_), largest_entry(equations_.Q()), largest_entry(lambda_new_)});
  return open <= closed_joint * std::numeric_limits<double>::epsilon() * reach &&
         largest_entry(missing_) <= balanced * forces && position_round_off(h) <= most_noise;
}

double AlphaMethod::round_off_size(double h) const {
  const auto n = static_cast<Eigen::Index>(n_v_), p = static_cast<Eigen::Index>(n_q_);
  if (n == 0) return 0;
  const double size = std::max({y_new_.segment(p, n).lpNorm<Eigen::Infinity>(),
                                y_.segment(p, n).lpNorm<Eigen::Infinity>(),
                                at_rest * equations_.length(),
                                std::numeric_limits<double>::min()});
  const double gained =
      c_ * par_.gamma * std::abs(h) * correction_.head(n).lpNorm<Eigen::Infinity>();
  return std::max(position_round_off(h), gained / size / std::numeric_limits<double>::epsilon());
}

// Local errors from differences of accelerations; before there are three, the second difference is
// taken to be as large as the first.
void AlphaMethod::estimate(double h) {
  const auto n = static_cast<Eigen::Index>(n_v_), s = static_cast<Eigen::Index>(n_z_);
  correction_ = a_new_ - a_;
  bend_ = correction_;
  if (h_last_ != 0) bend_ = 2 * h / (h + h_last_) * (correction_ - h / h_last_ * (a_ - a_old_));
  as_vector(View(rate_)) = error_of_positions(par_) * h * h * correction_.head(n);
  take_bend_of_rotations(v(y_new_), view(a_new_).first(n_v_), h * h * h, rate_);
  equations_.rate(q(y_new_), rate_, q(error_));
  const double factor = error_of_velocities(par_) * h;
  as_vector(v(error_)) = factor * bend_.head(n);
  as_vector(z(error_)) = factor * bend_.tail(s);
}

// Rotations in space: d is off by -h^3 w x w'/12 more.
void AlphaMethod::take_bend_of_rotations(CView v, CView a, double h3, std::vector<double>& d) {
  for (int k = 0; k < equations_.velocities(); ++k) {
    if (!equations_.turns(k)) continue;
    const auto i = static_cast<std::size_t>(k);
    const Eigen::Map<const Vec<3>> w(v.data() + i), w_dot(a.data() + i);
    Eigen::Map<Vec<3>>(d.data() + i) -= h3 / 12 * w.cross(w_dot);
    k += 2;
  }
}

// ---------------------------------------------------------------- after an attempt

Eval AlphaMethod::accept(bool) {
  h_last_ = h_;
  shift();
  a_old_ = a_;
  a_ = a_new_;
  A_ = A_new_;
  lambda_.swap(lambda_new_);
  equations_.rate(q(y_), v(y_), q(f_));
  f_.tail(a_.size()) = a_;
  if (consistent_) find_normal();
  return Eval::ok;
}

// With the factor at the end of the step, and phi_q there. missing_ and open_ serve as scratch.
void AlphaMethod::find_normal() {
  for (std::size_t k = 0; k < n_v_; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    normal_[k] = error_of_positions(par_) * (a_[i] - a_old_[i]) / h_last_;
  }
  take_bend_of_rotations(v(y_), view(a_).first(n_v_), 1, normal_);
  equations_.multiply_phi_q(normal_, open_);
  std::fill(missing_.begin(), missing_.end(), 0.0);
  equations_.solve(missing_, open_, normal_, constraints_);
}

Eval AlphaMethod::interpolate(double t, View y) {
  const double h = t_ - t_old_, s = (t - t_old_) / h, u = 1 - s;
  equations_.difference(q(y_), q(y_old_), d_);
  std::copy_n(v(y_).begin(), n_v_, rate_.begin());
  equations_.transport_back(d_, rate_);  // d' at the end
  const CView v_0 = v(y_old_);
  for (std::size_t k = 0; k < n_v_; ++k) {
    const double end = d_[k], slope_0 = h * v_0[k], slope_1 = h * rate_[k];
    d_[k] = s * u * u * slope_0 + s * s * (3 - 2 * s) * end - s * s * u * slope_1;
    rate_[k] = (u * (1 - 3 * s) * slope_0 + 6 * s * u * end + s * (3 * s - 2) * slope_1) / h;
  }
  equations_.advance(q(y_old_), d_, y.first(n_q_));
  equations_.transport(d_, rate_);
  std::copy_n(rate_.begin(), n_v_, y.begin() + static_cast<std::ptrdiff_t>(n_q_));
  for (std::size_t k = n_q_ + n_v_; k < y.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    y[k] = u * u * (1 + 2 * s) * y_old_[i] + h * s * u * u * f_old_[i] +
           s * s * (3 - 2 * s) * y_[i] - h * s * s * u * f_[i];
  }
  return Eval::ok;
}

// A joint that is open, or else the equation of motion that is worst met.
std::string AlphaMethod::trouble() const {
  if (n_v_ == 0) return {};
  const auto worst = [](CView x) {
    const auto smaller = [](double a, double b) {
      return std::abs(a) < std::abs(b);
    };
    return static_cast<int>(std::max_element(x.begin(), x.end(), smaller) - x.begin());
  };
  const double c_2 = c_ * par_.beta * h_ * h_;
  const int row = m_ > 0 ? worst(open_) : 0, k = worst(missing_);
  const double open = m_ > 0 ? open_[static_cast<std::size_t>(row)] * c_2 : 0;
  if (std::abs(open) > open_joint * equations_.length())
    return fmt::format("{}: residual {:.3g}", equations_.equation_label(row), -open);
  return fmt::format("equation of motion of {}: residual {:.3g}",
                     equations_.velocity_label(k),
                     missing_[static_cast<std::size_t>(k)]);
}

void AlphaMethod::serialize(Archive& archive) {
  BasicMethod::serialize(archive);
  for (Eigen::VectorXd* x : {&a_, &a_new_, &a_old_, &A_, &jacobian_.y, &jacobian_.a})
    archive.io(*x);
  for (std::vector<double>* x : {&lambda_, &lambda_new_, &normal_, &jacobian_.lambda, &jacobian_.d})
    archive.io(*x);
  for (double* x : {&h_last_, &jacobian_.t, &jacobian_.h, &jacobian_.h_factors}) archive.io(*x);
  archive.io(renew_);
  convergence_.serialize(archive);
  newton_->serialize(archive);
  if (!archive.loading() || jacobian_.h == 0) return;
  newton_->linearise(jacobian_.t,
                     q(jacobian_.y),
                     v(jacobian_.y),
                     view(jacobian_.a).first(n_v_),
                     jacobian_.lambda,
                     z(jacobian_.y),
                     jacobian_.d);
  const double h = jacobian_.h_factors;
  if (!newton_->factor(c_ * par_.gamma * h, c_ * par_.beta * h * h)) jacobian_.h = 0;
}

}  // namespace cardan
