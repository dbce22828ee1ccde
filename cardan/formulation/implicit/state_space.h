#pragma once
// The formulation "state-space": independent coordinates integrated by implicit formulas, the rest
// solved for in every iteration (state_space_motion.h). Newmark's family has a method of its own;
// the other formulas are those of ode/ on the equations of the independent coordinates.
#include "cardan/formulation/formulation.h"

namespace cardan {

Result<std::unique_ptr<Formulation>> make_state_space_newmark(const FormulationSetting&);
Result<std::unique_ptr<Formulation>> make_state_space_formulas(const FormulationSetting&);

}  // namespace cardan
