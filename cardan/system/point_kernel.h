#pragma once
// The column of a ball joint (N = 3) or a hinge in space (N = 5) whose neighbours are of the same kind:
// the operations of elimination_kernels.h with four numbers of a column of a block as one operand.
//   W = [k [I; 0] | G],   S_ik = k_i k_k [I 0; 0 0] + G_i G_k^T
// D^-1 of three equations is adj(D) / det D; that of five
//   [A B^T; B C]^-1 = [A^-1 + U^T V, -V^T; -V, E^-1],   U = B A^-1, E = C - U B^T, V = E^-1 U.
// Where a pivot is small beside its row this loses digits, and L D L^T is taken.
#include <cmath>

#include "cardan/system/elimination_kernels.h"

namespace cardan::elimination {

using Four [[gnu::vector_size(32)]] = double;
using FourAnywhere [[gnu::vector_size(32), gnu::aligned(8)]] = double;

template <int N> struct PointColumn {  // of N numbers; the fourth of three is not used
  static_assert(N == 3 || N == 5);
  Four head{};
  double tail = 0;

  PointColumn() = default;

  // Reads four numbers of three: behind a block there is another one.
  [[gnu::always_inline]] explicit PointColumn(const double* from)
      : head(*reinterpret_cast<const FourAnywhere*>(from)), tail(N == 5 ? from[N - 1] : 0) {}

  [[gnu::always_inline]] void add(const PointColumn& x, double k) {
    head += x.head * k;
    if constexpr (N == 5) tail += x.tail * k;
  }

  [[gnu::always_inline]] void subtract(const PointColumn& x, double k) {
    head -= x.head * k;
    if constexpr (N == 5) tail -= x.tail * k;
  }

  [[gnu::always_inline]] double operator[](int i) const { return i == 4 ? tail : head[i]; }

  [[gnu::always_inline]] void put(double* to) const {
    if constexpr (N == 5) {
      *reinterpret_cast<FourAnywhere*>(to) = head;
      to[N - 1] = tail;
    } else {
      for (int i = 0; i < N; ++i) to[i] = head[i];
    }
  }
};

template <int N> struct PointKernel {
  using Column = EliminationPlan::Column;
  using Vector = PointColumn<N>;
  static constexpr int D = 3, V = 6;
  static constexpr double least_pivot = 0.03;  // relative to its row, for inverses by determinants

  // As Kernel<3, N, true>::forward<true>.
  [[gnu::always_inline]] static inline void factor(const EliminationPlan& plan,
                                                   const Column& c,
                                                   const Numbers& m,
                                                   RightSide& side,
                                                   Weakest& weakest) {
    Vector r, S[N];
    double k_square = 0, numbers[N + 3];
    for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n) {
      const auto& at = plan.incidences()[static_cast<std::size_t>(n)];
      const double *w = m.W + at.weight + D * N, *y = m.y + V * at.body, k = m.k[n];
      r.head += Four{y[0], y[1], y[2], 0} * k;
      k_square += k * k;
      for (int t = 0; t < V - D; ++t) {
        const Vector G(w + t * N);
        r.add(G, y[D + t]);
        for (int j = 0; j < N; ++j) S[j].add(G, w[t * N + j]);
      }
    }
    for (int i = 0; i < D; ++i) S[i].head[i] += k_square;
    const double* g = side.g + c.start;
    Vector right;
    right.head = Four{g[0], g[1], g[2], N == 5 ? g[N - 2] : 0};
    if constexpr (N == 5) right.tail = g[N - 1];
    r.subtract(right, 1);
    for (int i = 0; i < N; ++i) side.see(r[i], g[i]);
    double own[N];
    for (int i = 0; i < N; ++i) own[i] = S[i][i];
    for (int e = c.first_row; e < c.first_row + c.row_count; ++e)
      take_row(plan.rows()[static_cast<std::size_t>(e)], m, r, S);
    double* inverse = m.inverse + c.pivot;
    if (!invert_soundly(S, own, c.start, inverse, weakest)) {
      double all[N * N];
      for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) all[j * N + i] = S[j][i];
      invert<N>(all, own, N, c.start, inverse, weakest);
    }
    for (int i = 0; i < N; ++i) numbers[i] = r[i];
    Vector x;
    for (int j = 0; j < N; ++j) x.add(Vector(inverse + j * N), numbers[j]);
    x.put(m.x + c.start);
    for (int p = c.first_panel; p < c.first_panel + c.panel_count; ++p)
      put_panel(plan, plan.panels()[static_cast<std::size_t>(p)], m);
  }

 private:
  // r -= B z, T = B D^-1, S -= T B^T.
  [[gnu::always_inline]] static inline void take_row(const EliminationPlan::Row& row,
                                                     const Numbers& m,
                                                     Vector& r,
                                                     Vector* S) {
    const double *b = m.B + row.block, *z = m.x + row.start, *inverse = m.inverse + row.pivot;
    double* T = m.product + row.product;
    Vector B[N];
    for (int j = 0; j < N; ++j) {
      B[j] = Vector(b + j * N);
      r.subtract(B[j], z[j]);
    }
    for (int j = 0; j < N; ++j) {
      Vector t;
      for (int l = 0; l < N; ++l) t.add(B[l], inverse[j * N + l]);
      for (int l = 0; l < N; ++l) S[l].subtract(t, b[j * N + l]);
      t.put(T + j * N);
    }
  }

  [[gnu::always_inline]] static inline void put_panel(const EliminationPlan& plan,
                                                      const EliminationPlan::Panel& panel,
                                                      const Numbers& m) {
    Vector b[N];
    double k = 0;
    for (int n = panel.first_pair; n < panel.first_pair + panel.pair_count; ++n) {
      const auto& pair = plan.pairs()[static_cast<std::size_t>(n)];
      const auto weight = [&](int of) {
        return m.W + plan.incidences()[static_cast<std::size_t>(of)].weight + D * N;
      };
      const double *wi = weight(pair.i), *wk = weight(pair.k);
      k += m.k[pair.i] * m.k[pair.k];
      for (int t = 0; t < V - D; ++t) {
        const Vector G(wi + t * N);
        for (int j = 0; j < N; ++j) b[j].add(G, wk[t * N + j]);
      }
    }
    for (int i = 0; i < D; ++i) b[i].head[i] += k;
    for (int n = panel.first_update; n < panel.first_update + panel.update_count; ++n) {
      const auto& update = plan.updates()[static_cast<std::size_t>(n)];
      const double *a = m.B + update.block, *T = m.product + update.product;
      for (int l = 0; l < N; ++l) {
        const Vector A(a + l * N);
        for (int j = 0; j < N; ++j) b[j].subtract(A, T[l * N + j]);
      }
    }
    for (int j = 0; j < N; ++j) b[j].put(m.B + panel.block + j * N);
  }

  // False, and nothing is written or seen, where a pivot is small.
  [[gnu::always_inline]] static inline bool invert_soundly(
      const Vector* S, const double* own, int start, double* out, Weakest& weakest) {
    const double a = S[0][0], b = S[0][1], c = S[0][2], d = S[1][1], e = S[1][2], f = S[2][2];
    const double minor = a * d - b * b, m0 = d * f - e * e, m1 = c * e - b * f, m2 = b * e - c * d;
    const double det = a * m0 + b * m1 + c * m2;
    const bool sound = a > least_pivot * own[0] && minor > least_pivot * (a * own[1]) &&
                       det > least_pivot * (minor * own[2]);
    if (!sound) return false;
    const double i = 1 / det;
    const double A[3][3] = {{m0 * i, m1 * i, m2 * i},
                            {m1 * i, (a * f - c * c) * i, (b * c - a * e) * i},
                            {m2 * i, (b * c - a * e) * i, minor * i}};
    if constexpr (N == 3) {
      for (int col = 0; col < 3; ++col)
        for (int row = 0; row < 3; ++row) out[col * 3 + row] = A[col][row];
    } else if (!invert_rest(S, own, start, A, out, weakest)) {
      return false;
    }
    weakest.see(a, own[0], start);
    weakest.see(minor, a * own[1], start + 1);
    weakest.see(det, minor * own[2], start + 2);
    return true;
  }

  [[gnu::always_inline]] static inline bool invert_rest(const Vector* S,
                                                        const double* own,
                                                        int start,
                                                        const double (&A)[3][3],
                                                        double* out,
                                                        Weakest& weakest) {
    double U[2][3], Y[2][3], E[2][2];  // Y = E^-1 U
    for (int r = 0; r < 2; ++r) {
      for (int k = 0; k < 3; ++k)
        U[r][k] = S[0][3 + r] * A[0][k] + S[1][3 + r] * A[1][k] + S[2][3 + r] * A[2][k];
      for (int k = 0; k <= r; ++k)
        E[r][k] = S[3 + k][3 + r] -
                  (U[r][0] * S[0][3 + k] + U[r][1] * S[1][3 + k] + U[r][2] * S[2][3 + k]);
    }
    const double a = E[0][0], b = E[1][0], c = E[1][1], det = a * c - b * b;
    if (!(a > least_pivot * own[3] && det > least_pivot * (a * own[4]))) return false;
    weakest.see(a, own[3], start + 3);
    weakest.see(det, a * own[4], start + 4);
    const double i = 1 / det, i00 = c * i, i10 = -b * i, i11 = a * i;
    for (int k = 0; k < 3; ++k) {
      Y[0][k] = i00 * U[0][k] + i10 * U[1][k];
      Y[1][k] = i10 * U[0][k] + i11 * U[1][k];
    }
    for (int col = 0; col < 3; ++col) {
      for (int row = col; row < 3; ++row)
        out[col * 5 + row] = out[row * 5 + col] =
            A[col][row] + U[0][col] * Y[0][row] + U[1][col] * Y[1][row];
      for (int r = 0; r < 2; ++r) out[col * 5 + 3 + r] = out[(3 + r) * 5 + col] = -Y[r][col];
    }
    out[18] = i00;
    out[19] = out[23] = i10;
    out[24] = i11;
    return true;
  }
};

}  // namespace cardan::elimination
