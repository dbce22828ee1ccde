#pragma once
// D^-1 of three or five equations by determinants, and x = D^-1 r. Of three: A^-1 = adj(A) / det A, the columns of
// adj(A) being the cross products of those of A; of five
//   [A B^T; B C]^-1 = [A^-1 + U^T V, -V^T; -V, E^-1],   U = B A^-1, E = C - U B^T, V = E^-1 U.
// Where a pivot is small beside its row this loses digits.
#include "cardan/system/elimination_kernels.h"

namespace cardan::elimination {

[[gnu::always_inline]] inline Four four(const double* from) {
  return *reinterpret_cast<const FourAnywhere*>(from);
}

[[gnu::always_inline]] inline void put(double* to, Four x) {
  *reinterpret_cast<FourAnywhere*>(to) = x;
}

[[gnu::always_inline]] inline void put_three(double* to, Four x) {
  for (int i = 0; i < 3; ++i) to[i] = x[i];
}

// Of three numbers each; the fourth is not used.
[[gnu::always_inline]] inline Four cross(Four a, Four b) {
  const Four a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3);
  const Four a2 = __builtin_shufflevector(a, a, 2, 0, 1, 3);
  const Four b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  const Four b2 = __builtin_shufflevector(b, b, 2, 0, 1, 3);
  return a1 * b2 - a2 * b1;
}

template <int N> struct PointInverse {
  static constexpr double least_pivot = 0.03;  // relative to its row

  const double (&S)[N][8];  // columns; the lower triangle is read
  const double* own;        // the diagonal before anything was subtracted
  int start;                // equations, in the order of elimination

  // False, and nothing is written or seen, where a pivot is small.
  [[gnu::always_inline]] inline bool solve(const double* r,
                                           double* inverse,
                                           double* x,
                                           Weakest& weakest) const {
    const Four first{S[0][0], S[0][1], S[0][2], 1}, second{S[0][1], S[1][1], S[1][2], 1},
        third{S[0][2], S[1][2], S[2][2], 1};
    const Four m = cross(second, third), last = cross(first, second);
    const double a = S[0][0], minor = last[2], det = a * m[0] + S[0][1] * m[1] + S[0][2] * m[2];
    const bool sound = (a > least_pivot * own[0]) & (minor > least_pivot * (a * own[1])) &
                       (det > least_pivot * (minor * own[2]));
    if (!sound) return false;
    const double i = 1 / det;
    const Four A[3] = {m * i, cross(third, first) * i, last * i};
    if constexpr (N == 3) {
      Four sum{};
      for (int k = 0; k < 3; ++k) sum += A[k] * r[k];
      put_three(x, sum);
      put_columns(A, inverse);
    } else if (!solve_rest(A, r, inverse, x, weakest)) {
      return false;
    }
    weakest.put(a, own[0], start);
    weakest.put(minor, a * own[1], start + 1);
    weakest.put(det, minor * own[2], start + 2);
    return true;
  }

 private:
  // One number behind each column but the last is written before it gets its own.
  [[gnu::always_inline]] static inline void put_columns(const Four (&columns)[3], double* to) {
    put(to, columns[0]);
    put(to + N, columns[1]);
    put_three(to + 2 * N, columns[2]);
  }

  [[gnu::always_inline]] inline bool solve_rest(
      const Four (&A)[3], const double* r, double* inverse, double* x, Weakest& weakest) const {
    Four U[2];
    for (int k = 0; k < 2; ++k) U[k] = A[0] * S[0][3 + k] + A[1] * S[1][3 + k] + A[2] * S[2][3 + k];
    const auto left = [&](int row, int k) __attribute__((always_inline)) {
      return S[3 + k][3 + row] -
             (U[row][0] * S[0][3 + k] + U[row][1] * S[1][3 + k] + U[row][2] * S[2][3 + k]);
    };
    const double a = left(0, 0), b = left(1, 0), c = left(1, 1), det = a * c - b * b;
    if (!((a > least_pivot * own[3]) & (det > least_pivot * (a * own[4])))) return false;
    weakest.put(a, own[3], start + 3);
    weakest.put(det, a * own[4], start + 4);
    const double i = 1 / det, i00 = c * i, i10 = -b * i, i11 = a * i;
    const Four V[2] = {U[0] * i00 + U[1] * i10, U[0] * i10 + U[1] * i11}, below[2] = {-V[0], -V[1]};
    Four top[3];
    for (int k = 0; k < 3; ++k) top[k] = A[k] + V[0] * U[0][k] + V[1] * U[1][k];
    top[1][0] = top[0][1];
    top[2][0] = top[0][2];
    top[2][1] = top[1][2];
    Four sum{};
    for (int k = 0; k < 3; ++k) sum += top[k] * r[k];
    for (int k = 0; k < 2; ++k) sum += below[k] * r[3 + k];
    put_three(x, sum);
    put_columns(top, inverse);
    for (int k = 0; k < 2; ++k) {
      double rest = 0;
      for (int j = 0; j < 3; ++j) {
        rest += below[k][j] * r[j];
        inverse[j * N + 3 + k] = below[k][j];
      }
      const double to_4 = k == 0 ? i00 : i10, to_5 = k == 0 ? i10 : i11;
      x[3 + k] = rest + to_4 * r[3] + to_5 * r[4];
      put(inverse + (3 + k) * N, below[k]);
      inverse[(3 + k) * N + 3] = to_4;
      inverse[(3 + k) * N + 4] = to_5;
    }
    return true;
  }
};

}  // namespace cardan::elimination
