#pragma once
// The column of a ball joint (N = 3) or a hinge in space (N = 5) whose neighbours are of the same kind:
// the operations of elimination_kernels.h with the numbers of a column of a block as one operand.
//   W = [k [I; 0] | G],   S_ik = k_i k_k [I 0; 0 0] + G_i G_k^T
// D^-1 is found by determinants (point_inverse.h), where a pivot is small beside its row by L D L^T.
// Wide: for processors with operands of eight numbers. All give the same bits.
#include "cardan/system/point_inverse.h"

namespace cardan::elimination {

using Eight [[gnu::vector_size(64)]] = double;
using EightAnywhere [[gnu::vector_size(64), gnu::aligned(8)]] = double;

// N numbers, as an operand of four and one by itself; the fourth of three is not used.
template <int N, bool wide> struct PointColumn {
  static_assert(N == 3 || N == 5);
  Four head{};
  double tail = 0;

  PointColumn() = default;

  // Reads four numbers of three: behind a block there is another one.
  [[gnu::always_inline]] explicit PointColumn(const double* from)
      : head(four(from)), tail(N == 5 ? from[N - 1] : 0) {}

  // The first three of c, then zeros.
  [[gnu::always_inline]] static PointColumn of_three(const double* c, double k) {
    PointColumn out;
    out.head = Four{c[0], c[1], c[2], 0} * k;
    return out;
  }

  [[gnu::always_inline]] void operator+=(const PointColumn& x) {
    head += x.head;
    if constexpr (N == 5) tail += x.tail;
  }

  [[gnu::always_inline]] void operator-=(const PointColumn& x) {
    head -= x.head;
    if constexpr (N == 5) tail -= x.tail;
  }

  [[gnu::always_inline]] PointColumn operator*(double k) const {
    PointColumn out;
    out.head = head * k;
    if constexpr (N == 5) out.tail = tail * k;
    return out;
  }

  [[gnu::always_inline]] void add_to(int i, double k) { head[i] += k; }

  // Into eight places.
  [[gnu::always_inline]] void spread(double* to) const {
    elimination::put(to, head);
    if constexpr (N == 5) to[N - 1] = tail;
  }

  [[gnu::always_inline]] void show(RightSide& side) const {
    if constexpr (N == 5)
      side.see_five(head, tail);
    else
      side.see_three(head);
  }

  [[gnu::always_inline]] void put(double* to) const {
    if constexpr (N == 5) {
      elimination::put(to, head);
      to[N - 1] = tail;
    } else {
      for (int i = 0; i < N; ++i) to[i] = head[i];
    }
  }
};

// Five numbers in one operand of eight; what stands behind them is read too, and not used.
template <> struct PointColumn<5, true> {
  Eight all{};

  PointColumn() = default;

  [[gnu::always_inline]] explicit PointColumn(const double* from)
      : all(*reinterpret_cast<const EightAnywhere*>(from)) {}

  [[gnu::always_inline]] static PointColumn of_three(const double* c, double k) {
    PointColumn out;
    out.all = Eight{c[0], c[1], c[2]} * k;
    return out;
  }

  [[gnu::always_inline]] void operator+=(const PointColumn& x) { all += x.all; }

  [[gnu::always_inline]] void operator-=(const PointColumn& x) { all -= x.all; }

  [[gnu::always_inline]] PointColumn operator*(double k) const {
    PointColumn out;
    out.all = all * k;
    return out;
  }

  [[gnu::always_inline]] void add_to(int i, double k) {
    Eight at{};
    at[i] = k;
    all += at;
  }

  [[gnu::always_inline]] void spread(double* to) const {
    *reinterpret_cast<EightAnywhere*>(to) = all;
  }

  [[gnu::always_inline]] void show(RightSide& side) const {
    side.see_five(__builtin_shufflevector(all, all, 0, 1, 2, 3), all[4]);
  }

  [[gnu::always_inline]] void put(double* to) const {
    elimination::put(to, __builtin_shufflevector(all, all, 0, 1, 2, 3));
    to[4] = all[4];
  }
};

template <int N, bool wide> struct PointKernel {
  using Column = EliminationPlan::Column;
  using Vector = PointColumn<N, wide>;
  static constexpr int D = 3, V = 6;

  // As Kernel<3, N, true>::forward<true>.
  [[gnu::always_inline]] static inline void factor(const EliminationPlan& plan,
                                                   const Column& c,
                                                   const Numbers& m,
                                                   RightSide& side,
                                                   Weakest& weakest) {
    Vector r, S[N];
    double k_square = 0;
    alignas(64) double s[N][8], numbers[8];  // columns of S, and r
    const EliminationPlan::Incidence* at = plan.incidences().data() + c.first_incidence;
    const double* k_of = m.k + c.first_incidence;
    for (int n = 0; n < c.incidence_count; ++n) {
      const double *w = m.W + turns_of(D, at[n].weight), *y = m.y + V * at[n].body, k = k_of[n];
      r += Vector::of_three(y, k);
      k_square += k * k;
      for (int t = 0; t < V - D; ++t) {
        const Vector G(w + t * N);
        r += G * y[D + t];
        for (int j = 0; j < N; ++j) S[j] += G * w[t * N + j];
      }
    }
    const double* g = side.g + c.start;
    const Vector right(g);
    r -= right;
    right.show(side);
    r.show(side);
    double own[N];
    for (int i = 0; i < D; ++i) S[i].add_to(i, k_square);
    for (int i = 0; i < N; ++i) S[i].spread(s[i]);
    for (int i = 0; i < N; ++i) own[i] = s[i][i];
    const EliminationPlan::Row* row = plan.rows().data() + c.first_row;
    const EliminationPlan::Panel* panel = plan.panels().data() + c.first_panel;
    bool products_read = false;
    for (int p = 0; p < c.panel_count; ++p)
      products_read = products_read || panel[p].update_count > 0;
    for (int e = 0; e < c.row_count; ++e) take_row(row[e], products_read, m, r, S);
    for (int i = 0; i < N; ++i) S[i].spread(s[i]);
    double *inverse = m.inverse + c.pivot, *x = m.x + c.start;
    r.spread(numbers);
    if (!PointInverse<N>{s, own, c.start}.solve(numbers, inverse, x, weakest))
      solve_weak(s, own, c.start, numbers, inverse, x, weakest);
    for (int p = 0; p < c.panel_count; ++p) put_panel(plan, panel[p], m);
  }

 private:
  [[gnu::noinline]] static void solve_weak(const double (&S)[N][8],
                                           const double* own,
                                           int start,
                                           const double* r,
                                           double* inverse,
                                           double* x,
                                           Weakest& weakest) {
    double all[N * N];
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < N; ++i) all[j * N + i] = S[j][i];
    invert<N>(all, own, N, start, inverse, weakest);
    for (int i = 0; i < N; ++i) {
      double sum = 0;
      for (int j = 0; j < N; ++j) sum += inverse[j * N + i] * r[j];
      x[i] = sum;
    }
  }

