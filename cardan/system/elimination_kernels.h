#pragma once
// The block operations of one column of the elimination (elimination_plan.h), for blocks of N rows
// whose size the compiler knows. All blocks are stored by columns.
//
// A block of W is anchored where its first D columns are k [I; 0], as those of joints at a common
// point are; only the columns of rotations then take part in products:
//   W_i W_k^T = k_i k_k [I 0; 0 0] + G_i G_k^T.
#include <cmath>

#include "cardan/system/elimination.h"

namespace cardan::elimination {

constexpr int most_rows = 6;

using Two [[gnu::vector_size(16)]] = double;
using Four [[gnu::vector_size(32)]] = double;
using FourAnywhere [[gnu::vector_size(32), gnu::aligned(8)]] = double;

// r = W y - g.
struct RightSide {
  const double* g;
  Two scale{};  // the largest number of r and g met is the largest one
  Four largest_of_points{};

  [[gnu::always_inline]] void see(double r, double of_g) {
    r = std::abs(r);
    of_g = std::abs(of_g);
    const double most = r > of_g ? r : of_g;
    if (most > scale[0]) scale[0] = most;
  }

  [[gnu::always_inline]] void see_two(Two r, Two of_g) {  // sizes
    scale = r > scale ? r : scale;
    scale = of_g > scale ? of_g : scale;
  }

  [[gnu::always_inline]] void see_three(Four x) {  // the fourth is not used
    x[3] = 0;
    see_four(x);
  }

  [[gnu::always_inline]] void see_five(Four x, double last) {
    see_four(x);
    last = std::abs(last);
    if (last > scale[0]) scale[0] = last;
  }

  double largest() const {
    double most = scale[0] > scale[1] ? scale[0] : scale[1];
    for (int i = 0; i < 4; ++i)
      if (largest_of_points[i] > most) most = largest_of_points[i];
    return most;
  }

 private:
  [[gnu::always_inline]] void see_four(Four x) {
    x = x < 0 ? -x : x;
    largest_of_points = x > largest_of_points ? x : largest_of_points;
  }
};

// out = S^-1 of a symmetric matrix by L D L^T; S has its lower triangle, own the diagonal it had
// before anything was subtracted. A pivot that is lost in round-off is skipped: its row and column
// of the inverse are zero.
template <int N>
[[gnu::always_inline]] inline void invert(
    const double* S, const double* own, int size, int start, double* out, Weakest& weakest) {
  const int n = N > 0 ? N : size;
  constexpr int most = N > 0 ? N : most_rows;
  double L[most * most], d[most], X[most * most];
  for (int c = 0; c < n; ++c) {
    double v[most];
    for (int r = c; r < n; ++r) {
      double sum = S[c * n + r];
      for (int m = 0; m < c; ++m) sum -= L[m * n + r] * X[m * n + c];
      v[r] = sum;
    }
    weakest.put(v[c], own[c], start + c);
    const bool lost = !(v[c] > weakest.tolerance * own[c]);
    if (lost) {
      ++weakest.skipped;
      weakest.bad = weakest.bad || !(own[c] > 0);
    }
    d[c] = lost ? 0.0 : 1 / v[c];
    for (int r = c; r < n; ++r) {
      L[c * n + r] = v[r] * d[c];
      X[c * n + r] = lost ? 0.0 : v[r];  // L D
    }
  }
  // X = L^-1, then out = X^T d X
  for (int c = 0; c < n; ++c)
    for (int r = c; r < n; ++r) {
      double sum = r == c ? 1 : 0;
      for (int m = c; m < r; ++m) sum -= L[m * n + r] * X[c * n + m];
      X[c * n + r] = sum;
    }
  for (int c = 0; c < n; ++c)
    for (int r = c; r < n; ++r) {
      double sum = 0;
      for (int m = r; m < n; ++m) sum += X[r * n + m] * d[m] * X[c * n + m];
      out[c * n + r] = out[r * n + c] = sum;
    }
}

template <>
[[gnu::always_inline]] inline void invert<2>(
    const double* S, const double* own, int, int start, double* out, Weakest& weakest) {
  const double a = S[0], b = S[1], c = S[3], det = a * c - b * b;
  const double least = weakest.tolerance;
  if (!(a > least * own[0] && det > least * (a * own[1])))
    return invert<0>(S, own, 2, start, out, weakest);
  weakest.put(a, own[0], start);
  weakest.put(det, a * own[1], start + 1);
  const double i = 1 / det;
  out[0] = c * i;
  out[1] = out[2] = -b * i;
  out[3] = a * i;
}

template <int D> struct Space { static constexpr int turns = D == 2 ? 1 : 3, n_v = D + turns; };

// A block of W with columns of N numbers.
template <int D> struct Weights {
  const double *turns, *others;

  [[gnu::always_inline]] Weights(const EliminationPlan& plan, const Numbers& m, int incidence) {
    const int weight = plan.incidences()[static_cast<std::size_t>(incidence)].weight;
    turns = m.W + turns_of(D, weight);
    others = m.others + others_of(D, weight);
  }

  [[gnu::always_inline]] const double* column(int t, int N) const {
    return t < D ? others + t * N : turns + (t - D) * N;
  }
};

// One column with all blocks of N rows.
template <int D, int N, bool anchored> struct Kernel {
  static constexpr int turns = Space<D>::turns, V = Space<D>::n_v;
  using Column = EliminationPlan::Column;

  [[gnu::always_inline]] static inline void right_side(const EliminationPlan& plan,
                                                       const Column& c,
                                                       const Numbers& m,
                                                       const RightSide& side,
                                                       double* r) {
    for (int i = 0; i < N; ++i) r[i] = -side.g[c.start + i];
    for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n) {
      const auto& at = plan.incidences()[static_cast<std::size_t>(n)];
      const double* y = m.y + V * at.body;
      const Weights<D> w(plan, m, n);
      if constexpr (anchored) {
        const double k = m.k[n];
        for (int i = 0; i < D; ++i) r[i] += k * y[i];
      }
      for (int t = anchored ? D : 0; t < V; ++t)
        for (int i = 0; i < N; ++i) r[i] += w.column(t, N)[i] * y[t];
    }
  }

