#pragma once
// Whether a step that went over a singular pose had a way there. Between its two ends, on which the
// smallest singular value sigma of phi_q has different signs, the pose with sigma = 0 is enclosed by
// bisection: local coordinates p between those of the two ends, the pose solved for with p kept.
//   a branch goes through     the pose exists (crossing.h interpolates it on the constraints)
//   a fold or a lock-up       no pose has these p: the step went over a gap
#include "cardan/formulation/explicit/chart.h"

namespace cardan {

class PassageProof {
 public:
  explicit PassageProof(MotionSolver&);

  struct End {
    double t;
    CView q, v;  // on the constraints
  };

  // u and w: rows and motion of the smallest singular value at `from`, u^T phi_q w > 0 there and
  // negative at `to`.
  bool exists(const End& from, const End& to, CView u, CView w);

 private:
  bool behind(CView u, CView w);  // the singular pose, in the pose of the last factor

  MotionSolver& motion_;
  const System& system_;
  Chart chart_;
  SingularPoseInterpolator crossing_;
  EvaluatedState there_;
  std::vector<double> p_from_, p_to_, p_, r_, q_, v_, way_, d_, rows_;
};

}  // namespace cardan
