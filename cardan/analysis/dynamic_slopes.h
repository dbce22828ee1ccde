#pragma once
// Sensitivities of a motion: what cannot be derived is refused, the start is derived, and a
// formulation is extended by the equations of the derivatives (slope_formulation.h).
//
// At the start a state follows from the drawing and the initial conditions by assembly. Its
// derivative is taken by differences of the assembled states of systems with other values of the
// parameter, and put onto the differentiated constraints.
#include <memory>
#include <optional>

#include "cardan/analysis/slope_formulation.h"
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
  std::optional<Diagnostic> derive_start();

  const AnalysisTask& task_;
  const DynamicOptions& options_;
  SlopeStore store_;
};

}  // namespace cardan
