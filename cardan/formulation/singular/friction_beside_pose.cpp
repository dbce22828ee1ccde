#include "cardan/formulation/singular/friction_beside_pose.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double most_answer = 0.75;  // of a load to itself, by friction
constexpr int most_elements = 64, most_steps = 12, most_repeats = 200, squarings = 3;
constexpr double aim = 1e-12;           // of the largest load
constexpr double nothing_left = 1e-10;  // weakest pivot: its response has no digits

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

FrictionBesidePose::FrictionBesidePose(const System& system)
    : system_(system), set_(system.friction()), count_(set_.count()) {
  if (count_ == 0 || count_ > most_elements) return;
  const auto rows = at(system.equations().rows()), n = at(system.v_size());
  d_.resize(at(count_ * 2 * system.body_size()));
  given_.resize(at(count_));
  frames_.resize(at(count_));
  for (auto* list : {&g_, &mu_, &none_}) list->resize(rows);
  x_.resize(n);
  f_.resize(n);
  std::size_t most = 1;
  for (int k = 0; k < count_; ++k) most = std::max(most, set_.element(k).rows.size());
  slopes_.resize(most);
  L_.setZero(static_cast<Eigen::Index>(rows), count_ + 1);
  F_.setZero(count_, count_);
  N_.setZero(count_);
  N_at_ = N_;
  power_of_F_ = square_ = F_;
  lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(count_);
  lambda_.setZero(static_cast<Eigen::Index>(rows));
}

void FrictionBesidePose::add(int k, double N, View Q) const {
  const std::size_t n = at(system_.body_size());
  for (std::size_t side = 0; side < 2; ++side) {
    const int body = set_.element(k).body[side];
    if (body < 0) continue;
    const std::size_t first = at(system_.layout().v(body));
    for (std::size_t i = 0; i < n; ++i) Q[first + i] += N * d_[(2 * at(k) + side) * n + i];
  }
}

// Directions, and multipliers without friction and for each load alone. Leaves Q without friction in work().
void FrictionBesidePose::respond(MotionSolver& motion, double t, CView q, CView v, CView a) {
  Workspace& work = motion.work();
  system_.equations().multiply(work.packed, a, g_);
  const Motion here = system_.motion(t, q, v, work);
  const std::size_t n = at(2 * system_.body_size());
  for (int k = 0; k < count_; ++k) {
    set_.direction(k, here, system_.sliding(k, work), View(d_).subspan(at(k) * n, n));
    frames_[at(k)] = set_.frame(k, here.config());
    if (set_.element(k).load == FrictionElement::Load::compliant)
      given_[at(k)] = system_.friction_load(k, here, {}, work);
  }
  const auto into = [&](int column, CView force, CView gamma) {
    motion.solve(force, gamma, x_, mu_);
    L_.col(column) = as_vector(CView(mu_));
  };
  into(count_, work.Q, g_);
  for (int k = 0; k < count_; ++k) {
    std::fill(f_.begin(), f_.end(), 0.0);
    add(k, 1, f_);
    into(k, f_, none_);
  }
}

double FrictionBesidePose::load(int k, CView lambda) {
  if (set_.element(k).load != FrictionElement::Load::compliant)
    return set_.load(k, frames_[at(k)], lambda, slopes_);
  std::fill(slopes_.begin(), slopes_.end(), 0.0);
  return given_[at(k)];
}

void FrictionBesidePose::loads(const Eigen::VectorXd& lambda) {
  const CView view(lambda.data(), at(static_cast<int>(lambda.size())));
  for (int k = 0; k < count_; ++k) {
    N_at_[k] = load(k, view);
    const auto& rows = set_.element(k).rows;
    F_.row(k).setZero();
    double slope = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      F_.row(k) += slopes_[r] * L_.row(rows[r]).head(count_);
      slope = elementary::hypot(slope, slopes_[r]);
    }
    const bool norm = set_.element(k).load == FrictionElement::Load::norm;
    for (Eigen::Index j = 0; j < count_; ++j) {
      double reaction = 0, sum = 0;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        reaction = elementary::hypot(reaction, L_(rows[r], j));
        sum += std::abs(slopes_[r] * L_(rows[r], j));
      }
      power_of_F_(k, j) = norm ? slope * reaction : sum;
    }
  }
}

