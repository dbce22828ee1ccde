#pragma once
// Sensitivities of a motion: what cannot be derived is refused, the start is derived (start_slopes.h), and a
// formulation is extended by the equations of the derivatives (slope_formulation.h).
#include <memory>
#include <optional>

#include "cardan/analysis/sensitivity/slope_formulation.h"
#include "cardan/analysis/task.h"

namespace cardan {

class DynamicSlopes {
 public:
  DynamicSlopes(const AnalysisTask&, const DynamicOptions&);

  // Before the simulation begins.
  std::optional<Diagnostic> start();

  std::unique_ptr<Formulation> extend(std::unique_ptr<Formulation>);

  const std::vector<StateSlope>& current() const { return store_; }  // at the last row

 private:
  std::optional<Diagnostic> refuse_method() const;
  std::optional<Diagnostic> refuse_events() const;

  const AnalysisTask& task_;
  const DynamicOptions& options_;
  SlopeStore store_;
};

}  // namespace cardan
