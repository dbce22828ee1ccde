#include "cardan/system/friction_solver.h"

#include <algorithm>
#include <cmath>

namespace cardan {

namespace {

constexpr int most_for_newton = 64, most_steps = 40, most_passes = 400;
constexpr double aim = 1e-13;  // of the largest load

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
  for (int k = 0; k < count_; ++k) {
    set_.direction(k, here, View(d_).subspan(at(k) * n, n));
    frames_[at(k)] = set_.frame(k, here.config());
    if (set_.element(k).load == FrictionElement::Load::compliant)
      given_[at(k)] = system_.friction_load(k, here, {}, w);
  }
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
}

bool FrictionSolver::solve(SaddleSolver& solver, View Q, CView gamma, View a, View lambda) {
  paradox_ = -1;
  if (count_ > most_for_newton) return iterate(solver, Q, gamma, a, lambda);
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
    for (int k = 0; k < count_; ++k) {
      const auto& rows = set_.element(k).rows;
      for (int j = 0; j < count_; ++j) {
        double sum = k == j ? 1 : 0;
        for (std::size_t r = 0; r < rows.size(); ++r)
          sum -= slope_rows_(k, static_cast<Eigen::Index>(r)) * response_(rows[r], j);
        matrix_(k, j) = sum;
      }
    }
    lu_.compute(matrix_);
    if (!(lu_.determinant() > 0)) break;
    if (next_.cwiseAbs().maxCoeff() <= aim * size) return true;
    N_ += lu_.solve(next_);
  }
  Eigen::Index worst = 0;
  if (matrix_.diagonal().allFinite()) matrix_.diagonal().minCoeff(&worst);
  paradox_ = static_cast<int>(worst);
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
