#include "cardan/system/space_rows.h"

#include "cardan/system/pin_kernel.h"
#include "cardan/system/point_inverse.h"

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define CARDAN_INSTRUCTION_SETS [[gnu::target_clones("avx2", "default")]]
#else
#define CARDAN_INSTRUCTION_SETS
#endif

namespace cardan {

namespace {

using elimination::cross;
using elimination::Four;
using elimination::four;
using elimination::put;
using elimination::put_three;
using elimination::Two;

// Three numbers; the fourth is not used.
[[gnu::always_inline]] inline Four three(const double* from) {
  return Four{from[0], from[1], from[2], from[2]};
}

// A rotation by its columns.
struct Turn {
  Four x, y, z;

  [[gnu::always_inline]] explicit Turn(const double* A) : x(four(A)), y(four(A + 3)) {
    const Four behind = four(A + 5);
    z = __builtin_shufflevector(behind, behind, 1, 2, 3, 3);
  }

  [[gnu::always_inline]] Four operator*(const double* s) const {
    return x * s[0] + y * s[1] + z * s[2];
  }
};

[[gnu::always_inline]] inline double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

[[gnu::always_inline]] inline void put_side(const BallRows::Side& s,
                                            int stride,
                                            const Turn& A,
                                            double* W) {
  for (int t = 0; t < 3; ++t) put_three(W + s.weight + t * stride, A * (s.K.data() + 3 * t));
}

struct Axes {
  Four f, g, h;
  Two u[3];  // by axis of the ground: of both equations

  [[gnu::always_inline]] Axes(const ParallelAxes& of, const double* rotation) {
    f = turned(rotation, of.side[0].body, of.f);
    g = turned(rotation, of.side[0].body, of.g);
    h = turned(rotation, of.side[1].body, of.h);
    const Four u0 = cross(h, g), u1 = cross(f, h);
    for (int k = 0; k < 3; ++k) u[k] = Two{u0[k], u1[k]};
  }

 private:
  [[gnu::always_inline]] static Four turned(const double* rotation, int body, const Vec<3>& s) {
    return body < 0 ? three(s.data()) : Turn(rotation + 9 * body) * s.data();
  }
};

[[gnu::always_inline]] inline void put_weights_of(const ParallelAxes& axes,
                                                  const Axes& d,
                                                  const SpaceNumbers& m) {
  for (int s = 0; s < 2; ++s) {
    const int body = axes.side[s].body;
    if (body < 0) continue;
    const double *A = m.rotation + 9 * body, *w = m.inverse + 7 * body;
    double* to = m.W + axes.side[s].weight;
    Two p[3];
    for (int k = 0; k < 3; ++k) {
      p[k] = d.u[0] * A[3 * k] + d.u[1] * A[3 * k + 1] + d.u[2] * A[3 * k + 2];
      if (s == 1) p[k] = -p[k];
    }
    put(to, p[0] * w[1]);
    put(to + axes.stride, p[0] * w[2] + p[1] * w[3]);
    put(to + 2 * axes.stride, p[0] * w[4] + p[1] * w[5] + p[2] * w[6]);
  }
}

[[gnu::always_inline]] inline Four speed(const ParallelAxes& axes,
                                         const SpaceNumbers& m,
                                         const double* v,
                                         int s) {
  const int body = axes.side[s].body;
  return body < 0 ? Four{} : Turn(m.rotation + 9 * body) * (v + 6 * body + 3);
}

}  // namespace

CARDAN_INSTRUCTION_SETS void put_weights(std::span<const BallRows> balls, const SpaceNumbers& m) {
  for (const BallRows& ball : balls)
    for (int i = 0; i < ball.sides; ++i)
      put_side(ball.side[i], ball.stride, Turn(m.rotation + 9 * ball.side[i].body), m.W);
}

CARDAN_INSTRUCTION_SETS void put_rows(std::span<const BallRows> balls,
                                      const SpaceNumbers& m,
                                      const GammaNumbers& g) {
  for (const BallRows& ball : balls) {
    Four sum{};
    for (int i = 0; i < ball.sides; ++i) {
      const BallRows::Side& s = ball.side[i];
      const Turn A(m.rotation + 9 * s.body);
      put_side(s, ball.stride, A, m.W);
      // -w x (w x s)
      const double *w = g.v + 6 * s.body + 3, *at = s.s.data();
      const double square = dot(w, w), along = dot(w, at);
      const double inward[3] = {at[0] * square - w[0] * along,
                                at[1] * square - w[1] * along,
                                at[2] * square - w[2] * along};
      sum += A * inward;
    }
    put_three(g.ordered + ball.start, sum);
    put_three(g.rows + ball.row, sum);
  }
}

CARDAN_INSTRUCTION_SETS void put_weights(std::span<const ParallelAxes> list,
                                         const SpaceNumbers& m) {
  for (const ParallelAxes& axes : list) put_weights_of(axes, Axes(axes, m.rotation), m);
}

CARDAN_INSTRUCTION_SETS void put_rows(std::span<const ParallelAxes> list,
                                      const SpaceNumbers& m,
                                      const GammaNumbers& of) {
  for (const ParallelAxes& axes : list) {
    const Axes d(axes, m.rotation);
    put_weights_of(axes, d, m);
    const Four w_i = speed(axes, m, of.v, 0), w_j = speed(axes, m, of.v, 1), p = cross(w_j, d.h);
    const Four z = cross(w_i, cross(w_i, d.h) - 2.0 * p) + cross(w_j, p);
    const Four a = d.g * z, b = d.f * z;
    const Two gamma{a[0] + a[1] + a[2], -(b[0] + b[1] + b[2])};
    put(of.ordered + axes.start, gamma);
    put(of.rows + axes.row, gamma);
  }
}

}  // namespace cardan
