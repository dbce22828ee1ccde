#pragma once
// Watches how far a formulation that does not enforce the constraints has left them, and names
// where.
#include "cardan/formulation/formulation.h"

namespace cardan {

class DriftWatch {
 public:
  // share: of the mechanism's size that is too far when the user gave no bound.
  DriftWatch(const FormulationSetting&, double share);

  double bound() const { return bound_; }

  double last() const { return last_; }

  // numeric.drift, with the worst equations, when the bound is passed or the violation is not a
  // number. A violation that grows next to a singular pose is named so.
  std::optional<Diagnostic> check(MotionSolver&, double t, CView q, double h);

 private:
  Diagnostic explain(MotionSolver&, double t, CView q, double h) const;
  const System& system_;
  double bound_, last_ = 0;
};

}  // namespace cardan
