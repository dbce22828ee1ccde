#include "cardan/system/plane_rows.h"

#include "cardan/system/pin_kernel.h"

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define CARDAN_INSTRUCTION_SETS [[gnu::target_clones("avx2", "default")]]
#else
#define CARDAN_INSTRUCTION_SETS
#endif

namespace cardan {

namespace {

using elimination::put;
using elimination::Two;
using elimination::two;

// +-A s.
[[gnu::always_inline]] inline Two point(const PinRows::Side& s, const double* rotation) {
  const double cosine = rotation[2 * s.body], sine = rotation[2 * s.body + 1];
  return Two{s.sx, s.sy} * cosine + Two{-s.sy, s.sx} * sine;
}

[[gnu::always_inline]] inline void put_weight(const PinRows::Side& s, Two point, double* W) {
  put(W + s.weight, Two{-point[1], point[0]} * s.scale);
}

}  // namespace

CARDAN_INSTRUCTION_SETS void put_weights(std::span<const PinRows> pins,
                                         const double* rotation,
                                         double* W) {
  for (const PinRows& pin : pins)
    for (int i = 0; i < pin.sides; ++i) put_weight(pin.side[i], point(pin.side[i], rotation), W);
}

CARDAN_INSTRUCTION_SETS void put_rows(std::span<const PinRows> pins,
                                      const double* rotation,
                                      double* W,
                                      const GammaNumbers& g) {
  for (const PinRows& pin : pins) {
    Two gamma{};
    for (int i = 0; i < pin.sides; ++i) {
      const PinRows::Side& s = pin.side[i];
      const Two at = point(s, rotation);
      const double w = g.v[3 * s.body + 2];
      put_weight(s, at, W);
      gamma += at * (w * w);
    }
    put(g.ordered + pin.start, gamma);
    put(g.rows + pin.row, gamma);
  }
}

CARDAN_INSTRUCTION_SETS void multiply_each(CView a, CView b, View out) {
  const double *x = a.data(), *y = b.data();
  double* z = out.data();
  for (std::size_t k = 0; k < out.size(); ++k) z[k] = x[k] * y[k];
}

}  // namespace cardan
