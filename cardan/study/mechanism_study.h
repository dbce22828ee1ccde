#pragma once
// Studies of a dynamic analysis, with the machinery of ode/study.h: step halving, work against
// precision, and one option varied over a list of values.
#include <string>
#include <vector>

#include "cardan/analysis/run.h"
#include "cardan/ode/study.h"

namespace cardan {

// What is compared at the end of runs: channels by patterns; empty: the positions of all bodies.
struct StudyChannels {
  std::vector<std::string> patterns;
};

// Runs of the model's dynamic analysis from its assembled start, with another step or tolerance. The
// references must outlive it. names: of what is compared, filled by the first run.
StudyTask mechanism_task(const System&,
                         const Assembly&,
                         const DynamicOptions&,
                         const StudyChannels&,
                         std::vector<std::string>& names);

// The end of a run that is as exact as can be had: dop853, or radau5 where that takes too long.
Result<std::vector<double>> mechanism_truth(const System&,
                                            const Assembly&,
                                            const DynamicOptions&,
                                            const StudyChannels&);

struct VariedPoint {
  double value = 0;
  std::string status;
  ConstraintViolation violation;
  double imbalance = 0;  // J, of energy
  long evaluations = 0, steps = 0;
};

// Runs of the model with one numeric option of its dynamic analysis set to each of the values.
Result<std::vector<VariedPoint>> vary_option(const Model&,
                                             const std::string& option,
                                             const std::vector<double>& values);

}  // namespace cardan
