#pragma once
// Passing singular poses. At distance d from one, the weakest pivot of phi_q M^-1 phi_q^T is about
// d^2 of its row's size and the branches of motion are about d apart. On its own branch the motion
// is smooth in time, so a step may go across as long as no state on the way is nearer than the
// guess for it is good: branch_kept() refuses what moved too far for its distance, and the step is
// tried again with another size. The watch sees on accepted steps that a pose was passed, and that
// energy was kept.
#include "cardan/formulation/formulation.h"

namespace cardan {

inline constexpr double near_singular_ratio =
    1e-2;  // weakest pivot from which states are put onto the constraints before use

// Whether bringing a state from `guess` onto the constraints can have kept its branch; pose of the
// last factor.
bool branch_kept(const MotionSolver&, CView guess, CView q);

class SingularWatch {
 public:
  explicit SingularWatch(const FormulationSetting& setting) : setting_(setting) {}

  // An accepted, consistent state. Adds an event when a singular pose lies behind it; a diagnostic
  // when energy was lost.
  std::optional<Diagnostic> step(
      MotionSolver&, double t, CView q, CView v, CView z, std::vector<FormulationEvent>&);
  void serialize(Archive&);

 private:
  struct Point {
    double t = 0, ratio = 1, energy = 0;
  };

  Diagnostic lost_energy(const MotionSolver&, double t, double change) const;
  const FormulationSetting setting_;
  Point last_[2];
  int known_ = 0;
};

}  // namespace cardan
