#include "cardan/system/own_condition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cardan/math/elementary.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

namespace {

constexpr int most_measured = 64;  // equations: the matrix of their rows is full
constexpr double beside = 0.3;     // of the sizes of coordinates: how far bounds are looked for
constexpr int bound_poses = 4;     // beside the given one
constexpr double least_bound =
    1e-2;  // of the size of the coordinates: residuals are lengths, nearly
// Brings the measure to the size of pivots of S relative to their rows, in rows of four-bars.
constexpr double condition_scale = 4;

double length_of_row(const Eigen::MatrixXd& J, Eigen::Index i, const std::vector<double>& size) {
  return (J.row(i).transpose().array() * as_vector(CView(size)).array()).matrix().norm();
}

}  // namespace

bool OwnCondition::measures(const System& system) {
  const Equations& equations = system.equations();
  if (system.own() == nullptr || equations.rows() == 0 || equations.rows() > most_measured)
    return false;
  for (int r = 0; r < equations.rows(); ++r)
    if (equations.at_velocity_level(r)) return false;
  return true;
}

OwnCondition::OwnCondition(const System& system)
    : equations_(system.equations()), active_(static_cast<std::size_t>(equations_.rows()), 1) {
  take_sizes(system);
}

void OwnCondition::take_sizes(const System& system) {
  const State given = system.given_state();
  const auto n = static_cast<std::size_t>(system.v_size());
  size_.assign(n, 1);
  const auto unit = [&](std::size_t k) -> const std::string& {
    return system.requests()[k].unit;
  };
  for (std::size_t j = 0; j < n; ++j) {
    if (unit(j).empty() || unit(j) == "rad") continue;
    double largest = 0;
    for (std::size_t k = 0; k < n; ++k)
      if (unit(k) == unit(j)) largest = std::max(largest, std::abs(given.q[k]));
    if (largest > 0) size_[j] = largest;
  }
  Workspace work = system.workspace();
  bound_.assign(static_cast<std::size_t>(equations_.rows()), 0);
  std::vector<double> q = given.q;
  for (int pose = 0; pose <= bound_poses; ++pose) {
    for (std::size_t k = 0; k < n; ++k)
      q[k] = given.q[k] +
             (pose == 0
                  ? 0
                  : beside * size_[k] * elementary::cos(1.7 * pose + 2.3 * static_cast<double>(k)));
    equations_.phi_q(system.config(given.t, q, work), work.packed);
    const Eigen::MatrixXd J = equations_.dense(work.packed);
    for (Eigen::Index i = 0; i < J.rows(); ++i) {
      const double length = length_of_row(J, i, size_);
      double& bound = bound_[static_cast<std::size_t>(i)];
      if (std::isfinite(length)) bound = std::max(bound, length);
    }
  }
  known_ = std::all_of(
      bound_.begin(), bound_.end(), [&](double b) { return b >= least_bound * system.length(); });
}

OwnCondition::Weakest OwnCondition::measure(CView packed) {
  const Eigen::MatrixXd J = equations_.dense(packed);
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < J.rows(); ++i)
    if (active_[static_cast<std::size_t>(i)] != 0 && bound_[static_cast<std::size_t>(i)] > 0)
      rows.push_back(i);
  Weakest weakest;
  if (rows.empty()) return weakest;
  const auto m = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd A(m, J.cols());
  for (Eigen::Index k = 0; k < m; ++k)
    A.row(k) = (J.row(rows[static_cast<std::size_t>(k)]).transpose().array() *
                as_vector(CView(size_)).array())
                   .matrix()
                   .transpose() /
               bound_[static_cast<std::size_t>(rows[static_cast<std::size_t>(k)])];
  // (A A^T)^-1 = R^-1 R^-T with A^T P = Q R: row k of P^T R^-1 is what is wanted of row k.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.transpose());
  const Eigen::MatrixXd R = qr.matrixR().topRows(std::min(m, J.cols()));
  if (m > J.cols() || !(std::abs(R(m - 1, m - 1)) > 0))
    return {0,
            static_cast<int>(rows[static_cast<std::size_t>(
                qr.colsPermutation().indices()[std::min(m, J.cols()) - 1])])};
  const Eigen::MatrixXd inverse =
      R.leftCols(m).triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(m, m));
  for (Eigen::Index k = 0; k < m; ++k) {
    const double condition = condition_scale / inverse.row(k).squaredNorm();
    if (!(condition < weakest.condition)) continue;
    weakest.condition = condition;
    weakest.row =
        static_cast<int>(rows[static_cast<std::size_t>(qr.colsPermutation().indices()[k])]);
  }
  return weakest;
}

double OwnCondition::violation(CView phi) const {
  double largest = 0;
  for (std::size_t r = 0; r < phi.size(); ++r) {
    if (active_[r] == 0 || !(bound_[r] > 0)) continue;
    const double share = std::abs(phi[r]) / bound_[r];
    if (!(share <= largest)) largest = share;  // keeps a NaN
  }
  return largest;
}

namespace {

class Measured final : public SaddleSolver {
 public:
  Measured(std::unique_ptr<SaddleSolver> solver, const System& system)
      : solver_(std::move(solver)), condition_(system) {}

  Health factor(CView packed) override {
    Health health = solver_->factor(packed);
    if (!health.ok) {
      health.ratio = 0;
      return health;
    }
    const auto weakest = condition_.known() ? condition_.measure(packed) : OwnCondition::Weakest();
    health.ratio = weakest.condition;
    health.worst_row = weakest.row;
    return health;
  }

  void solve(CView f, CView g, View a, View lambda) override { solver_->solve(f, g, a, lambda); }

  double residual() const override { return solver_->residual(); }

  void activate(const std::vector<char>& active) override {
    solver_->activate(active);
    condition_.activate(active);
  }

 private:
  std::unique_ptr<SaddleSolver> solver_;
  OwnCondition condition_;
};

}  // namespace

std::unique_ptr<SaddleSolver> with_condition(std::unique_ptr<SaddleSolver> solver,
                                             const System& system) {
  return std::make_unique<Measured>(std::move(solver), system);
}

bool tells_distance(const MotionSolver& motion) {
  return motion.ranks() || OwnCondition::measures(motion.system());
}

}  // namespace cardan
