#pragma once
// Multipliers next to a singular pose. At distance s from it they may grow like c / s, in bearings that
// hardly have a lever arm left. Values interpolated between states on both sides (crossing.h) leave
// such a part out, while phi_q^T lambda is finite and determined: with the accelerations a of the smooth
// branch
//   M x + phi_q^T delta = Q - phi_q^T lambda,   phi_q x = phi_q a,   lambda <- lambda + delta
// has x = a, and delta is what is missing. Accelerations are good to 1e-11, so delta to 1e-11 / s. In the
// pose itself an equation is lost: no reaction balances its part, and lambda is left as it is. Friction that
// multipliers load is solved for with them (friction_beside_pose.h).
#include <vector>

#include "cardan/formulation/formulation.h"
#include "cardan/formulation/singular/friction_beside_pose.h"

namespace cardan {

class BalancedMultipliers {
 public:
  explicit BalancedMultipliers(const System&);

  // Q of the solver's states and inputs. Nothing happens away from singular poses.
  void balance(MotionSolver&, State&);

  // Of the last state: friction has no forces there that rigid bodies determine.
  bool undetermined() const { return undetermined_; }

  const FrictionBesidePose& friction() const { return friction_; }

 private:
  void balance_friction(MotionSolver&, State&);

  bool undetermined_ = false;
  FrictionBesidePose friction_;
  std::vector<double> f_, g_, x_, delta_, smooth_;
};

}  // namespace cardan
