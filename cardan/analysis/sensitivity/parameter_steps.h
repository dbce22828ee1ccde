#pragma once
// One parameter varied a little: the systems at p + k h, from which the derivative of any smooth
// function by p follows with an error of order h^6:
//   60 h f_p = f(p + 3h) - f(p - 3h) - 9 (f(p + 2h) - f(p - 2h)) + 45 (f(p + h) - f(p - h))
// or, where the model is defined on one side of p only (a damping of zero), with f_k = f(p + k h),
//   60 h f_p = -147 f_0 + 360 f_1 - 450 f_2 + 400 f_3 - 225 f_4 + 72 f_5 - 10 f_6.
// h is 5e-4 p: round-off makes about 1e-12 of f/p, and truncation less where f bends over a tenth of
// p or more.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cardan/model/model_variants.h"
#include "cardan/system/system.h"

namespace cardan {

struct ParameterStep {
  ParameterInfo parameter;
  std::string unit;  // SI; empty: none
  double h = 0;
  std::vector<std::unique_ptr<const System>> systems;
  std::vector<double> offsets;  // of p, in units of h
  std::vector<double> weights;  // f_p = sum_k weights[k] f(systems[k])
};

// What changes of a parameter are measured by: its value, or where that is zero the step.
inline double size_of(const ParameterStep& step) {
  return step.parameter.value != 0 ? std::abs(step.parameter.value) : step.h;
}

using ParameterSteps = std::vector<ParameterStep>;

// Names that are none of parameters; empty: none.
Diagnostics unknown_parameters(const ModelVariants&, const std::vector<std::string>& names);

// Of these parameters. Refused: unknown names, and parameters that change how many coordinates and
// equations there are.
Result<ParameterSteps> parameter_steps(const ModelVariants&,
                                       const System&,
                                       const std::vector<std::string>& names);

}  // namespace cardan