  // r -= B z, T = B D^-1, S -= T B^T.
  [[gnu::always_inline]] static inline void take_row(
      const EliminationPlan::Row& row, bool product_read, const Numbers& m, Vector& r, Vector* S) {
    const double *b = m.B + row.block, *z = m.x + row.start, *inverse = m.inverse + row.pivot;
    double* T = m.product + row.product;
    Vector B[N];
    for (int j = 0; j < N; ++j) {
      B[j] = Vector(b + j * N);
      r -= B[j] * z[j];
    }
    for (int j = 0; j < N; ++j) {
      Vector t = B[0] * inverse[j * N];
      for (int l = 1; l < N; ++l) t += B[l] * inverse[j * N + l];
      for (int l = 0; l < N; ++l) S[l] -= t * b[j * N + l];
      if (product_read) t.put(T + j * N);
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
        return m.W + turns_of(D, plan.incidences()[static_cast<std::size_t>(of)].weight);
      };
      const double *wi = weight(pair.i), *wk = weight(pair.k);
      k += m.k[pair.i] * m.k[pair.k];
      for (int t = 0; t < V - D; ++t) {
        const Vector G(wi + t * N);
        for (int j = 0; j < N; ++j) b[j] += G * wk[t * N + j];
      }
    }
    for (int i = 0; i < D; ++i) b[i].add_to(i, k);
    for (int n = panel.first_update; n < panel.first_update + panel.update_count; ++n) {
      const auto& update = plan.updates()[static_cast<std::size_t>(n)];
      const double *a = m.B + update.block, *T = m.product + update.product;
      for (int l = 0; l < N; ++l) {
        const Vector A(a + l * N);
        for (int j = 0; j < N; ++j) b[j] -= A * T[l * N + j];
      }
    }
    for (int j = 0; j < N; ++j) b[j].put(m.B + panel.block + j * N);
  }
};

}  // namespace cardan::elimination
