#pragma once
// Charts of poses: the increment d from a pose q_0 to q, its rate d' = L(d) v, and d'' = L v' +
// (L)' v. In the plane L is the identity; of a rotation it is that of the rotation vector
// (math/rotation.h).
#include "cardan/system/system.h"

namespace cardan {

void increment_rate(const System&, CView d, CView v, View out);             // L v
void increment_velocity(const System&, CView d, CView d_dot, View v);       // L^-1 d'
void increment_rate_transposed(const System&, CView d, CView x, View out);  // L^T x
void increment_bend(const System&, CView d, CView v, View out);             // (L)' v at constant v

double largest_rotation(const System&, CView d);  // of a body in space, rad; 0 in the plane

}  // namespace cardan
