#include "cardan/formulation/explicit/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/base/trace.h"
#include "cardan/formulation/increment.h"
#include "cardan/formulation/singular/singular.h"
#include "cardan/math/newton.h"
#include "cardan/ode/archive.h"
#include "cardan/ode/archive_lists.h"

namespace cardan {

namespace {

constexpr int max_passes = 14;
constexpr double position_aim = 1e-14;  // relative to the mechanism's size

int count_freedoms(const MotionSolver& motion) {
  const auto& active = motion.active();
  return motion.system().v_size() - static_cast<int>(std::count(active.begin(), active.end(), 1));
}

}  // namespace

Chart::Chart(MotionSolver& motion) : system_(motion.system()), motion_(motion) {
  const int n = system_.v_size(), m = system_.equations().rows(), freedoms = count_freedoms(motion);
  T_.resize(n, freedoms);
  BT_.resize(freedoms, freedoms);
  lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(freedoms);
  c_.resize(freedoms);
  s_.resize(freedoms);
  off_.resize(freedoms);
  row_.resize(static_cast<std::size_t>(n));
  no_motion_.assign(static_cast<std::size_t>(n), 0.0);
  d_ = away_ = turned_ = here_ = no_motion_;
  zero_.assign(static_cast<std::size_t>(m), 0.0);
  g_ = mu_ = zero_;
  q_0_.resize(static_cast<std::size_t>(system_.q_size()));
  start_ = q_s_ = q_0_;
  shift_ = no_motion_;
  p_0_.resize(static_cast<std::size_t>(freedoms));
  p_s_ = p_0_;
}

void Chart::select(const std::vector<int>& coordinates, CView q_0) {
  selected_ = coordinates;
  B_.resize(0, 0);
  std::copy(q_0.begin(), q_0.end(), q_0_.begin());
  for (std::size_t j = 0; j < selected_.size(); ++j)
    p_0_[j] =
        system_.q_size() == system_.v_size() ? q_0[static_cast<std::size_t>(selected_[j])] : 0.0;
}

void Chart::along(const Eigen::MatrixXd& basis, CView q_0) {
  selected_.clear();
  B_ = basis.transpose();
  std::copy(q_0.begin(), q_0.end(), q_0_.begin());
  std::fill(p_0_.begin(), p_0_.end(), 0.0);
}

void Chart::apply(CView x, Eigen::VectorXd& out) const {
  if (B_.size() > 0) {
    out.noalias() = B_ * as_vector(x);
  } else {
    for (std::size_t j = 0; j < selected_.size(); ++j)
      out[static_cast<Eigen::Index>(j)] = x[static_cast<std::size_t>(selected_[j])];
  }
}

void Chart::coordinates(CView q, View p) const {
  system_.difference(q, q_0_, away_);
  apply(away_, s_);
  for (std::size_t j = 0; j < p.size(); ++j) p[j] = p_0_[j] + s_[static_cast<Eigen::Index>(j)];
}

void Chart::apply_rate(CView x, Eigen::VectorXd& out) const {
  increment_rate(system_, here_, x, turned_);
  apply(turned_, out);
}

void Chart::rates(CView q, CView v, View r) const {
  system_.difference(q, q_0_, away_);
  increment_rate(system_, away_, v, turned_);
  apply(turned_, s_);
  as_vector(r) = s_;
}

void Chart::accelerations(CView q, CView v, CView a, View out) const {
  system_.difference(q, q_0_, away_);
  increment_rate(system_, away_, a, turned_);
  apply(turned_, s_);
  as_vector(out) = s_;
  if (system_.space() == Space::planar) return;
  increment_bend(system_, away_, v, turned_);
  apply(turned_, s_);
  as_vector(out) += s_;
}

double Chart::rotation(CView q) const {
  if (system_.space() == Space::planar) return 0;
  system_.difference(q, q_0_, away_);
  return largest_rotation(system_, away_);
}

Eval Chart::tangents(double t, CView q) {
  if (const Eval e = motion_.linearise(t, q); e != Eval::ok) return e;
  if (motion_.dependent() > 0) return Eval::retry;
  system_.difference(q, q_0_, here_);
  for (Eigen::Index j = 0; j < T_.cols(); ++j) {
    std::fill(row_.begin(), row_.end(), 0.0);
    if (B_.size() > 0)
      as_vector(View(row_)) = B_.row(j).transpose();
    else
      row_[static_cast<std::size_t>(selected_[static_cast<std::size_t>(j)])] = 1;
    increment_rate_transposed(system_, here_, row_, turned_);
    motion_.solve(turned_, zero_, d_, mu_);
    T_.col(j) = as_vector(CView(d_));
    apply_rate(d_, c_);
    BT_.col(j) = c_;
  }
  if (T_.cols() == 0) return Eval::ok;
  lu_.compute(BT_);
  return lu_.matrixLU().diagonal().array().abs().minCoeff<Eigen::PropagateNaN>() > 0 ? Eval::ok
                                                                                     : Eval::retry;
}

void Chart::correct(CView g, CView s) {
  motion_.solve(no_motion_, g, d_, mu_);
  if (T_.cols() == 0) return;
  apply_rate(d_, c_);
  c_ = as_vector(s) - c_;
  s_ = lu_.solve(c_);
  as_vector(View(d_)).noalias() += T_ * s_;
}

Eval Chart::positions(double t, CView p, View q, bool guarded) {
  const double aim =
      position_aim * system_.length() +
      4 * std::numeric_limits<double>::epsilon() * as_vector(CView(q)).cwiseAbs().maxCoeff();
  std::copy(q.begin(), q.end(), start_.begin());
  Eigen::VectorXd& off = off_;
  const auto residual = [&](int pass) {
    iterations_ = pass;
    const double gap = motion_.position_violation(t, q, MotionSolver::Rows::active);
    for (std::size_t r = 0; r < g_.size(); ++r) g_[r] = -motion_.work().phi[r];
    system_.difference(q, q_0_, away_);
    apply(away_, off);
    for (Eigen::Index j = 0; j < off.size(); ++j)
      off[j] = p[static_cast<std::size_t>(j)] - p_0_[static_cast<std::size_t>(j)] - off[j];
    const double now = std::max(gap, off.size() > 0 ? off.cwiseAbs().maxCoeff() : 0.0);
    trace("    positions, Newton {:>2}: largest gap {:.3e}", pass, now);
    return NewtonResidual{now, aim, 1e4 * aim};
  };
  const auto advance = [&](int pass, double now, double before) {
    if (pass == 0 || now > 0.01 * before || pivot_ratio(motion_) < near_singular_ratio)
      if (const Eval e = tangents(t, q); e != Eval::ok) return e;
    correct(g_, {off.data(), static_cast<std::size_t>(off.size())});
    system_.advance(q, d_, q);
    iterations_ = pass + 1;
    return Eval::ok;
  };
  if (const Eval e = newton_to_round_off(max_passes, residual, advance); e != Eval::ok) return e;
  return !guarded || branch_kept(motion_, start_, q, away_) ? Eval::ok : Eval::retry;
}

Eval Chart::velocities(double t, CView q, CView r, View v) {
  Workspace& work = motion_.work();
  system_.equations().nu(system_.config(t, q, work), work.nu);
  std::copy(work.nu.begin(), work.nu.end(), g_.begin());
  correct(g_, r);
  std::copy(d_.begin(), d_.end(), v.begin());
  return as_vector(CView(v)).allFinite() ? Eval::ok : Eval::retry;
}

Eval Chart::solved(double t, CView p, CView r, CView guess, bool guarded, EvaluatedState& out) {
  std::copy(guess.begin(), guess.end(), out.q.begin());
  if (const Eval e = positions(t, p, out.q, guarded); e != Eval::ok) return e;
  if (const Eval e = tangents(t, out.q); e != Eval::ok) return e;
  if (guarded && !branch_kept(motion_, guess, out.q, away_)) return Eval::retry;
  if (const Eval e = velocities(t, out.q, r, out.v); e != Eval::ok) return e;
  motion_.load(t, out.q, out.v);
  return motion_.finish(t, out.q, out.a, out.lambda);
}

Eval Chart::motion(const Place& at,
                   CView direction,
                   SingularPoseInterpolator& crossing,
                   EvaluatedState& out) {
  const auto state_at = [&](double s, EvaluatedState& point) {
    for (std::size_t j = 0; j < p_s_.size(); ++j) p_s_[j] = at.p[j] + s * at.r[j];
    for (std::size_t k = 0; k < shift_.size(); ++k) shift_[k] = s * direction[k];
    system_.advance(at.q, shift_, q_s_);
    return solved(at.t + s, p_s_, at.r, q_s_, s == 0, point);
  };
  return crossing.consistent(at.t, direction, state_at, out);
}

Eval Chart::motion(const Place& at, EvaluatedState& out) {
  const Eval e = solved(at.t, at.p, at.r, at.q, true, out);
  return e == Eval::ok && motion_.dependent() == 0 ? Eval::ok : Eval::retry;
}

double Chart::stretch() const {
  if (T_.cols() == 0) return 0;
  // The inverse of lu_, which would take memory: L U X = P.
  inverse_.setZero(T_.cols(), T_.cols());
  for (Eigen::Index j = 0; j < T_.cols(); ++j) inverse_(lu_.permutationP().indices()[j], j) = 1;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(inverse_);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(inverse_);
  stretched_.noalias() = T_ * inverse_;
  const Eigen::MatrixXd& H = stretched_;
  const auto weight = [&](Eigen::Index k) {
    return system_.layout().turns(static_cast<int>(k)) ? system_.length() : 1.0;
  };
  double largest = 0;
  for (Eigen::Index j = 0; j < H.cols(); ++j) {
    if (B_.size() > 0) {
      largest = std::max(largest, H.col(j).norm());
      continue;
    }
    const double own = weight(selected_[static_cast<std::size_t>(j)]);
    for (Eigen::Index k = 0; k < H.rows(); ++k)
      largest = std::max(largest, std::abs(H(k, j)) * weight(k) / own);
  }
  return largest;
}

void Chart::serialize(Archive& archive) {
  const auto freedoms = static_cast<std::size_t>(T_.cols());
  io_or_none(archive, selected_, freedoms);
  require_within(archive, selected_, 0, system_.v_size() - 1);
  bool along_basis = B_.size() > 0;
  archive.io(along_basis);
  if (archive.loading()) B_.resize(along_basis ? T_.cols() : 0, along_basis ? T_.rows() : 0);
  archive.io(B_);
  if (archive.loading() && selected_.empty() != along_basis && freedoms > 0) archive.fail();
  archive.io(q_0_);
  archive.io(p_0_);
}

}  // namespace cardan
