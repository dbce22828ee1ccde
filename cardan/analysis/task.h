#pragma once
// What an analysis is given: the compiled mechanism, the state it starts from and leaves behind,
// and the recording that takes its results.
#include <cstddef>
#include <span>

#include "cardan/analysis/record/recording.h"
#include "cardan/analysis/sensitivity/parameter_steps.h"
#include "cardan/analysis/start/assembly.h"
#include "cardan/analysis/start/branches.h"
#include "cardan/model/model.h"

namespace cardan {

struct AnalysisTask {
  const Model& model;
  const System& system;
  Assembly& assembly;  // a consistent state with its mobility; both as they are left behind
  Recording& recording;
  bool first = true;                           // of the run: the state is that of the model
  const FoundBranches* branches = nullptr;     // to be listed by an assembly
  std::span<const std::byte> resume{};         // a checkpoint to go on from; empty: from the state
  const ParameterSteps* parameters = nullptr;  // whose sensitivities are asked for; none
  const ModelVariants* variants = nullptr;     // the model with other values of parameters
};

}  // namespace cardan
