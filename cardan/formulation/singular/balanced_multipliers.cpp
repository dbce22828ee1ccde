#include "cardan/formulation/singular/balanced_multipliers.h"

#include <algorithm>

#include "cardan/formulation/singular/singular.h"

namespace cardan {

namespace {

constexpr double same_motion = 1e-6;  // of the accelerations: x is a

// The last factor belongs to the state, whose multipliers were solved for with it.
bool solved_at(const MotionSolver& motion, const State& state) {
  const std::vector<double>& place = motion.factor_place();
  return place.size() == state.q.size() + 1 && place.front() == state.t &&
         std::equal(state.q.begin(), state.q.end(), place.begin() + 1);
}

}  // namespace

BalancedMultipliers::BalancedMultipliers(const System& system)
    : friction_(system),
      f_(static_cast<std::size_t>(system.v_size())),
      g_(static_cast<std::size_t>(system.equations().rows())),
      x_(f_),
      delta_(g_) {}

void BalancedMultipliers::balance(MotionSolver& motion, State& state) {
  undetermined_ = false;
  if (pivot_ratio(motion) > watched_ratio) return;
  if (motion.friction().any()) return balance_friction(motion, state);
  if (solved_at(motion, state)) return;
  if (motion.linearise(state.t, state.q) != Eval::ok) return;
  if (pivot_ratio(motion) > near_singular_ratio || motion.dependent() > 0) return;
  motion.load(state.t, state.q, state.v);
  const Workspace& work = motion.work();
  const Equations& equations = motion.system().equations();
  f_ = work.Q;
  equations.add_transposed(work.packed, state.lambda, -1.0, f_);
  equations.multiply(work.packed, state.a, g_);
  motion.solve(f_, g_, x_, delta_);
  const auto a = as_vector(CView(state.a)), found = as_vector(CView(x_));
  if (!((found - a).norm() <= same_motion * a.norm()) || !as_vector(CView(delta_)).allFinite())
    return;
  for (std::size_t r = 0; r < delta_.size(); ++r)
    if (motion.active()[r] != 0) state.lambda[r] += delta_[r];
}

// What was interpolated has its friction already; here it is asked whether rigid bodies determine it.
void BalancedMultipliers::balance_friction(MotionSolver& motion, State& state) {
  const bool solved = solved_at(motion, state);
  if (solved && pivot_ratio(motion) >= crossing_ratio) return;
  if (!solved && motion.linearise(state.t, state.q) != Eval::ok) return;
  if (pivot_ratio(motion) > near_singular_ratio) return;
  x_ = state.a;
  delta_ = state.lambda;
  const bool settled = friction_.settle(motion, state.t, state.q, state.v, x_, delta_);
  undetermined_ = settled ? friction_.share() < 1 : !motion.friction().holds();
  if (solved || !settled || undetermined_) return;
  state.a = x_;
  state.lambda = delta_;
}

}  // namespace cardan