  // D_k^-1, B_ik and x_k = D_k^-1 (r_k - sum_j B_kj x_j); without `factoring` x_k alone.
  template <bool factoring>
  [[gnu::always_inline]] static inline void forward(const EliminationPlan& plan,
                                                    const Column& c,
                                                    const Numbers& m,
                                                    RightSide& side,
                                                    Weakest& weakest) {
    double r[N], S[N * N], own[N];
    right_side(plan, c, m, side, r);
    for (int i = 0; i < N; ++i) side.see(r[i], side.g[c.start + i]);
    if constexpr (factoring) {
      for (double& s : S) s = 0;
      for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n) {
        add_square(Weights<D>(plan, m, n), m.k[n], S);
      }
      for (int i = 0; i < N; ++i) own[i] = S[i * N + i];
    }
    for (int e = c.first_row; e < c.first_row + c.row_count; ++e) {
      const auto& row = plan.rows()[static_cast<std::size_t>(e)];
      const double *b = m.B + row.block, *z = m.x + row.start;
      for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) r[i] -= b[j * N + i] * z[j];
      if constexpr (factoring) {
        const double* inverse = m.inverse + row.pivot;
        double* T = m.product + row.product;
        double t[N * N];
        for (int j = 0; j < N; ++j)
          for (int i = 0; i < N; ++i) {
            double sum = 0;
            for (int l = 0; l < N; ++l) sum += b[l * N + i] * inverse[j * N + l];
            t[j * N + i] = sum;
          }
        for (int j = 0; j < N; ++j)
          for (int i = j; i < N; ++i) {
            double sum = 0;
            for (int l = 0; l < N; ++l) sum += t[l * N + i] * b[l * N + j];
            S[j * N + i] -= sum;
          }
        for (int i = 0; i < N * N; ++i) T[i] = t[i];
      }
    }
    double* inverse = m.inverse + c.pivot;
    if constexpr (factoring) invert<N>(S, own, N, c.start, inverse, weakest);
    for (int i = 0; i < N; ++i) {
      double sum = 0;
      for (int j = 0; j < N; ++j) sum += inverse[j * N + i] * r[j];
      m.x[c.start + i] = sum;
    }
    if constexpr (factoring)
      for (int p = c.first_panel; p < c.first_panel + c.panel_count; ++p)
        panel(plan, plan.panels()[static_cast<std::size_t>(p)], m);
  }

  // x_k -= D_k^-1 sum_i B_ik^T x_i, and y -= W^T x_k.
  [[gnu::always_inline]] static inline void backward(const EliminationPlan& plan,
                                                     const Column& c,
                                                     const Numbers& m) {
    double s[N] = {}, x[N];
    for (int p = c.first_panel; p < c.first_panel + c.panel_count; ++p) {
      const auto& panel = plan.panels()[static_cast<std::size_t>(p)];
      const double *b = m.B + panel.block, *from = m.x + panel.start;
      for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) s[j] += b[j * N + i] * from[i];
    }
    const double* inverse = m.inverse + c.pivot;
    for (int i = 0; i < N; ++i) {
      double sum = m.x[c.start + i];
      for (int j = 0; j < N; ++j) sum -= inverse[j * N + i] * s[j];
      m.x[c.start + i] = x[i] = sum;
    }
    for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n) {
      const auto& at = plan.incidences()[static_cast<std::size_t>(n)];
      const Weights<D> w(plan, m, n);
      double* to = m.y + V * at.body;
      if constexpr (anchored)
        for (int i = 0; i < D; ++i) to[i] -= m.k[n] * x[i];
      for (int t = anchored ? D : 0; t < V; ++t) {
        double sum = 0;
        for (int i = 0; i < N; ++i) sum += w.column(t, N)[i] * x[i];
        to[t] -= sum;
      }
    }
  }

 private:
  [[gnu::always_inline]] static inline void add_square(const Weights<D>& w,
                                                       double k,
                                                       double* S) {  // the lower triangle
    if constexpr (anchored)
      for (int i = 0; i < D; ++i) S[i * N + i] += k * k;
    for (int t = anchored ? D : 0; t < V; ++t)
      for (int j = 0; j < N; ++j)
        for (int i = j; i < N; ++i) S[j * N + i] += w.column(t, N)[i] * w.column(t, N)[j];
  }

  [[gnu::always_inline]] static inline void panel(const EliminationPlan& plan,
                                                  const EliminationPlan::Panel& panel,
                                                  const Numbers& m) {
    double b[N * N] = {};
    for (int n = panel.first_pair; n < panel.first_pair + panel.pair_count; ++n) {
      const auto& pair = plan.pairs()[static_cast<std::size_t>(n)];
      const Weights<D> wi(plan, m, pair.i), wk(plan, m, pair.k);
      if constexpr (anchored) {
        const double k = m.k[pair.i] * m.k[pair.k];
        for (int i = 0; i < D; ++i) b[i * N + i] += k;
      }
      for (int t = anchored ? D : 0; t < V; ++t)
        for (int j = 0; j < N; ++j)
          for (int i = 0; i < N; ++i) b[j * N + i] += wi.column(t, N)[i] * wk.column(t, N)[j];
    }
    for (int n = panel.first_update; n < panel.first_update + panel.update_count; ++n) {
      const auto& update = plan.updates()[static_cast<std::size_t>(n)];
      const double *a = m.B + update.block, *T = m.product + update.product;
      for (int l = 0; l < N; ++l)
        for (int j = 0; j < N; ++j)
          for (int i = 0; i < N; ++i) b[j * N + i] -= a[l * N + i] * T[l * N + j];
    }
    double* out = m.B + panel.block;
    for (int i = 0; i < N * N; ++i) out[i] = b[i];
  }
};

