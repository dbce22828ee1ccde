#pragma once
// Axes that stay parallel (hinges, universal joints and others in space), two equations
//   phi_0 = -g.h, phi_1 = f.h,   f, g of body i, h of body j (ground axes, A s),
// whose rates are u_r.(w_i - w_j) with u_0 = h x g, u_1 = f x h, and
//   gamma_0 = g.z, gamma_1 = -f.z,   z = w_i x (w_i x h - 2 w_j x h) + w_j x (w_j x h).
#include "cardan/math/types.h"

namespace cardan {

struct ParallelAxes {
  struct Side {
    int body = -1, weight = 0;  // -1: the ground; of its first rotation in W
  };

  int start = 0, row = 0, stride = 0;  // in the order of elimination, of the equations
  Side side[2];
  Vec<3> f, g, h;

  // Of both equations: u.(w_i - w_j).
  Vec<2> rate(const double* rotation, const double* v) const {
    const Vec<3> axis = turned(rotation, side[1].body, h);
    const Vec<3> w = speed(rotation, v, 0) - speed(rotation, v, 1);
    return {axis.cross(turned(rotation, side[0].body, g)).dot(w),
            turned(rotation, side[0].body, f).cross(axis).dot(w)};
  }

 private:
  static Vec<3> turned(const double* rotation, int body, const Vec<3>& s) {
    if (body < 0) return s;
    return Eigen::Map<const Mat<3, 3>>(rotation + 9 * body) * s;
  }

  Vec<3> speed(const double* rotation, const double* v, int s) const {
    const int body = side[s].body;
    if (body < 0) return Vec<3>::Zero();
    return Eigen::Map<const Mat<3, 3>>(rotation + 9 * body) *
           Eigen::Map<const Vec<3>>(v + 6 * body + 3);
  }
};

}  // namespace cardan
