#pragma once
// Equilibrium: the pose in which all forces balance, at rest or, where drivers move at constant rate, in
// a steady motion (force_balance.h), found by one of several methods (balance_search.h), and what it is
// (balance_kind.h). One row is recorded for every equilibrium.
#include "cardan/analysis/task.h"

namespace cardan {

Summary run_equilibrium(const AnalysisTask&, const EquilibriumOptions&);

}  // namespace cardan
