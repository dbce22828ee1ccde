#pragma once
// Why an integration gave up, told from what the problem looks like where it stopped.
#include <string>

#include "cardan/base/diagnostic.h"
#include "cardan/ode/method.h"

namespace cardan {

enum class Cause {
  none,
  stiffness,
  discontinuity,
  singularity,
  escape,
  no_convergence,
  bad_value,
  step_too_large,
  step_not_solved,
  step_limit
};

struct Failure {
  Cause cause = Cause::none;
  bool out_of_steps = false;
  double t = 0, h = 0;
  int component = -1;  // that stood in the way; -1: unknown
  std::string text;    // in words, with the component's name
};

struct RunSoFar {
  double t_start = 0;
  CView y_largest;  // of each component since the start
  bool out_of_steps = false;
};

Failure diagnose(Method&, const Attempt& last, double h, const RunSoFar&);
Diagnostic to_diagnostic(const Failure&);  // "numeric.stiff", "limit.steps", ...

}  // namespace cardan
