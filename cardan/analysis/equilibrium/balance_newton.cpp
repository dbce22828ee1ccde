// Newton's method on the equations of balance in positions and multipliers,
//   [ K + delta   phi_q^T ] [ d       ]     [ b + phi_q^T lambda ]
//   [ phi_q          0    ] [ dlambda ] = - [ phi                ]
// The pseudo-transient continuation makes it follow q' = -(b + phi_q^T lambda)/damping in implicit
// steps from far away, so that it comes to where forces pull: delta is the damping over the step. It
// falls with the forces (switched evolution relaxation) and vanishes near the balance, where the
// method is Newton's own. The other way from far away is a search along the Newton direction for less
// of the squared residual: it goes to a balance of any kind, unstable ones too.
// References: Kelley & Keyes, SIAM J. Numer. Anal. 35 (1998); Dennis & Schnabel, Numerical Methods for
// Unconstrained Optimization and Nonlinear Equations (1983).
#include <algorithm>
#include <cmath>
#include <memory>

#include "cardan/analysis/equilibrium/balance_search.h"
#include "cardan/base/trace.h"
#include "cardan/math/dense.h"
#include "cardan/math/sparse_lu.h"

namespace cardan {

namespace {

constexpr double newton_reach = 0.3;  // of the mechanism's size: the longest step
constexpr double most_growth = 2;     // of the residual in one step
constexpr int most_tries = 60;
constexpr double slow_balance = 0.5;  // of the force left by a step
constexpr int most_dense = 600;       // equations, for full matrices
constexpr int most_searches = 12;     // halvings along a Newton direction

class NewtonBalance {
 public:
  NewtonBalance(ForceBalance& at, CView start, const SearchLimits& limits)
      : at_(at), limits_(limits) {
    out_.q.assign(start.begin(), start.end());
    at_.evaluate(out_.q);
    out_.lambda = Eigen::VectorXd::Zero(at_.equations());
    if (at_.equations() > 0)
      out_.lambda = at_.jacobian().transpose().colPivHouseholderQr().solve(-at_.b());
    residual_of(out_.lambda);
  }

  FoundBalance follow() {
    double delta = force() / (0.1 * at_.length());
    for (; out_.iterations < limits_.max_iterations; ++out_.iterations) {
      trace("  balance, Newton {:>4}: force left {:.3e} N, largest gap {:.3e} m",
            out_.iterations,
            force(),
            gap());
      if (balanced()) return done(true);
      at_.linearise(out_.q, out_.lambda);
      if (!step(delta)) return done(nearly());
    }
    return done(false);
  }

  FoundBalance search() {
    for (; out_.iterations < limits_.max_iterations; ++out_.iterations) {
      trace("  balance, Newton {:>4}: force left {:.3e} N, largest gap {:.3e} m",
            out_.iterations,
            force(),
            gap());
      if (balanced()) return done(true);
      at_.linearise(out_.q, out_.lambda);
      if (!solve(0)) return done(false);
      double share =
          std::min(1.0, newton_reach * at_.length() / std::max(1e-300, d_.cwiseAbs().maxCoeff()));
      const double before = merit();
      bool better = false;
      for (int k = 0; k < most_searches && !better; ++k, share /= 2) {
        better = go(share);
        if (better) better = merit() <= (1 - 1e-4 * share) * before;
        if (!better) back();
      }
      if (!better) return done(nearly());
    }
    return done(false);
  }

 private:
  double force() const { return r_.size() > 0 ? r_.cwiseAbs().maxCoeff() : 0; }

  double gap() const { return phi_.size() > 0 ? phi_.cwiseAbs().maxCoeff() : 0; }

  bool balanced() const {
    return force() <= at_.small_force(limits_.tolerance) && gap() <= 10 * at_.small_gap(out_.q);
  }

  // Where round-off ends the search.
  bool nearly() const {
    return force() <= at_.small_force(1e3 * limits_.tolerance) &&
           gap() <= 100 * at_.small_gap(out_.q);
  }

  double merit() const {
    const double forces = std::max(at_.largest_force(), 1e-300);
    return r_.squaredNorm() / (forces * forces) +
           phi_.squaredNorm() / (at_.length() * at_.length());
  }

  void residual_of(const Eigen::VectorXd& lambda) {
    r_ = at_.b() + at_.transposed(lambda);
    phi_ = at_.phi();
  }

  FoundBalance done(bool converged) {
    out_.converged = converged;
    out_.force_left = force();
    return std::move(out_);
  }

