#pragma once
// Sensitivities of a motion: what cannot be derived is refused, the start is derived (start_slopes.h), and
// the equations of the derivatives are integrated beside the motion, where formulation and method can carry
// them (slope_formulation.h), or behind it (followed_slopes.h).
#include <memory>
#include <optional>

#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/sensitivity/followed_slopes.h"
#include "cardan/analysis/task.h"

namespace cardan {

class DynamicSlopes {
 public:
  DynamicSlopes(const AnalysisTask&, const DynamicOptions&);

  // Before the simulation begins.
  std::optional<Diagnostic> start();

  void extend(Simulation&);  // before it is prepared

  const std::vector<StateSlope>& current() const { return store_; }  // at the last row

 private:
  bool carried() const;
  std::optional<Diagnostic> refuse_events() const;

  const AnalysisTask& task_;
  const DynamicOptions& options_;
  SlopeStore store_;
  std::optional<Diagnostic> fault_;
  std::optional<FollowedSlopes> behind_;
};

}  // namespace cardan
