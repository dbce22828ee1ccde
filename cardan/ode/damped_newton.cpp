#include "cardan/ode/damped_newton.h"

#include <cmath>

#include "cardan/base/trace.h"
#include "cardan/ode/views.h"

namespace cardan {

namespace {

constexpr int most_iterations = 40;
constexpr double least_share = 1e-3;   // of a correction that is still tried
constexpr double solved = 2;           // size of the last correction, in units of round-off
constexpr double nearly_solved = 1e8;  // the same where corrections no longer shrink
constexpr double first_stride = 0.125, least_stride = 1e-3;  // shares of the step
constexpr double no_longer = 0.5;                            // rate of such corrections

}  // namespace

void DampedNewton::prepare(int n) {
  for (Eigen::VectorXd* x : {&r_, &d_, &e_, &x_, &tried_, &here_, &before_, &next_}) x->setZero(n);
}

Attempt::Kind DampedNewton::solve(const Equations& eq, View x, Stats& stats) {
  x_ = as_vector(x);
  if (const Eval e = eq.residual(view(x_), view(r_)); e != Eval::ok) return failed(e);
  double share = 1;
  for (int pass = 0; pass < most_iterations; ++pass) {
    if (const Eval e = eq.factor(view(x_), view(r_)); e != Eval::ok) return failed(e);
    d_ = r_;
    if (const Eval e = eq.solve(view(d_)); e != Eval::ok) return failed(e);
    ++stats.newton;
    const double size = eq.size(view(d_));
    trace("    damped Newton {:>2}: correction {:.3e}, in units of round-off", pass + 1, size);
    if (!std::isfinite(size)) return Attempt::Kind::not_converged;
    share = std::min(1.0, 4 * share);
    double next = size;
    for (;; share *= 0.5) {
      if (share < least_share) return Attempt::Kind::not_converged;
      tried_ = x_ + share * d_;
      const Eval e = eq.residual(view(tried_), view(r_));
      if (e == Eval::fatal) return Attempt::Kind::fatal;
      if (e != Eval::ok) continue;
      e_ = r_;
      if (const Eval s = eq.solve(view(e_)); s != Eval::ok) return failed(s);
      next = eq.size(view(e_));
      if (next <= (1 - 0.25 * share) * size || next <= solved) break;
      if (share == 1 && size <= nearly_solved) break;  // round-off
    }
    x_ = tried_;
    const bool stalled = next > no_longer * size && size <= nearly_solved;
    if (share == 1 && (next <= solved || stalled)) {
      if (!stalled) x_ += e_;
      as_vector(x) = x_;
      return Attempt::Kind::ok;
    }
  }
  return Attempt::Kind::not_converged;
}

Attempt::Kind DampedNewton::follow(const Equations& eq,
                                   const std::function<void(double)>& move_to,
                                   View x,
                                   Stats& stats) {
  here_ = before_ = as_vector(x);
  double share = 0, last = 0, stride = first_stride;
  while (share < 1) {
    const double to = std::min(1.0, share + stride);
    next_ = here_;
    if (last < share) next_ += (to - share) / (share - last) * (here_ - before_);
    move_to(to);
    const Attempt::Kind kind = solve(eq, view(next_), stats);
    if (kind == Attempt::Kind::fatal) return kind;
    if (kind != Attempt::Kind::ok) {
      stride *= 0.25;
      if (stride < least_stride) return kind;
      continue;
    }
    before_ = here_;
    here_ = next_;
    last = share;
    share = to;
    stride *= 2;
  }
  as_vector(x) = here_;
  return Attempt::Kind::ok;
}

}  // namespace cardan