  bool solve(double delta) {
    const int n = at_.coordinates(), m = at_.equations();
    std::vector<Eigen::Triplet<double>> entries;
    for (int c = 0; c < n; ++c) {
      for (SparseMatrix::InnerIterator it(at_.K(), c); it; ++it)
        entries.emplace_back(static_cast<int>(it.row()), c, it.value());
      entries.emplace_back(c, c, delta);
      for (SparseMatrix::InnerIterator it(at_.phi_q(), c); it; ++it) {
        entries.emplace_back(n + static_cast<int>(it.row()), c, it.value());
        entries.emplace_back(c, n + static_cast<int>(it.row()), it.value());
      }
    }
    SparseMatrix A(n + m, n + m);
    A.setFromTriplets(entries.begin(), entries.end());
    if (!order_) {
      order_ = std::make_unique<SparseOrder>(
          n + m,
          std::vector<int>(A.outerIndexPtr(), A.outerIndexPtr() + n + m + 1),
          std::vector<int>(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros()));
      lu_ = std::make_unique<SparseLu<double>>(*order_);
    }
    if (!lu_->factor(A.valuePtr())) return false;
    Eigen::VectorXd x(n + m);
    x << -r_, -phi_;
    lu_->solve(x.data());
    if (!x.allFinite()) return false;
    d_ = x.head(n);
    change_ = x.tail(m);
    return true;
  }

  bool go(double share) {
    kept_ = out_;
    kept_r_ = r_;
    kept_phi_ = phi_;
    out_.q = at_.moved(out_.q, share * d_);
    out_.lambda += share * change_;
    at_.evaluate(out_.q);
    residual_of(out_.lambda);
    return r_.allFinite() && phi_.allFinite();
  }

  // Where Newton's multipliers leave much force, those that leave least: near a singular pose of the
  // joints the former grow without bound.
  void refine_multipliers() {
    if (at_.equations() == 0 || at_.equations() > most_dense) return;
    const Eigen::VectorXd newton = out_.lambda, r = r_;
    out_.lambda = at_.jacobian().transpose().colPivHouseholderQr().solve(-at_.b());
    residual_of(out_.lambda);
    if (r_.allFinite() && r_.norm() < r.norm()) return;
    out_.lambda = newton;
    r_ = r;
  }

  void back() {
    out_.q = kept_.q;
    out_.lambda = kept_.lambda;
    r_ = kept_r_;
    phi_ = kept_phi_;
    at_.evaluate(out_.q);
  }

  // d^T (K + delta) d.
  double stiffness_along_step(double delta) const {
    const Eigen::VectorXd Kd = at_.K() * d_;
    return d_.dot(Kd) + delta * d_.squaredNorm();
  }

  // The present damping, or as much more as a good step needs.
  bool step(double& delta) {
    const double before = force(), shortest = before / (newton_reach * at_.length());
    for (int k = 0; k < most_tries; ++k) {
      const bool solved = solve(delta);
      const bool short_enough = solved && d_.cwiseAbs().maxCoeff() <= newton_reach * at_.length();
      // down the slope: with the force, not against it
      const bool down = solved && stiffness_along_step(delta) >= -1e-12 * delta * d_.squaredNorm();
      if (short_enough && (down || gap() > 1e-6 * at_.length()) && go(1)) {
        if (force() > slow_balance * before) refine_multipliers();
        const double now = force();
        if (now <= most_growth * before + 0.1 * at_.largest_force()) {
          delta *= std::clamp(before > 0 ? now / before : 0, 0.05, 2.0);
          if (now < 1e-4 * at_.largest_force()) delta = 0;
          return true;
        }
      }
      if (short_enough && (down || gap() > 1e-6 * at_.length())) back();
      delta = std::max(4 * delta, 0.1 * shortest);
    }
    return false;
  }

  ForceBalance& at_;
  SearchLimits limits_;
  FoundBalance out_, kept_;
  Eigen::VectorXd r_, phi_, kept_r_, kept_phi_, d_, change_;
  std::unique_ptr<SparseOrder> order_;
  std::unique_ptr<SparseLu<double>> lu_;
};

}  // namespace

FoundBalance newton_balance(ForceBalance& at, CView start, const SearchLimits& limits) {
  return NewtonBalance(at, start, limits).follow();
}

FoundBalance nearest_balance(ForceBalance& at, CView start, const SearchLimits& limits) {
  return NewtonBalance(at, start, limits).search();
}

}  // namespace cardan
