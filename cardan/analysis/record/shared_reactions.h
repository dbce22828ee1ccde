#pragma once
// Reactions where equations are redundant. What the joints do to the bodies, phi_q^T lambda, is
// determined, but lambda only up to the null space of phi_q^T: rigid bodies do not say how a load
// is shared between joints any of which could carry it. The multipliers that come out of a choice
// of equations put it all on those kept, and jump when others are. Shown is the smallest: of all
// lambda with the same phi_q^T lambda the one with the least sum of squares of forces, and of
// torques over the mechanism's length,
//   lambda - x,  x the part of lambda in the null space of phi_q^T:  x <- eps (S + eps)^-1 x,
//   S = phi_q W^-1 phi_q^T
// which varies smoothly, depends neither on the choice nor on the frame, and is zero in equations
// that carry nothing. Reactions that are determined stay as they are. Round-off in S is 1e-16 of its
// largest entries and so 1e-8 of eps: x is wrong by 1e-8 of its size. The same steps with the rest,
// lambda - x, take that away.
#include <vector>

#include "cardan/system/schur_assembly.h"
#include "cardan/system/system.h"

namespace cardan {

class SharedReactions {
 public:
  explicit SharedReactions(const System&);

  // packed: phi_q in the pose of lambda. Next to a singular pose, where the null space is not told
  // from what nearly belongs to it, lambda stays as it is.
  void share(CView packed, View lambda);

 private:
  double force();  // |phi_q^T x|
  bool keep_null_space(double eps, double whole);

  const System& system_;
  SchurMatrix S_;
  std::vector<double> scale_;  // of rows: torques become forces
  std::vector<double> packed_, x_, force_;
};

}  // namespace cardan
