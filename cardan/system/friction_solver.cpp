#include "cardan/system/friction_solver.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cardan {

namespace {

constexpr int most_for_newton = 64, most_steps = 40, most_passes = 400;
constexpr double aim = 1e-13;        // of the largest load
constexpr double return_time = 0.1;  // s: tau

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

FrictionSolver::FrictionSolver(const System& system)
    : system_(system), set_(system.friction()), count_(set_.count()) {
  if (count_ == 0) return;
  const auto rows = at(system.equations().rows()), n = at(system.v_size());
  d_.resize(at(count_ * 2 * system.body_size()));
  given_.resize(at(count_));
  frames_.resize(at(count_));
  rows_zero_.resize(rows);
  force_.resize(n);
  a_scratch_.resize(n);
  Q_given_.resize(n);
  std::size_t most = 1;
  for (int k = 0; k < count_; ++k) most = std::max(most, set_.element(k).rows.size());
  slopes_.resize(most);
  slope_rows_.setZero(count_, static_cast<Eigen::Index>(most));
  N_.setZero(count_);
  next_.setZero(count_);
  lambda_.setZero(static_cast<Eigen::Index>(rows));
  if (count_ > most_for_newton) return;
  response_.setZero(static_cast<Eigen::Index>(rows), count_ + 1);
  matrix_.setIdentity(count_, count_);
  lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(count_);
}

CView FrictionSolver::direction(int k) const {
  const std::size_t n = at(2 * system_.body_size());
  return CView(d_).subspan(at(k) * n, n);
}

void FrictionSolver::prepare(double t, CView q, CView v, const Workspace& w) {
  const Motion here = system_.motion(t, q, v, w);
  const std::size_t n = at(2 * system_.body_size());
  held_.clear();
  T_.clear();
  for (int k = 0; k < count_; ++k) {
    const Sliding sliding = system_.sliding(k, w);
    set_.direction(k, here, sliding, View(d_).subspan(at(k) * n, n));
    if (sliding.holds()) hold(k, sliding, here);
    frames_[at(k)] = set_.frame(k, here.config());
    if (set_.element(k).load == FrictionElement::Load::compliant)
      given_[at(k)] = system_.friction_load(k, here, {}, w);
  }
}

// What sticks without an equation of the solver.
void FrictionSolver::hold(int k, const Sliding& sliding, const Motion& here) {
  const int first = set_.element(k).stick_row, ways = set_.ways(k);
  const std::size_t n = at(2 * system_.body_size());
  std::array<double, std::size_t{FrictionSet::most_sliding_components} * FrictionSet::most_numbers>
      rows{};
  std::array<double, FrictionSet::most_sliding_components> s{};
  bool known = false;
  for (int c = 0; c < ways; ++c) {
    if (!sliding.keeps(c) || (!active_.empty() && active_[at(first + c)] != 0)) continue;
    if (!known) set_.tangents(k, here, View(rows).first(at(ways) * n), s);
    known = true;
    held_.push_back({first + c, k, s[at(c)]});
    T_.insert(T_.end(),
              rows.begin() + c * static_cast<int>(n),
              rows.begin() + (c + 1) * static_cast<int>(n));
  }
}

void FrictionSolver::add_held(std::size_t j, double force, View Q) const {
  const std::size_t n = at(system_.body_size());
  for (std::size_t s = 0; s < 2; ++s) {
    const int body = set_.element(held_[j].element).body[s];
    if (body < 0) continue;
    const std::size_t first = at(system_.layout().v(body));
    for (std::size_t i = 0; i < n; ++i) Q[first + i] += force * T_[(2 * j + s) * n + i];
  }
}

double FrictionSolver::along_held(std::size_t j, CView a) const {
  const std::size_t n = at(system_.body_size());
  double sum = 0;
  for (std::size_t s = 0; s < 2; ++s) {
    const int body = set_.element(held_[j].element).body[s];
    if (body < 0) continue;
    const std::size_t first = at(system_.layout().v(body));
    for (std::size_t i = 0; i < n; ++i) sum += a[first + i] * T_[(2 * j + s) * n + i];
  }
  return sum;
}

void FrictionSolver::write_holding(View lambda) const {
  for (std::size_t j = 0; j < held_.size(); ++j)
    lambda[at(held_[j].row)] = -r_[static_cast<Eigen::Index>(j)];
}

double FrictionSolver::load(int k, CView lambda) const {
  if (set_.element(k).load == FrictionElement::Load::compliant) return given_[at(k)];
  return set_.load(k, frames_[at(k)], lambda, slopes_);
}

void FrictionSolver::loads(CView lambda, Eigen::VectorXd& N, bool with_slopes) const {
  for (int k = 0; k < count_; ++k) {
    N[k] = load(k, lambda);
    if (!with_slopes) continue;
    for (std::size_t r = 0; r < set_.element(k).rows.size(); ++r)
      slope_rows_(k, static_cast<Eigen::Index>(r)) =
          set_.element(k).load == FrictionElement::Load::compliant ? 0 : slopes_[r];
  }
}

void FrictionSolver::add_direction(int k, double N, View Q) const {
  const CView d = direction(k);
  const std::size_t n = at(system_.body_size());
  for (std::size_t s = 0; s < 2; ++s) {
    const int body = set_.element(k).body[s];
    if (body < 0) continue;
    const std::size_t first = at(system_.layout().v(body));
    for (std::size_t i = 0; i < n; ++i) Q[first + i] += N * d[s * n + i];
  }
}

void FrictionSolver::add(CView lambda, View Q) const {
  for (int k = 0; k < count_; ++k) add_direction(k, load(k, lambda), Q);
  for (std::size_t j = 0; j < held_.size(); ++j) add_held(j, -lambda[at(held_[j].row)], Q);
}

bool FrictionSolver::solve(SaddleSolver& solver, View Q, CView gamma, View a, View lambda) {
  paradox_ = -1;
  if (!held_.empty()) return solve_holding(solver, Q, gamma, a, lambda);
  if (count_ > most_for_newton) return iterate(solver, Q, gamma, a, lambda);
  if (response_.cols() != count_ + 1) {
    response_.setZero(response_.rows(), count_ + 1);
    matrix_.setIdentity(count_, count_);
  }
  solver.solve(Q, gamma, a, lambda);
  response_.col(count_) = as_vector(CView(lambda));
  for (int k = 0; k < count_; ++k) {
    std::fill(force_.begin(), force_.end(), 0.0);
    add_direction(k, 1, force_);
    solver.solve(force_, rows_zero_, a_scratch_, {response_.col(k).data(), rows_zero_.size()});
  }
  if (!newton()) return false;
  for (int k = 0; k < count_; ++k) add_direction(k, N_[k], Q);
  solver.solve(Q, gamma, a, lambda);
  return true;
}

bool FrictionSolver::solve_holding(SaddleSolver& solver, View Q, CView gamma, View a, View lambda) {
  const auto held = static_cast<Eigen::Index>(held_.size()), all = count_ + held;
  if (response_.cols() != all + 1) {
    response_.setZero(static_cast<Eigen::Index>(rows_zero_.size()), all + 1);
    matrix_.setIdentity(all, all);
  }
  slide_.resize(held, all + 1);
  slip_aim_.resize(held);
  const auto respond = [&](Eigen::Index column, CView f, CView g, View x) {
    solver.solve(f, g, x, {response_.col(column).data(), rows_zero_.size()});
    for (Eigen::Index j = 0; j < held; ++j)
      slide_(j, column) = along_held(static_cast<std::size_t>(j), x);
  };
  respond(all, Q, gamma, a);
  for (Eigen::Index k = 0; k < all; ++k) {
    std::fill(force_.begin(), force_.end(), 0.0);
    if (k < count_)
      add_direction(static_cast<int>(k), 1, force_);
    else
      add_held(static_cast<std::size_t>(k - count_), 1, force_);
    respond(k, force_, rows_zero_, a_scratch_);
  }
  for (Eigen::Index j = 0; j < held; ++j) {
    const Held& h = held_[static_cast<std::size_t>(j)];
    slip_aim_[j] = gamma[at(h.row)] - h.slip / return_time;
  }
  if (!newton_holding()) return false;
  for (int k = 0; k < count_; ++k) add_direction(k, N_[k], Q);
  for (std::size_t j = 0; j < held_.size(); ++j) add_held(j, r_[static_cast<Eigen::Index>(j)], Q);
  solver.solve(Q, gamma, a, lambda);
  write_holding(lambda);
  return true;
}

// I - load' L, for all forces that L has responses to.
void FrictionSolver::load_matrix() {
  for (int k = 0; k < count_; ++k) {
    const auto& rows = set_.element(k).rows;
    for (Eigen::Index j = 0; j < matrix_.cols(); ++j) {
      double sum = k == j ? 1 : 0;
      for (std::size_t r = 0; r < rows.size(); ++r)
        sum -= slope_rows_(k, static_cast<Eigen::Index>(r)) * response_(rows[r], j);
      matrix_(k, j) = sum;
    }
  }
}

void FrictionSolver::blame() {
  Eigen::Index worst = 0;
  if (matrix_.diagonal().allFinite()) matrix_.diagonal().head(count_).minCoeff(&worst);
  paradox_ = static_cast<int>(worst);
}

bool FrictionSolver::newton_holding() {
  const Eigen::Index held = slide_.rows(), all = count_ + held;
  const CView lambda(lambda_.data(), at(static_cast<int>(lambda_.size())));
  Eigen::VectorXd x = Eigen::VectorXd::Zero(all), rest(all);
  lambda_ = response_.col(all);
  loads(lambda, N_, false);
  x.head(count_) = N_;
  for (int step = 0; step < most_steps; ++step) {
    lambda_ = response_.col(all);
    lambda_.noalias() += response_.leftCols(all) * x;
    loads(lambda, next_, true);
    rest.head(count_) = next_ - x.head(count_);
    rest.tail(held) = slip_aim_ - slide_.col(all) - slide_.leftCols(all) * x;
    load_matrix();
    matrix_.bottomRows(held) = slide_.leftCols(all);
    const double size = std::max(x.cwiseAbs().maxCoeff(), next_.cwiseAbs().maxCoeff());
    if (!std::isfinite(size)) break;
    lu_.compute(matrix_);
    if (!(lu_.determinant() > 0)) break;
    const Eigen::VectorXd change = lu_.solve(rest);
    x += change;
    if (change.cwiseAbs().maxCoeff() > aim * size) continue;
    N_ = x.head(count_);
    r_ = x.tail(held);
    return true;
  }
  blame();
  return false;
}

bool FrictionSolver::newton() {
  const CView lambda(lambda_.data(), at(static_cast<int>(lambda_.size())));
  lambda_ = response_.col(count_);
  loads(lambda, N_, false);
  for (int step = 0; step < most_steps; ++step) {
    lambda_ = response_.col(count_);
    lambda_.noalias() += response_.leftCols(count_) * N_;
    loads(lambda, next_, true);
    next_ -= N_;
    const double size = std::max(N_.cwiseAbs().maxCoeff(), next_.cwiseAbs().maxCoeff());
    if (!std::isfinite(size)) break;
    load_matrix();
    lu_.compute(matrix_);
    if (!(lu_.determinant() > 0)) break;
    if (next_.cwiseAbs().maxCoeff() <= aim * size) return true;
    N_ += lu_.solve(next_);
  }
  blame();
  return false;
}

bool FrictionSolver::iterate(SaddleSolver& solver, View Q, CView gamma, View a, View lambda) {
  std::copy(Q.begin(), Q.end(), Q_given_.begin());
  solver.solve(Q, gamma, a, lambda);
  N_.setZero();
  double before = INFINITY;
  for (int pass = 0; pass < most_passes; ++pass) {
    loads(lambda, next_, false);
    const double change = (next_ - N_).cwiseAbs().maxCoeff(), size = next_.cwiseAbs().maxCoeff();
    if (!std::isfinite(change) || (pass > 20 && change > before)) break;
    before = change;
    N_ = next_;
    std::copy(Q_given_.begin(), Q_given_.end(), Q.begin());
    for (int k = 0; k < count_; ++k) add_direction(k, N_[k], Q);
    solver.solve(Q, gamma, a, lambda);
    if (change <= aim * size) return true;
  }
  Eigen::Index worst = 0;
  if ((next_ - N_).allFinite()) (next_ - N_).cwiseAbs().maxCoeff(&worst);
  paradox_ = static_cast<int>(worst);
  return false;
}

}  // namespace cardan
