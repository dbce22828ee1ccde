#pragma once
// A consistent state and its accelerations near a singular pose, where solving the constraints for
// it would lose digits or the branch. On the smooth branch positions, velocities, accelerations and
// multipliers are smooth functions of s along the line (t + s, q + s v, v), each point put onto the
// constraints. So the values at s = 0 follow from points on both sides at s = +-d ... +-4 d:
//   x(0) = sum_k w_k (x_k + x_-k) + O(d^8),   w = 4/5, -2/5, 4/35, -1/70
// and, where that is not exact enough to satisfy the constraints, +-d ... +-6 d and O(d^12):
//   w = 6/7, -15/28, 5/21, -1/14, 1/77, -1/924
// Friction that reactions load is not smooth there: accelerations are solved for with the kinematics
// interpolated (friction_beside_pose.h).
//
// d is the smallest at which the nearest two keep their branch, well away from the pose. A position
// solved for at distance d is off by eps / d, so the velocity by eps / d^2 and the acceleration by
// eps / d^3: with d of 2 to 3 per cent of the mechanism's size that is about 1e-11. A pole of
// multipliers, c / s, drops out of the mean. A mechanism at rest has no such line.
//
// A pass is proved, not assumed: the pose interpolated must satisfy the constraints. Where branches
// only come near each other (phi = x y - e, not x y), the pose between them violates phi by e; then
// the state is solved for as everywhere else.
#include <algorithm>
#include <cmath>
#include <memory>

#include "cardan/formulation/singular/singular.h"
#include "cardan/ode/archive.h"

namespace cardan {

class FrictionBesidePose;

struct EvaluatedState {
  explicit EvaluatedState(const System&);
  std::vector<double> q, v, a, lambda;
};

// Velocities a little before or after the last evaluation.
class VelocityPredictor {
 public:
  void set(double t, const std::vector<double>& v, const std::vector<double>& a);
  CView velocity(double t);                    // v + (t - t_last) a
  void serialize(Archive&, std::size_t size);  // size: of the velocities

 private:
  double t_ = 0;
  std::vector<double> v_, a_, now_;
};

class SingularPoseInterpolator {
 public:
  explicit SingularPoseInterpolator(MotionSolver&);
  ~SingularPoseInterpolator();

  // Friction is interpolated like all else: for accelerations that are not those of bodies.
  void interpolate_friction();

  static constexpr double clear_ratio = 6e-4;  // weakest pivot at the nearest points, at least

  // A consistent motion. state_at(s, EvaluatedState&) -> Eval: the whole motion of the line at t + s,
  // leaving the factor in its pose. v: velocities, for the size of d.
  template <class StateAt>
  Eval consistent(double t, CView v, StateAt state_at, EvaluatedState& out) {
    crossed_ = false;
    const Eval here = state_at(0.0, out);
    const double ratio = here == Eval::ok ? pivot_ratio(motion_) : 0;
    if (ratio >= crossing_ratio) return here;
    const double d = free_shift(v, ratio, state_at);
    if (d > 0 && across(t, d, state_at, out)) return Eval::ok;
    const Eval again = state_at(0.0, out);
    return again == Eval::ok && motion_.dependent() == 0 ? Eval::ok : Eval::retry;
  }

  // The same where a measure of the distance is at hand, `guard`, that grows with it: the smallest shift from `first` on
  // whose neighbours are clear; 0: none.
  template <class GuardAt> static double clear_shift(double first, double clear, GuardAt guard_at) {
    double d = first;
    for (int k = 0; d > 0 && k < most_widenings; ++k) {
      const double least = std::min(guard_at(d), guard_at(-d));
      if (least >= clear) return d;
      d *= std::clamp(1.1 * clear / std::max(least, 1e-300), 1.1, widening);
    }
    return 0;
  }

  // Interpolated between states at shifts of d. False: not smooth, or not on the constraints.
  template <class StateAt> bool across(double t, double d, StateAt state_at, EvaluatedState& out) {
    leaves_friction_ = friction_ != nullptr;
    crossed_ = interpolated(t, d, state_at, out);
    if (crossed_ && leaves_friction_ && !settle_friction(t, out)) {  // hardly ever
      leaves_friction_ = false;
      crossed_ = interpolated(t, d, state_at, out);
    }
    return crossed_;
  }

  bool crossed() const { return crossed_; }  // whether the last motion was interpolated

  double first_shift(CView v) const;  // the smallest d that is tried; 0: at rest

 private:
  static constexpr int most_widenings = 5;
  static constexpr double widening = 1.6;            // most, from one try to the next
  static constexpr double much_clearer = 2;          // times the weakest pivot: worth being kept
  static constexpr int points = 4, most_points = 6;  // on each side
  static constexpr double inner_weights[] = {0, 3.0 / 4, -3.0 / 10, 1.0 / 20, 0};
  static constexpr double weights[] = {0, 4.0 / 5, -2.0 / 5, 4.0 / 35, -1.0 / 70};
  static constexpr double outer_weights[] = {
      0, 6.0 / 7, -15.0 / 28, 5.0 / 21, -1.0 / 14, 1.0 / 77, -1.0 / 924};

  // The smallest d with clear neighbours, or the largest whose neighbours are much clearer than the
  // state itself.
  template <class StateAt> double free_shift(CView v, double ratio, StateAt& state_at) {
    double d = first_shift(v), fair = 0;
    const auto ratio_at = [&](double s) {
      return state_at(s, beside_) == Eval::ok ? pivot_ratio(motion_) : 0.0;
    };
    for (int k = 0; d > 0 && k < most_widenings; ++k) {
      const double least = std::min(ratio_at(d), ratio_at(-d));
      if (least >= clear_ratio) return d;
      if (least > much_clearer * ratio) fair = d;
      // the ratio grows like d^2
      d *= std::clamp(std::sqrt(1.1 * clear_ratio / std::max(least, 1e-300)), 1.1, widening);
    }
    return fair;
  }

  template <class StateAt>
  bool interpolated(double t, double d, StateAt& state_at, EvaluatedState& out) {
    for (EvaluatedState* sum : {&out, &inner_, &outer_}) clear(*sum);
    const auto at = [&](int k) {
      return state_at(k * d, beside_) == Eval::ok &&
             (!leaves_friction_ || leave_friction_out(t + k * d, beside_) == Eval::ok);
    };
    for (int k = -points; k <= points; ++k) {
      if (k == 0) continue;
      if (!at(k)) return false;
      add(weights[std::abs(k)], out);
      add(inner_weights[std::abs(k)], inner_);
      add(outer_weights[std::abs(k)], outer_);
    }
    if (!smooth(out)) return false;
    if (on_constraints(t, out.q)) return true;
    for (int k = points + 1; k <= most_points; ++k)
      for (const int side : {-1, 1}) {
        if (!at(side * k)) return false;
        add(outer_weights[k], outer_);
      }
    std::swap(out, outer_);
    return on_constraints(t, out.q);
  }

  bool settle_friction(double t, EvaluatedState&);
  Eval leave_friction_out(double t, EvaluatedState&);
  bool smooth(const EvaluatedState&);  // all points were on one branch
  bool on_constraints(double t, CView q);
  static void clear(EvaluatedState&);
  void add(double weight, EvaluatedState& out) const;

  MotionSolver& motion_;
  EvaluatedState beside_, inner_, outer_;
  std::vector<double> d_;
  std::unique_ptr<FrictionBesidePose> friction_;  // where there is any
  bool crossed_ = false, leaves_friction_ = false;
};

}  // namespace cardan
