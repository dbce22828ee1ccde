#pragma once
// One parameter varied a little: the systems at p + k h, from which the derivative of any smooth
// function by p follows with an error of order h^4:
//   f_p = (f(p - 2h) - 8 f(p - h) + 8 f(p + h) - f(p + 2h)) / 12 h
// or, where the model is defined on one side of p only (a damping of zero),
//   f_p = (-25 f(p) + 48 f(p + h) - 36 f(p + 2h) + 16 f(p + 3h) - 3 f(p + 4h)) / 12 h.
// h is a thousandth of p, so that the error is about 1e-12 of f/p by round-off and by truncation.
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

using ParameterSteps = std::vector<ParameterStep>;

// Of these parameters. Refused: unknown names, and parameters that change how many coordinates and
// equations there are.
Result<ParameterSteps> parameter_steps(const ModelVariants&,
                                       const System&,
                                       const std::vector<std::string>& names);

}  // namespace cardan
