#pragma once
// Exact derivatives of a formula along directions, one pass each:
//   f_u = sum_i f_i u_i,   f_uw = sum_ij f_ij u_i w_j,   f_uvw = sum_ijk f_ijk u_i v_j w_k
// Directions have as many numbers as there are arguments. A curve that a formula calls has its own
// third derivative (Function::third).
#include "cardan/math/expression.h"

namespace cardan {

double along(const Expression&, CView x, CView u);
double along(const Expression&, CView x, CView u, CView w);
double along(const Expression&, CView x, CView u, CView v, CView w);

}  // namespace cardan
