// The implicit Adams-Moulton step y = c + w f(t, y), c known: by substitution while that converges
// well, else by Newton's method with I - w f_y.
#include <cmath>

#include "cardan/base/trace.h"
#include "cardan/ode/adams/adams_fixed.h"

namespace cardan {

namespace {

constexpr double enough = 2e-15;  // of |y|: the result counts as exact
constexpr double noise = 1e-10;   // of |y|: corrections that no longer shrink, by noise in f
constexpr int most = 60;

}  // namespace

Eval AdamsFixed::iterate() {
  corrector_terms_ = order_ = std::min(options_.order, known_ + 1);
  double weight = 0;
  corrector_sum(corrector_terms_, weight, known_part_);
  known_part_ += y_;
  bool newton = false;
  double last = 0;
  for (int i = 0; i < most; ++i) {
    ++problem_.stats().newton;
    Eval e = problem_.evaluate(t_ + h_, view(y_new_), view(f_predicted_));
    if (e != Eval::ok) return e;
    column_ = known_part_ + weight * f_predicted_ - y_new_;
    if (newton) e = problem_.solve(0, view(column_), {});
    if (e != Eval::ok) return e;
    const double change = column_.lpNorm<Eigen::Infinity>();
    const double size = y_new_.lpNorm<Eigen::Infinity>();
    trace("    {} {:>2}: largest correction {:.3e}",
          newton ? "Newton" : "substitution",
          i + 1,
          change);
    if (!std::isfinite(change)) return Eval::retry;
    if (!newton && i > 0 && change > 0.3 * last && change > enough * size) {
      newton = true;  // substitution is slow: change to Newton's method at this point
      const Shift shift{weight, 0};
      e = problem_.setup(t_ + h_, view(y_new_), view(f_predicted_), {&shift, 1}, Reuse::nothing);
      if (e == Eval::ok) e = problem_.solve(0, view(column_), {});
      if (e != Eval::ok) return e;
      last = column_.lpNorm<Eigen::Infinity>();
      y_new_ += column_;
      continue;
    }
    y_new_ += column_;
    if (change <= enough * size) return Eval::ok;
    if (newton && change >= last && change <= noise * size) return Eval::ok;
    last = change;
  }
  return Eval::retry;
}

}  // namespace cardan
