// The stabilised index-2 equations of Gear, Gupta and Leimkuhler: constraints of positions and of
// velocities both hold, the former with a further multiplier mu that vanishes in the exact solution,
//   q' = v - B mu,   M v' + phi_q^T lambda = Q,   phi = 0,   phi_q v = nu,
// B the transposed phi_q with rotations divided by the square of the mechanism's size (any matrix
// whose product with phi_q is regular serves). 2 n + 2 m unknowns. With variable-order BDF, or Radau
// IIA of order 5, which keeps its order in q and v on equations of index 2. Equations at velocity
// level have no phi and no mu.
// References: Gear, Gupta & Leimkuhler, J. Comput. Appl. Math. 12 (1985); Hairer & Wanner II (1996),
// VII.
#include "cardan/formulation/implicit/dae_formulation.h"

namespace cardan {

MadeFormulation make_ggl(const FormulationSetting& setting) {
  return make_dae(setting, {.name = "ggl"});
}

}  // namespace cardan
