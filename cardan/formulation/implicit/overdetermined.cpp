// The overdetermined equations of Fuhrer and Leimkuhler: those of index 1 without further
// multipliers,
//   q' = v,   v' = a,   M a + phi_q^T lambda = Q,   phi = 0,   phi_q v = nu,   phi_q a = gamma,
// discretised by BDF: 2 n + 3 m equations for 2 n + m unknowns beside the accelerations. They are
// solved in the generalised sense of the state-space form (ssf): the constraints and the equations
// of motion hold, the formulas of the integrator along the tangents of the constraints,
//   V^T (BDF of q - v) = 0,   V^T (BDF of v - a) = 0,   phi_q V = 0 (an oblique projection).
// A correction finds this with multipliers of its own, which are thrown away after it: what is left
// of the formulas lies along B. For linear constraints this is the integrator on the state-space
// form itself.
// Reference: Fuhrer & Leimkuhler, Numer. Math. 59 (1991).
#include "cardan/formulation/implicit/dae_formulation.h"

namespace cardan {

MadeFormulation make_overdetermined(const FormulationSetting& setting) {
  return make_dae(setting, {.name = "overdetermined", .accelerations = true, .carried = false});
}

}  // namespace cardan
