// The equations of index 1 with two further multipliers of Fuhrer and Leimkuhler: constraints of
// positions, velocities and accelerations all hold,
//   q' = v - B mu,   v' = a - B eta,   M a + phi_q^T lambda = Q,
//   phi = 0,   phi_q v = nu,   phi_q a = gamma,
// 2 n + 3 m unknowns beside the accelerations, which are eliminated. mu and eta vanish in the exact
// solution. With variable-order BDF.
// Reference: Fuhrer & Leimkuhler, Numer. Math. 59 (1991).
#include "cardan/formulation/implicit/dae_formulation.h"

namespace cardan {

MadeFormulation make_extra_multipliers(const FormulationSetting& setting) {
  return make_dae(setting, {.name = "extra-multipliers", .accelerations = true});
}

}  // namespace cardan
