#pragma once
// The column of a pin in the plane whose neighbours are pins, a block of two by two as one operand:
// the same operations as those of elimination_kernels.h, written for two equations,
//   W = [k I | p],   S_ik = k_i k_k I + p_i p_k^T.
// What it reads and writes stands as places in one array (Numbers::all) on tapes, one for each pass, in
// the order in which it is used: no index is looked up. A block [a c; b d] is the operand (a, b, c, d);
// k I stands before p as such a block.
#include <cstdint>

#include "cardan/system/elimination_kernels.h"

namespace cardan::elimination {

using Two [[gnu::vector_size(16)]] = double;
using TwoAnywhere [[gnu::vector_size(16), gnu::aligned(8)]] = double;
using Four [[gnu::vector_size(32)]] = double;
using FourAnywhere [[gnu::vector_size(32), gnu::aligned(8)]] = double;

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

// Pivots of pins as they are met: lane 0 the first ones of the columns, lane 1 the second ones. None
// of them is lost or no number.
struct WeakestPins {
  using Mask [[gnu::vector_size(16)]] = std::int64_t;

  Two pivot{1, 1}, size{1, 1};  // of the least, relative to its size
  Mask at{-1, -1}, fell{};

  [[gnu::always_inline]] void see(Two pivots, Two sizes, int start, const Weakest& of) {
    double* all = &of.all[start].pivot;
    put(all, Two{pivots[0], sizes[0]});
    put(all + 2, Two{pivots[1], sizes[1]});
    fell |= ~(pivots >= two(of.floor + start) * sizes);
    const Mask less = pivots * size < pivot * sizes;
    pivot = less ? pivots : pivot;
    size = less ? sizes : size;
    at = less ? Mask{start, start + 1} : at;
  }

  [[gnu::always_inline]] void tell(Weakest& to) const {
    to.fell |= (fell[0] | fell[1]) != 0;
    for (int lane = 0; lane < 2; ++lane) {
      if (at[lane] < 0 || pivot[lane] * to.least.size >= to.least.pivot * size[lane]) continue;
      to.least = {pivot[lane], size[lane]};
      to.scalar = static_cast<int>(at[lane]);
    }
  }
};

struct PinKernel {
  using Tape = const int*;

  // Forwards: the column's x, g and inverse; its sides; rows; panels with pairs and updates.
  template <bool factoring>
  [[gnu::always_inline]] static inline Tape forward(Tape tape,
                                                    double* all,
                                                    RightSide& side,
                                                    const double* g_all,
                                                    Weakest& weakest,
                                                    WeakestPins& pins) {
    double *x = all + tape[0], *inverse = all + tape[2];
    const int start = tape[1];
    const Two g = two(g_all + start);
    const int sides = tape[3], rows = tape[4], panels = tape[5];
    tape += 6;
    Two r = -g, left{};
    double corner = 0, own[2];
    for (int n = 0; n < sides; ++n, tape += 2) {
      const double *w = all + tape[0], *y = all + tape[1], k = w[0];
      const Two p = two(w + 4);
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
        put(product, each_twice(t0));
        put(product + 4, each_twice(t1));
      }
    }
    if constexpr (factoring)
      invert_pin(left, corner, own, start, inverse, weakest, pins, r, x);
    else
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
    Four sum{};
    for (int n = 0; n < panels; ++n, tape += 2)
      sum += four(all + tape[0]) * both_twice(all + tape[1]);
    const Two x =
        two(to_x) - (two(inverse) * (sum[0] + sum[1]) + two(inverse + 2) * (sum[2] + sum[3]));
    put(to_x, x);
    for (int n = 0; n < sides; ++n, tape += 2) {
      const double* w = all + tape[0];
      double* y = all + tape[1];
      const Two px = two(w + 4) * x;
      put(y, two(y) - x * w[0]);
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
    for (int n = 0; n < sides; ++n, tape += 2) {
      const double *w = all + tape[0], *y = all + tape[1];
      r += two(y) * w[0] + two(w + 4) * y[2];
    }
    return tape;
  }

 private:
  [[gnu::always_inline]] static inline Four four(const double* from) {
    return *reinterpret_cast<const FourAnywhere*>(from);
  }

  [[gnu::always_inline]] static inline void put(double* to, Four x) {
    *reinterpret_cast<FourAnywhere*>(to) = x;
  }

  [[gnu::always_inline]] static inline void put(double* to, Two x) { elimination::put(to, x); }

  // (u, v, u, v) and (u, u, v, v) of two numbers.
  [[gnu::always_inline]] static inline Four both_twice(const double* from) {
    return Four{from[0], from[1], from[0], from[1]};
  }

  [[gnu::always_inline]] static inline Four each_twice(Two x) {
    return __builtin_shufflevector(x, x, 0, 0, 1, 1);
  }

  // x = S^-1 r with S = [left, (., corner)].
  [[gnu::always_inline]] static inline void invert_pin(Two left,
                                                       double corner,
                                                       const double* own,
                                                       int start,
                                                       double* inverse,
                                                       Weakest& weakest,
                                                       WeakestPins& pins,
                                                       Two r,
                                                       double* x) {
    const double a = left[0], b = left[1], det = a * corner - b * b, least = weakest.tolerance;
    const double square = a * own[1];
    if (!(a > least * own[0] && det > least * square)) [[unlikely]] {
      const double S[4] = {a, b, b, corner};
      invert<0>(S, own, 2, start, inverse, weakest);
      put(x, two(inverse) * r[0] + two(inverse + 2) * r[1]);
      return;
    }
    pins.see(Two{a, det}, Two{own[0], square}, start, weakest);
    const double i = 1 / det;
    const Two first = Two{corner, -b} * i, second = Two{-b, a} * i;
    put(inverse, __builtin_shufflevector(first, second, 0, 1, 2, 3));
    put(x, first * r[0] + second * r[1]);
  }

  template <bool factoring>
  [[gnu::always_inline]] static inline Tape panel(Tape tape, double* all) {
    const int pairs = tape[1], updates = tape[2];
    double* out = all + tape[0];
    tape += 3;
    if constexpr (!factoring) return tape + 2 * (pairs + updates);
    Four B{};
    for (int n = 0; n < pairs; ++n, tape += 2) {
      const double *i = all + tape[0], *k = all + tape[1];
      B += both_twice(i + 4) * each_twice(two(k + 4)) + four(i) * four(k);
    }
    for (int n = 0; n < updates; ++n, tape += 2) {
      const double *A = all + tape[0], *T = all + tape[1];
      B -= both_twice(A) * four(T) + both_twice(A + 2) * four(T + 4);
    }
    put(out, B);
    return tape;
  }
};

}  // namespace cardan::elimination
