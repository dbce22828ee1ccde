#pragma once
// The column of a pin in the plane whose neighbours are pins, with pairs of numbers as one operand:
// the same operations as those of elimination_kernels.h, written for two equations,
//   W = [k I | p],   S_ik = k_i k_k I + p_i p_k^T.
// What it reads and writes stands as places in one array (Numbers::all) on tapes, one for each pass, in
// the order in which it is used: no index is looked up.
#include "cardan/system/elimination_kernels.h"

namespace cardan::elimination {

using TwoAnywhere [[gnu::vector_size(16), gnu::aligned(8)]] = double;

[[gnu::always_inline]] inline Two two(const double* from) {
  return *reinterpret_cast<const TwoAnywhere*>(from);
}

[[gnu::always_inline]] inline void put(double* to, Two x) {
  *reinterpret_cast<TwoAnywhere*>(to) = x;
}

[[gnu::always_inline]] inline Two larger(Two a, Two b) {
  return a > b ? a : b;
}

[[gnu::always_inline]] inline Two size_of(Two a) {
  return larger(a, -a);
}

struct PinKernel {
  using Tape = const int*;

  // Forwards: the column's x, g and inverse; its sides; rows; panels with pairs and updates.
  template <bool factoring>
  [[gnu::always_inline]] static inline Tape forward(
      Tape tape, double* all, int start, RightSide& side, const double* g_all, Weakest& weakest) {
    double *x = all + tape[0], *inverse = all + tape[2];
    const Two g = two(g_all + tape[1]);
    const int sides = tape[3], rows = tape[4], panels = tape[5];
    tape += 6;
    Two r = -g, left{};
    double corner = 0, own[2];
    for (int n = 0; n < sides; ++n, tape += 3) {
      const double *y = all + tape[1], k = all[tape[2]];
      const Two p = two(all + tape[0]);
      r += two(y) * k + p * y[2];
      if constexpr (factoring) {
        const double square = k * k;
        left += p * p[0] + Two{square, 0};
        corner += p[1] * p[1] + square;
      }
    }
    side.see_two(size_of(r), size_of(g));
    own[0] = left[0];
    own[1] = corner;
    for (int n = 0; n < rows; ++n, tape += 4) {
      const double *b = all + tape[0], *z = all + tape[2];
      const Two b0 = two(b), b1 = two(b + 2);
      r -= b0 * z[0] + b1 * z[1];
      if constexpr (factoring) {
        const double* before = all + tape[1];
        double* product = all + tape[3];
        const Two t0 = b0 * before[0] + b1 * before[1], t1 = b0 * before[2] + b1 * before[3];
        left -= t0 * b0[0] + t1 * b1[0];
        corner -= t0[1] * b0[1] + t1[1] * b1[1];
        put(product, t0);
        put(product + 2, t1);
      }
    }
    if constexpr (factoring) {
      const double S[4] = {left[0], left[1], left[1], corner};
      invert<2>(S, own, 2, start, inverse, weakest);
    }
    put(x, two(inverse) * r[0] + two(inverse + 2) * r[1]);
    for (int n = 0; n < panels; ++n) tape = panel<factoring>(tape, all);
    return tape;
  }

  // Backwards: the column's x and inverse; panels; sides.
  [[gnu::always_inline]] static inline Tape backward(Tape tape, double* all) {
    double* to_x = all + tape[0];
    const double* inverse = all + tape[1];
    const int panels = tape[2], sides = tape[3];
    tape += 4;
    Two x = two(to_x), first{}, second{};
    for (int n = 0; n < panels; ++n, tape += 2) {
      const double* b = all + tape[0];
      const Two from = two(all + tape[1]);
      first += two(b) * from;
      second += two(b + 2) * from;
    }
    x -= two(inverse) * (first[0] + first[1]) + two(inverse + 2) * (second[0] + second[1]);
    put(to_x, x);
    for (int n = 0; n < sides; ++n, tape += 3) {
      double* y = all + tape[1];
      const Two px = two(all + tape[0]) * x;
      put(y, two(y) - x * all[tape[2]]);
      y[2] -= px[0] + px[1];
    }
    return tape;
  }

  // The residual: the column's g; sides.
  [[gnu::always_inline]] static inline Tape right_side(Tape tape,
                                                       const double* all,
                                                       const double* g_all,
                                                       Two& r) {
    r = -two(g_all + tape[0]);
    const int sides = tape[1];
    tape += 2;
    for (int n = 0; n < sides; ++n, tape += 3) {
      const double* y = all + tape[1];
      r += two(y) * all[tape[2]] + two(all + tape[0]) * y[2];
    }
    return tape;
  }

 private:
  template <bool factoring>
  [[gnu::always_inline]] static inline Tape panel(Tape tape, double* all) {
    const int pairs = tape[1], updates = tape[2];
    double* out = all + tape[0];
    tape += 3;
    if constexpr (!factoring) return tape + 4 * pairs + 2 * updates;
    Two b0{}, b1{};
    for (int n = 0; n < pairs; ++n, tape += 4) {
      const Two pi = two(all + tape[0]), pk = two(all + tape[1]);
      const double k = all[tape[2]] * all[tape[3]];
      b0 += pi * pk[0] + Two{k, 0};
      b1 += pi * pk[1] + Two{0, k};
    }
    for (int n = 0; n < updates; ++n, tape += 2) {
      const double *a = all + tape[0], *T = all + tape[1];
      const Two a0 = two(a), a1 = two(a + 2);
      b0 -= a0 * T[0] + a1 * T[2];
      b1 -= a0 * T[1] + a1 * T[3];
    }
    put(out, b0);
    put(out + 2, b1);
    return tape;
  }
};

}  // namespace cardan::elimination
