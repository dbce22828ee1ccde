#pragma once
// What friction did where rigid bodies do not determine it: next to singular poses whose reactions grow without
// bound (formulation/singular/friction_beside_pose.h). There the motion passes by a choice, and the work of
// friction in these stretches of time is what the choice may have changed:
//   W = sum over passages of int P dt
// Where W is more than a share of the energy moved the run is doubtful; otherwise its reactions there are.
#include <string>

#include "cardan/base/diagnostic.h"
#include "cardan/ode/archive.h"

namespace cardan {

class UndeterminedFriction {
 public:
  // Time within a passage, in which `element` took most; goes_on: the same passage as before.
  void add(double t, double duration, double work, const std::string& element, bool goes_on);

  Diagnostics notes(double moved) const;  // moved: energy, J

  bool doubtful(double moved) const;

  void serialize(Archive&);

 private:
  long passages_ = 0;
  double work_ = 0, longest_ = 0, first_ = 0, now_ = 0;
  std::string element_;
};

}  // namespace cardan
