// Implicit integration with partitioned coordinates of Haug and Yen: the formulas of the integrator
// for the independent coordinates w alone, and all kinematic and kinetic equations,
//   w' = v_w,   v_w' = a_w,   M a + phi_q^T lambda = Q,   phi = 0,   phi_q v = nu,   phi_q a = gamma,
// one augmented system for all positions, velocities, accelerations and multipliers, solved by
// Newton's method from polynomial extrapolation of all of them. In Newton's systems the formulas of
// the dependent coordinates stand with an unknown of their own each (B: unit vectors), which takes
// up what they miss. Dependent coordinates are chosen by full pivoting, and anew when they move far
// with the independent ones. With variable-order BDF.
// Reference: Haug & Yen, J. Mech. Des. 114 (1992).
#include "cardan/formulation/implicit/dae_formulation.h"

namespace cardan {

MadeFormulation make_haug_yen(const FormulationSetting& setting) {
  return make_dae(setting,
                  {.name = "haug-yen", .accelerations = true, .carried = false, .dependent = true});
}

}  // namespace cardan
