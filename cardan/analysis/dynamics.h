#pragma once
// Dynamic analysis: a formulation, an integrator, and the samples they produce.
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "cardan/analysis/control.h"
#include "cardan/analysis/mobility.h"
#include "cardan/results/sink.h"
#include "cardan/results/summary.h"
#include "cardan/system/system.h"

namespace cardan {

struct DynamicRun {
  const System& system;
  const Mobility& mobility;
  const DynamicOptions& options;
  const std::vector<std::string>& channels;  // patterns; empty: all
  Sink& sink;
  const Control& control;
  // Wraps a checkpoint of the integration into one of the whole run.
  std::function<std::vector<std::byte>(const std::vector<std::byte>&)> wrap;
  std::span<const std::byte> resume;  // a checkpoint to go on from; empty: start at the state
};

// Advances the state as far as it goes. Diagnostics are in the summary, the last one telling why a
// run ended early.
Summary run_dynamic(const DynamicRun&, State&);

}  // namespace cardan