// One column whose blocks have sizes known at run time only.
template <int D> struct MixedKernel {
  static constexpr int V = Space<D>::n_v;
  using Column = EliminationPlan::Column;

  [[gnu::always_inline]] static inline void right_side(const EliminationPlan& plan,
                                                       const Column& c,
                                                       const Numbers& m,
                                                       const RightSide& side,
                                                       double* r) {
    const int N = c.size;
    for (int i = 0; i < N; ++i) r[i] = -side.g[c.start + i];
    for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n) {
      const auto& at = plan.incidences()[static_cast<std::size_t>(n)];
      const double* y = m.y + V * at.body;
      const Weights<D> w(plan, m, n);
      for (int t = 0; t < V; ++t)
        for (int i = 0; i < N; ++i) r[i] += w.column(t, N)[i] * y[t];
    }
  }

  template <bool factoring>
  [[gnu::always_inline]] static inline void forward(const EliminationPlan& plan,
                                                    const Column& c,
                                                    const Numbers& m,
                                                    RightSide& side,
                                                    Weakest& weakest) {
    const int N = c.size;
    double r[most_rows], S[most_rows * most_rows] = {}, own[most_rows];
    right_side(plan, c, m, side, r);
    for (int i = 0; i < N; ++i) side.see(r[i], side.g[c.start + i]);
    if constexpr (factoring) {
      for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n) {
        const Weights<D> w(plan, m, n);
        for (int t = 0; t < V; ++t)
          for (int j = 0; j < N; ++j)
            for (int i = j; i < N; ++i) S[j * N + i] += w.column(t, N)[i] * w.column(t, N)[j];
      }
      for (int i = 0; i < N; ++i) {
        if (m.held[c.start + i] == 0) S[i * N + i] = 1;
        own[i] = S[i * N + i];
      }
    }
    for (int e = c.first_row; e < c.first_row + c.row_count; ++e) {
      const auto& row = plan.rows()[static_cast<std::size_t>(e)];
      const double *b = m.B + row.block, *z = m.x + row.start;
      for (int j = 0; j < row.size; ++j)
        for (int i = 0; i < N; ++i) r[i] -= b[j * N + i] * z[j];
      if constexpr (factoring) take_off(row, N, b, m, S);
    }
    double* inverse = m.inverse + c.pivot;
    if constexpr (factoring) invert<0>(S, own, N, c.start, inverse, weakest);
    for (int i = 0; i < N; ++i) {
      double sum = 0;
      for (int j = 0; j < N; ++j) sum += inverse[j * N + i] * r[j];
      m.x[c.start + i] = sum;
    }
    if constexpr (factoring)
      for (int p = c.first_panel; p < c.first_panel + c.panel_count; ++p)
        panel(plan, plan.panels()[static_cast<std::size_t>(p)], N, m);
  }

  [[gnu::always_inline]] static inline void backward(const EliminationPlan& plan,
                                                     const Column& c,
                                                     const Numbers& m) {
    const int N = c.size;
    double s[most_rows] = {}, x[most_rows];
    for (int p = c.first_panel; p < c.first_panel + c.panel_count; ++p) {
      const auto& panel = plan.panels()[static_cast<std::size_t>(p)];
      const double *b = m.B + panel.block, *from = m.x + panel.start;
      for (int j = 0; j < N; ++j)
        for (int i = 0; i < panel.size; ++i) s[j] += b[j * panel.size + i] * from[i];
    }
    const double* inverse = m.inverse + c.pivot;
    for (int i = 0; i < N; ++i) {
      double sum = m.x[c.start + i];
      for (int j = 0; j < N; ++j) sum -= inverse[j * N + i] * s[j];
      m.x[c.start + i] = x[i] = sum;
    }
    for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n) {
      const auto& at = plan.incidences()[static_cast<std::size_t>(n)];
      const Weights<D> w(plan, m, n);
      double* to = m.y + V * at.body;
      for (int t = 0; t < V; ++t) {
        double sum = 0;
        for (int i = 0; i < N; ++i) sum += w.column(t, N)[i] * x[i];
        to[t] -= sum;
      }
    }
  }

 private:
  // T = b D^-1 of a row eliminated before; its share T b^T leaves S.
  template <class Row>
  [[gnu::always_inline]] static inline void take_off(
      const Row& row, int N, const double* b, const Numbers& m, double* S) {
    const double* inverse = m.inverse + row.pivot;
    double* T = m.product + row.product;
    for (int j = 0; j < row.size; ++j)
      for (int i = 0; i < N; ++i) {
        double sum = 0;
        for (int l = 0; l < row.size; ++l) sum += b[l * N + i] * inverse[j * row.size + l];
        T[j * N + i] = sum;
      }
    for (int l = 0; l < row.size; ++l)
      for (int j = 0; j < N; ++j)
        for (int i = j; i < N; ++i) S[j * N + i] -= T[l * N + i] * b[l * N + j];
  }

  [[gnu::always_inline]] static inline void panel(const EliminationPlan& plan,
                                                  const EliminationPlan::Panel& panel,
                                                  int N,
                                                  const Numbers& m) {
    const int rows = panel.size;
    double* b = m.B + panel.block;
    for (int i = 0; i < rows * N; ++i) b[i] = 0;
    for (int n = panel.first_pair; n < panel.first_pair + panel.pair_count; ++n) {
      const auto& pair = plan.pairs()[static_cast<std::size_t>(n)];
      const Weights<D> wi(plan, m, pair.i), wk(plan, m, pair.k);
      for (int t = 0; t < V; ++t)
        for (int j = 0; j < N; ++j)
          for (int i = 0; i < rows; ++i)
            b[j * rows + i] += wi.column(t, rows)[i] * wk.column(t, N)[j];
    }
    for (int n = panel.first_update; n < panel.first_update + panel.update_count; ++n) {
      const auto& update = plan.updates()[static_cast<std::size_t>(n)];
      const double *a = m.B + update.block, *T = m.product + update.product;
      for (int l = 0; l < update.inner; ++l)
        for (int j = 0; j < N; ++j)
          for (int i = 0; i < rows; ++i) b[j * rows + i] -= a[l * rows + i] * T[l * N + j];
    }
  }
};

}  // namespace cardan::elimination
