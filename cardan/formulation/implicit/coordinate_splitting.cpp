// Coordinate splitting of Yen and Petzold: the multipliers of the stabilised index-2 equations are
// eliminated from the discretised ones with a null space P of phi_q,
//   P^T (BDF of q - v) = 0,   P^T (M BDF of v - Q) = 0,   phi = 0,   phi_q v = nu,   phi_q P = 0,
// 2 n equations for q and v; no multiplier is predicted, carried on or part of convergence. The
// derivative of P^T r by q is P^T (r - phi_q^T s)_q with the s for which r - phi_q^T s has no part
// along the normals: s stands for lambda in every evaluation and is found there. Which complement of
// the tangents it is taken from makes no difference to the equations; here it is the mass-orthogonal
// one, whose factor is linear in the number of bodies and asks for no choice of coordinates.
// With variable-order BDF.
// Reference: Yen & Petzold, SIAM J. Sci. Comput. 19 (1998).
#include "cardan/formulation/implicit/dae_formulation.h"

namespace cardan {

MadeFormulation make_coordinate_splitting(const FormulationSetting& setting) {
  return make_dae(setting, {.name = "coordinate-splitting", .carried = false, .split = true});
}

}  // namespace cardan
