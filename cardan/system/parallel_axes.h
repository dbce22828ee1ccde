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

  struct Directions {
    Vec<3> f, g, h, u[2];
  };

  [[gnu::always_inline]] Directions directions(const double* rotation) const {
    Directions d;
    d.f = turned(rotation, side[0].body, f);
    d.g = turned(rotation, side[0].body, g);
    d.h = turned(rotation, side[1].body, h);
    d.u[0] = d.h.cross(d.g);
    d.u[1] = d.f.cross(d.h);
    return d;
  }

  // Columns of rotations of W = phi_q C_J^-T; inverse: of C of all bodies (JointSchur::weight_).
  [[gnu::always_inline]] void put_weights(const Directions& d,
                                          const double* rotation,
                                          const double* inverse,
                                          double* W) const {
    for (int s = 0; s < 2; ++s) {
      const int body = side[s].body;
      if (body < 0) continue;
      const double sign = s == 0 ? 1 : -1, *w = inverse + 7 * body;
      const Eigen::Map<const Mat<3, 3>> A(rotation + 9 * body);
      double* to = W + side[s].weight;
      for (int r = 0; r < 2; ++r) {
        const Vec<3> p = sign * (A.transpose() * d.u[r]);
        to[r] = p[0] * w[1];
        to[stride + r] = p[0] * w[2] + p[1] * w[3];
        to[2 * stride + r] = p[0] * w[4] + p[1] * w[5] + p[2] * w[6];
      }
    }
  }

  [[gnu::always_inline]] Vec<2> gamma(const Directions& d,
                                      const double* rotation,
                                      const double* v) const {
    const Vec<3> w_i = speed(rotation, v, 0), w_j = speed(rotation, v, 1), p = w_j.cross(d.h);
    const Vec<3> z = w_i.cross(w_i.cross(d.h) - 2 * p) + w_j.cross(p);
    return {d.g.dot(z), -d.f.dot(z)};
  }

  [[gnu::always_inline]] Vec<2> rate(const double* rotation, const double* v) const {
    const Directions d = directions(rotation);
    const Vec<3> w = speed(rotation, v, 0) - speed(rotation, v, 1);
    return {d.u[0].dot(w), d.u[1].dot(w)};
  }

 private:
  [[gnu::always_inline]] static Vec<3> turned(const double* rotation, int body, const Vec<3>& s) {
    if (body < 0) return s;
    return Eigen::Map<const Mat<3, 3>>(rotation + 9 * body) * s;
  }

  [[gnu::always_inline]] Vec<3> speed(const double* rotation, const double* v, int s) const {
    const int body = side[s].body;
    if (body < 0) return Vec<3>::Zero();
    return Eigen::Map<const Mat<3, 3>>(rotation + 9 * body) *
           Eigen::Map<const Vec<3>>(v + 6 * body + 3);
  }
};

}  // namespace cardan
