#include "cardan/system/motion_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/base/trace.h"
#include "cardan/element/pool.h"
#include "cardan/math/newton.h"
#include "cardan/system/joint_schur.h"
#include "cardan/system/own_condition.h"

namespace cardan {

namespace {

constexpr double suspicious_ratio = 0.05;  // weakest pivot from which the loops are asked
// Loops that were so far from singular poses are not asked again while all pivots keep this share.
constexpr double far_ratio = 0.5, kept_share = 0.8;
constexpr double residual_limit =
    1e-10;  // of phi_q a - gamma, relative; beyond: the whole matrix is factored
constexpr double position_aim = 1e-14;  // relative to the mechanism's size
constexpr double no_speed = 1e-200;     // m/s: residues of a body that stopped lose their digits
constexpr int max_passes = 12, passes_per_factor = 3;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

MotionSolver::MotionSolver(const System& system, const std::vector<char>& active)
    : system_(system),
      active_(active),
      row_scale_(static_cast<std::size_t>(system.equations().rows()), 1.0),
      work_(system.workspace()),
      friction_(system),
      zero_(static_cast<std::size_t>(system.v_size()), 0.0),
      d_(zero_),
      g_(row_scale_.size(), 0.0),
      mu_(g_) {
  pivot_state_.reserve(static_cast<std::size_t>(system.q_size()) + 1);
  place_.reserve(pivot_state_.capacity());
  friction_.leave_to_solver(active_);
  seen_.reserve(pivot_state_.capacity());
  rotation_.resize(work_.rotation.size());
  if (trusts_schur(system.mass(), system.length())) {
    auto joints = std::make_unique<JointSchur>(system);
    joints_ = joints.get();
    schur_ = std::move(joints);
    schur_->activate(active_);
    solver_ = schur_.get();
    loops_ = std::make_unique<LoopCondition>(system);
    loops_->activate(active_);
  } else {
    solver_ = &kkt();
  }
  for (std::size_t r = 0; r < row_scale_.size(); ++r)
    if (system.unit_kind(static_cast<int>(r)) == UnitKind::angle) row_scale_[r] = system.length();
}

void MotionSolver::activate(const std::vector<char>& active) {
  active_ = active;
  friction_.leave_to_solver(active_);
  for (SaddleSolver* solver : {schur_.get(), kkt_.get()})
    if (solver != nullptr) solver->activate(active_);
  if (loops_ != nullptr) loops_->activate(active_);
  if (stale_jacobian_) renew_jacobian();
  place_.clear();
  factored_ = false;
}

void MotionSolver::renew_jacobian() {
  const std::vector<double>& at = at_place_ ? place_ : seen_;
  stale_jacobian_ = false;
  if (at.empty()) return;
  const CView q = CView(at).subspan(1);
  fill_rotations(system_.dimension(), q, rotation_);
  system_.equations().phi_q({at[0], q, rotation_.data()}, work_.packed);
}

SaddleSolver& MotionSolver::kkt() {
  if (kkt_ == nullptr) {
    const auto& shared = system_.kkt_plan();
    kkt_ = make_kkt(shared ? shared : plan_kkt(system_.equations(), system_.mass()));
    if (OwnCondition::measures(system_)) kkt_ = with_condition(std::move(kkt_), system_);
    kkt_->activate(active_);
  }
  return *kkt_;
}

SaddleSolver::Health MotionSolver::factor_with(SaddleSolver& solver, double t, CView q) {
  if (stale_jacobian_) renew_jacobian();
  const auto health = solver.factor(work_.packed);
  ++factorizations_;
  if (health.repivoted) {
    pivot_state_.resize(q.size() + 1);
    pivot_state_[0] = t;
    std::copy(q.begin(), q.end(), pivot_state_.begin() + 1);
  }
  return health;
}

void MotionSolver::restore_pivots(const std::vector<double>& state) {
  pivot_state_ = state;
  if (state.empty()) return;
  const CView q(state.data() + 1, state.size() - 1);
  system_.rotations(q, work_);
  system_.equations().phi_q(system_.config(state[0], q, work_), work_.packed);
  stale_jacobian_ = in_pose_ = false;
  kkt_.reset();
  const bool schur_missing = schur_ == nullptr;
  SaddleSolver& fresh = kkt();
  if (schur_missing) solver_ = &fresh;
  factored_ = fresh.factor(work_.packed).ok && schur_missing;
}

Eval MotionSolver::factor(double t, CView q) {
  system_.rotations(q, work_);
  const Config at = system_.config(t, q, work_);
  if (solver_ == schur_.get()) {
    const auto health = joints_->factor_pose(at, work_);
    ++factorizations_;
    note(t, q, health);
  } else {
    system_.equations().phi_q(at, work_.packed);
    stale_jacobian_ = false;
    note(t, q, factor_with(*solver_, t, q));
  }
  return factored_ ? Eval::ok : Eval::retry;
}

void MotionSolver::note(double t, CView q, const SaddleSolver::Health& health) {
  place_.resize(q.size() + 1);
  place_[0] = t;
  std::copy(q.begin(), q.end(), place_.begin() + 1);
  at_place_ = in_pose_ = true;
  stale_jacobian_ = solver_ == schur_.get();
  weakest_ = health.worst_row;
  dependent_ = health.dependent;
  ratio_ = health.ratio;
  factored_ = health.ok;
  if (loops_ == nullptr) return;
  if (ratio_ < suspicious_ratio && !(loops_->open() && joints_->joints_keep_rank())) {
    if (!joints_->pivots_kept()) return measure_loops(q);
    ratio_ = looked_ratio_;
    weakest_ = looked_row_;
  } else if (loops_->open()) {
    ratio_ = 1;
  }
}

void MotionSolver::measure_loops(CView q) {
  if (stale_jacobian_) renew_jacobian();
  const auto weakest = loops_->measure(q, work_);
  weakest_ = looked_row_ = weakest.row;
  ratio_ = looked_ratio_ = weakest.condition;
  joints_->remember_pivots(ratio_ > far_ratio ? kept_share : infinity);
}

void MotionSolver::factor_again(const std::vector<double>& place) {
  if (place.size() < 2) return;
  // factor() writes place_
  const std::vector<double> copy = place;  // NOLINT(performance-unnecessary-copy-initialization)
  solver_ = schur_ != nullptr ? schur_.get() : kkt_.get();
  (void)factor(copy[0], CView(copy).subspan(1));
}

Eval MotionSolver::begin(double t, CView q) {
  solver_ = schur_ != nullptr ? schur_.get() : kkt_.get();
  return factor(t, q);
}

void MotionSolver::load(double t, CView q, CView v) {
  system_.equations().gamma(system_.motion(t, q, v, work_), work_.gamma);
  system_.evaluate_forces(t, q, v, work_);
  if (friction_.any()) friction_.prepare(t, q, v, work_);
}

Eval MotionSolver::finish(double t, CView q, View a, View lambda) {
  const bool rubs = friction_.any();
  if (!rubs)
    solver_->solve(work_.Q, work_.gamma, a, lambda);
  else if (!friction_.solve(*solver_, work_.Q, work_.gamma, a, lambda))
    return Eval::retry;
  if (solver_->residual() > residual_limit && solver_ == schur_.get()) {
    solver_ = &kkt();  // factor_with() has the Jacobian made
    if (!factor_with(*solver_, t, q).ok) return Eval::retry;
    solver_->solve(work_.Q, work_.gamma, a, lambda);  // friction is in Q already
    if (rubs) friction_.write_holding(lambda);
  }
  return Eval::ok;
}

Eval MotionSolver::accelerations(double t, CView q, CView v, View a, View lambda) {
  if (joints_ == nullptr || friction_.any()) {
    if (const Eval e = begin(t, q); e != Eval::ok) return e;
    load(t, q, v);
    return finish(t, q, a, lambda);
  }
  solver_ = joints_;
  system_.rotations(q, work_);
  const Motion here = system_.motion(t, q, v, work_);
  const auto health = joints_->accelerate(here, work_, a, lambda);
  ++factorizations_;
  note(t, q, health);
  if (!factored_) return Eval::retry;
  if (joints_->residual() <= residual_limit) return Eval::ok;
  system_.equations().gamma(here, work_.gamma);
  solver_ = &kkt();
  if (!factor_with(*solver_, t, q).ok) return Eval::retry;
  solver_->solve(work_.Q, work_.gamma, a, lambda);
  return Eval::ok;
}

void MotionSolver::minimum_mass_correction(CView g, View d) {
  if (solver_ == schur_.get())
    joints_->correct(g, d);
  else
    solver_->solve(zero_, g, d, mu_);
}

double MotionSolver::worst(CView residual, Rows rows) const {
  double largest = 0;
  for (std::size_t r = 0; r < residual.size(); ++r)
    if (active_[r] != 0 || (rows == Rows::all && static_cast<int>(r) < system_.joint_rows())) {
      const double size = std::abs(residual[r]) * row_scale_[r];
      if (!(size <= largest)) largest = size;  // keeps a NaN
    }
  return largest;
}

double MotionSolver::position_violation(double t, CView q, Rows rows) {
  system_.rotations(q, work_);
  in_pose_ = false;
  system_.equations().phi(system_.config(t, q, work_), work_.phi);
  return worst(work_.phi, rows);
}

double MotionSolver::velocity_violation(double t, CView q, CView v, Rows rows) {
  system_.rotations(q, work_);
  const Config at = system_.config(t, q, work_);
  seen_.resize(q.size() + 1);
  seen_[0] = t;
  std::copy(q.begin(), q.end(), seen_.begin() + 1);
  at_place_ = false;
  in_pose_ = true;
  stale_jacobian_ = joints_ != nullptr;
  if (joints_ != nullptr) {
    joints_->fresh_pose(at, work_);
    joints_->multiply(work_, v, g_);
  } else {
    system_.equations().phi_q(at, work_.packed);
    system_.equations().multiply(work_.packed, v, g_);
  }
  system_.equations().nu(at, work_.nu);
  for (std::size_t r = 0; r < g_.size(); ++r) g_[r] = work_.nu[r] - g_[r];
  return worst(g_, rows);
}

Eval MotionSolver::project_positions(double t, View q) {
  system_.update_windings(q);
  const double reach = q.empty() ? 0 : as_vector(CView(q)).cwiseAbs().maxCoeff();
  const double aim =
      position_aim * system_.length() + 4 * std::numeric_limits<double>::epsilon() * reach;
  const auto residual = [&](int pass) {
    const double gap = position_violation(t, q, Rows::active);
    trace("    positions, pass {}: largest gap {:.3e} m", pass, gap);
    return NewtonResidual{gap, aim, 1e4 * aim};
  };
  const auto correct = [&](int pass, double gap, double before) {
    if (!factored_ || pass % passes_per_factor == passes_per_factor - 1 || gap > 0.5 * before)
      if (const Eval e = factor(t, q); e != Eval::ok) return e;
    for (std::size_t r = 0; r < g_.size(); ++r) g_[r] = -work_.phi[r];
    minimum_mass_correction(g_, d_);
    ++corrections_;
    system_.advance(q, d_, q);
    return Eval::ok;
  };
  return newton_to_round_off(max_passes, residual, correct);
}

Eval MotionSolver::project_velocities(double t, CView q, View v) {
  double speed = 0;  // the largest met on the way: a motion may begin at rest, or end there
  const auto residual = [&](int) {
    if (!v.empty()) speed = std::max(speed, as_vector(CView(v)).cwiseAbs().maxCoeff());
    const double aim = std::max(1e-14 * speed * std::max(1.0, system_.length()), no_speed);
    return NewtonResidual{velocity_violation(t, q, v, Rows::active), aim, 1e4 * aim};
  };
  const auto correct = [&](int, double now, double before) {
    if (!factored_ || now > 0.5 * before)
      if (const Eval e = factor(t, q); e != Eval::ok) return e;
    minimum_mass_correction(g_, d_);
    ++corrections_;
    for (std::size_t k = 0; k < v.size(); ++k) v[k] += d_[k];
    return Eval::ok;
  };
  return newton_to_round_off(max_passes, residual, correct);
}

void MotionSolver::project_increment(View d) {
  if (joints_ != nullptr && in_pose_) {
    joints_->multiply(work_, d, g_);
  } else {
    if (stale_jacobian_) renew_jacobian();
    system_.equations().multiply(work_.packed, d, g_);
  }
  for (double& x : g_) x = -x;
  minimum_mass_correction(g_, d_);
  for (std::size_t k = 0; k < d.size(); ++k) d[k] += d_[k];
}

}  // namespace cardan