// |F^8|^(1/8), not below the spectral radius of F, with sizes in the place of directions.
double FrictionBesidePose::radius() {
  double root = 1;
  for (int k = 0; k < squarings; ++k, root /= 2) {
    square_.noalias() = power_of_F_ * power_of_F_;
    power_of_F_.swap(square_);
  }
  return elementary::pow(power_of_F_.norm(), root);
}

// Those of the loads N_, as far as they count.
void FrictionBesidePose::multipliers(CView smooth) {
  lambda_ = L_.col(count_);
  lambda_.noalias() += L_.leftCols(count_) * N_;
  if (share_ < 1) lambda_ = share_ * lambda_ + (1 - share_) * as_vector(smooth);
  loads(lambda_);
}

// What Newton's method may miss where directions turn, repeating finds: each pass leaves most_answer of the error.
bool FrictionBesidePose::repeat(CView smooth) {
  N_.setZero();
  for (int pass = 0; pass < most_repeats; ++pass) {
    multipliers(smooth);
    const double size = std::max(N_.cwiseAbs().maxCoeff(), N_at_.cwiseAbs().maxCoeff());
    if (!std::isfinite(size)) return false;
    const bool done = (N_at_ - N_).cwiseAbs().maxCoeff() <= aim * size;
    N_ = N_at_;
    if (done) return true;
  }
  return false;
}

bool FrictionBesidePose::newton(CView smooth) {
  N_.setZero();
  multipliers(smooth);
  N_ = N_at_;
  for (int step = 0; step < most_steps; ++step) {
    multipliers(smooth);
    const double size = std::max(N_.cwiseAbs().maxCoeff(), N_at_.cwiseAbs().maxCoeff());
    if (!std::isfinite(size)) return false;
    N_at_ -= N_;
    if (N_at_.cwiseAbs().maxCoeff() <= aim * size) return true;
    F_ *= -share_;
    F_.diagonal().array() += 1;
    lu_.compute(F_);
    if (!(lu_.determinant() > 0)) return false;
    N_ += lu_.solve(N_at_);
  }
  return false;
}

void FrictionBesidePose::take_power(CView v) {
  const std::size_t n = at(system_.body_size());
  double most = 0;
  for (int k = 0; k < count_; ++k) {
    double taken = 0;
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t i = 0; i < n && set_.element(k).body[side] >= 0; ++i)
        taken -= N_[k] * d_[(2 * at(k) + side) * n + i] *
                 v[at(system_.layout().v(set_.element(k).body[side])) + i];
    power_ += taken;
    if (taken > most) most = taken, strongest_ = k;
  }
}

Eval FrictionBesidePose::leave_out(
    MotionSolver& motion, double t, CView q, CView v, View a, View lambda) {
  if (count_ > most_elements) return Eval::ok;
  if (const Eval e = motion.linearise(t, q); e != Eval::ok) return e;
  motion.load(t, q, v);
  if (motion.friction().holds()) return motion.finish(t, q, a, lambda);
  motion.solve(motion.work().Q, motion.work().gamma, a, lambda);
  return Eval::ok;
}

bool FrictionBesidePose::settle(
    MotionSolver& motion, double t, CView q, CView v, View a, View lambda) {
  share_ = 1;
  power_ = 0;
  if (count_ == 0 || count_ > most_elements) return false;
  if (motion.linearise(t, q) != Eval::ok || motion.dependent() > 0 ||
      motion.min_pivot_ratio() < nothing_left)
    return false;
  motion.load(t, q, v);
  if (motion.friction().holds()) return false;
  respond(motion, t, q, v, a);
  lambda_ = L_.col(count_);
  loads(lambda_);
  const double answer = radius();
  if (!std::isfinite(answer)) return false;
  share_ = std::min(1.0, most_answer / answer);
  if (!newton(lambda) && !repeat(lambda)) return false;
  if (share_ < 1) take_power(v);
  f_ = motion.work().Q;
  for (int k = 0; k < count_; ++k) add(k, N_[k], f_);
  motion.solve(f_, g_, x_, mu_);
  if (!as_vector(CView(x_)).allFinite() || !as_vector(CView(mu_)).allFinite()) return false;
  std::copy(x_.begin(), x_.end(), a.begin());
  for (std::size_t r = 0; r < lambda.size(); ++r)
    if (motion.active()[r] != 0) lambda[r] = share_ * mu_[r] + (1 - share_) * lambda[r];
  return true;
}

}  // namespace cardan
