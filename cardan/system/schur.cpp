// lambda from S lambda = phi_q M^-1 f - g, a = M^-1 (f - phi_q^T lambda). S loses accuracy when
// inertias are small against m l^2; the residual phi_q a - g shows it, and refinement with the kept
// factor cures moderate cases.
#include <algorithm>
#include <cmath>
#include <utility>

#include "cardan/system/saddle.h"
#include "cardan/system/schur_assembly.h"

namespace cardan {

namespace {

constexpr double pivot_tolerance = 1e-11;  // below: the equation depends on the others
constexpr double residual_aim = 1e-12;     // refine until here
constexpr int max_refinements = 3;
constexpr double extreme_ratio = 1e8;  // m l^2 / J from which S is not trusted at all

class Schur final : public SaddleSolver {
 public:
  Schur(std::shared_ptr<const SchurPlan> plan, const Equations& equations, const MassMatrix& mass)
      : equations_(equations),
        mass_(mass),
        S_(std::move(plan), equations, mass),
        active_(static_cast<std::size_t>(equations.rows()), 1),
        packed_(static_cast<std::size_t>(equations.packed_size())),
        r_(static_cast<std::size_t>(equations.rows())),
        x_(static_cast<std::size_t>(mass.size())) {}

  Health factor(CView packed) override {
    std::copy(packed.begin(), packed.end(), packed_.begin());
    const auto pivots = S_.factor(packed, 0.0, pivot_tolerance);
    return {pivots.skipped, pivots.worst, pivots.ratio, !std::isnan(pivots.ratio)};
  }

  void solve(CView f, CView g, View a, View lambda) override {
    std::copy(f.begin(), f.end(), a.begin());
    mass_.solve(a);
    std::fill(lambda.begin(), lambda.end(), 0.0);
    double scale = 0;
    for (int pass = 0; pass <= max_refinements; ++pass) {
      equations_.multiply(packed_, a, r_);
      double worst = 0;
      for (std::size_t i = 0; i < r_.size(); ++i) {
        if (pass == 0 && active_[i] != 0)
          scale = std::max({scale, std::abs(r_[i]), std::abs(g[i])});
        r_[i] = active_[i] != 0 ? r_[i] - g[i] : 0.0;
        if (!S_.skipped(static_cast<int>(i))) worst = std::max(worst, std::abs(r_[i]));
      }
      residual_ = scale > 0 ? worst / scale : 0;
      if (!(residual_ > residual_aim) || pass == max_refinements) return;
      S_.solve(r_);
      for (std::size_t i = 0; i < r_.size(); ++i) lambda[i] += r_[i];
      std::fill(x_.begin(), x_.end(), 0.0);
      equations_.add_transposed(packed_, r_, 1.0, x_);
      mass_.solve(x_);
      for (std::size_t k = 0; k < x_.size(); ++k) a[k] -= x_[k];
    }
  }

  double residual() const override { return residual_; }

  void activate(const std::vector<char>& active) override {
    active_ = active;
    S_.activate(active);
  }

 private:
  const Equations& equations_;
  const MassMatrix& mass_;
  SchurMatrix S_;
  std::vector<char> active_;
  std::vector<double> packed_, r_, x_;
  double residual_ = 0;
};

}  // namespace

bool trusts_schur(const MassMatrix& mass, double length) {
  return mass.regular() && mass.worst_ratio(length) < extreme_ratio;
}

std::unique_ptr<SaddleSolver> make_schur(std::shared_ptr<const SchurPlan> plan,
                                         const Equations& equations,
                                         const MassMatrix& mass) {
  return std::make_unique<Schur>(std::move(plan), equations, mass);
}

}  // namespace cardan
