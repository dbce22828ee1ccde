// What sticks and what begins to slide, of all friction at once. With the normal forces N of the
// limits that hold, eliminated by their equations, and friction r with bounds R(x) = mu N,
//   a_t = T a - gamma = S r + c,   |r| <= R,   a_t = 0 or r = -R a_t/|a_t|,
// which for bounds that stand still is the minimum of r.S r/2 + c.r over discs and balls: S is not
// negative, so there is one, whatever sticks. It says who slides and in which direction together;
// sticking with more force before it begins (mu_s > mu) only changes bounds, from mu_s to mu of those
// that slide. The zeros of
//   r - P(r - rho a_t),   P: onto the disc or ball of radius R,
// with R moving along are found by Newton's method with the generalized Jacobian, of least norm where
// forces are not unique. It starts from sweeps over the elements, each put onto its own disc.
// References: Alart & Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991); Moreau, in Nonsmooth
// Mechanics and Applications (1988), on the principle of largest dissipation.
#include <algorithm>
#include <cmath>

#include "cardan/system/stick_solver.h"

namespace cardan {

namespace {

constexpr int cone_steps = 80, cone_cuts = 14;  // of Newton's method, and of one step
constexpr int cone_sweeps = 3000;               // in all
constexpr double cone_aim = 1e-14;              // of the largest force
constexpr double cone_good = 1e-10;             // the same, where round-off ends the iteration
constexpr double at_the_limit = 1e-7;           // bounds are smaller by it where one was reached
constexpr double slides_clearly = 1e-9;         // of the bound: rho |a| of what slides
constexpr double no_direction = 1e-5;           // of what a is the difference of
constexpr int most_settlings = 30;
constexpr double hardly_beyond = 1e-6;  // of a bound, and of accelerations: still agrees

std::size_t cone_index(Eigen::Index k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

struct StickSolver::Cones {
  std::vector<double> mu, rho;     // of the rubs: bounds, and what a is multiplied by
  std::vector<char> takes_part;    // of the rubs
  std::vector<Eigen::Index> kept;  // limits
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> of_kept;
};

void StickSolver::begin_cones(Cones& cones) const {
  cones.kept.clear();
  for (Eigen::Index c = 0; c < limits_; ++c)
    if (kept_[cone_index(c)] != 0) cones.kept.push_back(c);
  if (!cones.kept.empty()) cones.of_kept.compute(D_(cones.kept, cones.kept));
  cones.rho.assign(rubs_.size(), 1.0);
  cones.takes_part.assign(rubs_.size(), 1);
  for (std::size_t e = 0; e < rubs_.size(); ++e) {
    const Rub& rub = rubs_[e];
    cones.takes_part[e] = rub.limit < 0 || kept_[cone_index(rub.limit)] != 0 ? 1 : 0;
    const Eigen::MatrixXd own = D_.block(rub.first, rub.first, rub.ways, rub.ways);
    Eigen::MatrixXd S = own;
    if (!cones.kept.empty()) {
      std::vector<Eigen::Index> columns(cone_index(rub.ways));
      for (int c = 0; c < rub.ways; ++c) columns[cone_index(c)] = rub.first + c;
      const Eigen::MatrixXd by = D_(cones.kept, columns);
      S -= by.transpose() * cones.of_kept.solve(by);
    }
    const double size = std::max(S.trace(), 1e-3 * own.trace());
    if (size > 0) cones.rho[e] = 1 / size;
  }
}

// Normal forces of the limits that hold, for friction as it is.
void StickSolver::follow_friction(const Cones& cones) {
  if (!cones.kept.empty()) {
    for (const Eigen::Index c : cones.kept) x_[c] = 0;
    const Eigen::VectorXd missing = (D_ * x_ + b_)(cones.kept);
    x_(cones.kept) = -cones.of_kept.solve(missing);
  }
  update_multipliers();
}

// Until no force changes by more than its share of the largest; false: too many.
bool StickSolver::sweep_cones(const Cones& cones, double closeness, int& left) {
  follow_friction(cones);
  for (; left > 0; --left) {
    double change = 0;
    for (std::size_t e = 0; e < rubs_.size(); ++e) {
      const Rub& rub = rubs_[e];
      const double N = std::max(load(rub, nullptr), 0.0);
      Vec<3> next = Vec<3>::Zero();
      if (cones.takes_part[e] == 0) continue;
      if (rub.part == Part::fixed) {
        next = -rub.mu * N * rub.w;
      } else {
        next = force(rub) - cones.rho[e] * rise(rub);
        const double bound = cones.mu[e] * N, size = next.norm();
        if (size > bound) next *= bound / size;
      }
      for (int c = 0; c < rub.ways; ++c) {
        change = std::max(change, std::abs(next[c] - x_[rub.first + c]));
        x_[rub.first + c] = next[c];
      }
      follow_friction(cones);
    }
    if (!(change > closeness * x_.cwiseAbs().maxCoeff())) return true;
  }
  return false;
}

// F and its generalized Jacobian at x_.
void StickSolver::cone_residual(const Cones& cones, Eigen::VectorXd& F, Eigen::MatrixXd* J) {
  update_multipliers();
  F = x_;
  if (J != nullptr) J->setIdentity(x_.size(), x_.size());
  for (const Eigen::Index c : cones.kept) {
    F[c] = (D_.row(c).dot(x_) + b_[c]) / D_(c, c);
    if (J != nullptr) J->row(c) = D_.row(c) / D_(c, c);
  }
  Eigen::VectorXd slopes;
  for (std::size_t e = 0; e < rubs_.size(); ++e) {
    const Rub& rub = rubs_[e];
    if (cones.takes_part[e] == 0) continue;
    const double N = load(rub, J != nullptr ? &slopes : nullptr);
    const auto at = rub.first, ways = rub.ways;
    const Vec<3> r = force(rub);
    if (rub.part == Part::fixed) {
      F.segment(at, ways) = (r + rub.mu * N * rub.w).head(ways);
      if (J != nullptr) J->middleRows(at, ways) += rub.mu * rub.w.head(ways) * slopes.transpose();
      continue;
    }
    const Vec<3> a = rise(rub), trial = r - cones.rho[e] * a;
    const double bound = cones.mu[e] * std::max(N, 0.0), size = trial.norm();
    if (size <= bound) {
      F.segment(at, ways) = cones.rho[e] * a.head(ways);
      if (J != nullptr) J->middleRows(at, ways) = cones.rho[e] * D_.middleRows(at, ways);
      continue;
    }
    const Vec<3> u = trial / size;
    F.segment(at, ways) = (r - bound * u).head(ways);
    if (J == nullptr) continue;
    const Mat<3, 3> turn = bound / size * (Mat<3, 3>::Identity() - u * u.transpose());
    const Eigen::MatrixXd part = turn.topLeftCorner(ways, ways);
    J->block(at, at, ways, ways) -= part;
    J->middleRows(at, ways) += cones.rho[e] * part * D_.middleRows(at, ways);
    if (N > 0) J->middleRows(at, ways) -= cones.mu[e] * u.head(ways) * slopes.transpose();
  }
}

bool StickSolver::newton_on_cones(const Cones& cones) {
  Eigen::VectorXd F, trial_F;
  Eigen::MatrixXd J;
  cone_residual(cones, F, &J);
  for (int step = 0; step < cone_steps; ++step) {
    const double size = F.norm(), most = x_.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) return false;
    if (size <= cone_aim * most) return true;
    const Eigen::VectorXd start = x_, change = J.completeOrthogonalDecomposition().solve(F);
    double share = 1;
    bool better = false;
    for (int cut = 0; cut < cone_cuts && !better; ++cut, share *= 0.5) {
      x_ = start - share * change;
      cone_residual(cones, trial_F, nullptr);
      better = trial_F.norm() < size;
    }
    if (!better) {
      x_ = start;
      update_multipliers();
      return size <= cone_good * most;
    }
    cone_residual(cones, F, &J);
  }
  return F.norm() <= cone_good * x_.cwiseAbs().maxCoeff();
}

bool StickSolver::solve_cones(Cones& cones) {
  begin_cones(cones);
  int left = cone_sweeps;
  for (Eigen::Index c = 0; c < limits_; ++c)
    if (kept_[cone_index(c)] == 0) x_[c] = 0;
  for (std::size_t e = 0; e < rubs_.size(); ++e)
    if (cones.takes_part[e] == 0) x_.segment(rubs_[e].first, rubs_[e].ways).setZero();
  for (const double closeness : {1e-3, 1e-5, 1e-8, 1e-12}) {
    const bool swept = sweep_cones(cones, closeness, left);
    const Eigen::VectorXd before = x_;
    if (newton_on_cones(cones)) return true;
    x_ = before;
    if (!swept) return false;
  }
  return false;
}

// The parts of what stands still; true: some are others than before.
bool StickSolver::take_parts(Cones& cones) {
  bool changed = false;
  for (std::size_t e = 0; e < rubs_.size(); ++e) {
    Rub& rub = rubs_[e];
    if (rub.part == Part::fixed || cones.takes_part[e] == 0) continue;
    const Vec<3> a = rise(rub), r = force(rub);
    const double bound = cones.mu[e] * std::max(load(rub, nullptr), 0.0);
    const bool slides = (r - cones.rho[e] * a).norm() > bound * (1 + slides_clearly) &&
                        r.norm() > (1 - slides_clearly) * bound && r.norm() > 0;
    const Vec<3> w = slides ? Vec<3>(-r.normalized()) : Vec<3>(Vec<3>::Zero());
    const Part part = slides ? Part::begins : Part::sticks;
    changed = changed || part != rub.part || (slides && (w - rub.w).norm() > hardly_beyond);
    rub.part = part;
    if (!slides) continue;
    rub.w = w;
    if (rub.mu < cones.mu[e]) {
      cones.mu[e] = rub.mu;
      changed = true;
    }
  }
  return changed;
}

// The parts once more by the equations of the modes alone.
bool StickSolver::parts_agree() {
  const std::vector<double> ratios = shared_ratios();
  for (const double ratio : ratios)
    if (!(ratio <= 1 + hardly_beyond)) return false;
  for (const Rub& rub : rubs_) {
    if (rub.part != Part::begins) continue;
    const Vec<3> a = rise(rub);
    double lift = 0;
    for (Eigen::Index c = rub.first; c < rub.first + rub.ways; ++c)
      lift = std::max(lift, std::abs(b_[c]) + D_.row(c).cwiseAbs().dot(x_.cwiseAbs()));
    if (a.dot(rub.w) < -hardly_beyond * lift) return false;
    if (a.norm() > no_direction * lift && (a.normalized() - rub.w).norm() > no_direction)
      return false;
  }
  return true;
}

bool StickSolver::settle_by_cones(const std::vector<int>& closed, bool releases) {
  Cones cones;
  for (const Rub& rub : rubs_) {
    const bool held = rub.part == Part::sticks;
    cones.mu.push_back(held ? set_.element(rub.k).law.at_rest : rub.mu);
    if (held && releases) cones.mu.back() *= 1 - at_the_limit;
  }
  x_.setZero();
  update_multipliers();
  for (int pass = 0; pass < most_settlings; ++pass) {
    if (choose_limits(closed).kind != Answer::Kind::found || !solve_cones(cones)) return false;
    if (take_parts(cones)) continue;
    if (!solve_forces() || !positive_) return false;
    if (limits_agree(most_settlings)) return parts_agree();
  }
  return false;
}

}  // namespace cardan
