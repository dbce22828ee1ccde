#include "cardan/ode/several/stage_sums.h"

#include <cmath>

#include "cardan/math/pack.h"

namespace cardan {

namespace {

// sum_j f_j column_j for one row.
template <int W>
[[gnu::always_inline]] inline Pack<W> row_sum(const double* f,
                                              const Pack<W>* column,
                                              const Pack<W>& base) {
  Pack<W> even = base + f[0] * column[0], odd = f[1] * column[1];
  for (int j = 2; j < W; j += 2) {
    even += f[j] * column[j];
    odd += f[j + 1] * column[j + 1];
  }
  return even + odd;
}

template <int W>
[[gnu::always_inline]] inline void load_columns(const double* columns, Pack<W>* out) {
  for (int j = 0; j < W; ++j) out[j] = load_pack<W>(columns + j * W);
}

template <int W>
[[gnu::always_inline]] inline void add_rows(std::span<const int> rows,
                                            const double* base,
                                            const double* columns,
                                            const double* rates,
                                            double* out) {
  Pack<W> column[W];
  load_columns<W>(columns, column);
  for (const int i : rows)
    store_pack<W>(out + i * W, row_sum<W>(rates + i * W, column, Pack<W>{} + base[i]));
}

template <int W>
[[gnu::always_inline]] inline void sum_rows(std::span<const int> rows,
                                            const double* columns,
                                            const double* rates,
                                            double* out,
                                            bool fresh) {
  Pack<W> column[W];
  load_columns<W>(columns, column);
  for (const int i : rows)
    store_pack<W>(out + i * W,
                  row_sum<W>(rates + i * W, column, fresh ? Pack<W>{} : load_pack<W>(out + i * W)));
}

template <int W>
[[gnu::always_inline]] inline void take_rows(std::span<const int> rows,
                                             const double* weights,
                                             const double* fresh,
                                             double* rates,
                                             StageSizes& change) {
  Pack<W> largest{}, squares{};
  for (const int i : rows) {
    const Pack<W> now = load_pack<W>(fresh + i * W);
    const Pack<W> d = (now - load_pack<W>(rates + i * W)) * weights[i];
    largest = larger_of<W>(size_of_pack<W>(d), largest);
    squares += d * d;
    store_pack<W>(rates + i * W, now);
  }
  store_pack<W>(change.largest, largest);
  store_pack<W>(change.squares, squares);
}

template <int W>
[[gnu::always_inline]] inline void project_rows(const double* weights,
                                                std::size_t count,
                                                const double* columns,
                                                const double* rates,
                                                double* sums,
                                                StageSizes& sizes) {
  Pack<W> column[W], largest{}, squares{};
  load_columns<W>(columns, column);
  for (std::size_t i = 0; i < count; ++i) {
    const Pack<W> c = row_sum<W>(rates + i * W, column, Pack<W>{});
    sums[i] = c[0];
    const Pack<W> d = c * weights[i];
    largest = larger_of<W>(size_of_pack<W>(d), largest);
    squares += d * d;
  }
  store_pack<W>(sizes.largest, largest);
  store_pack<W>(sizes.squares, squares);
}

CARDAN_EVERY_PROCESSOR double zero_if_finite(const double* x, std::size_t size) {
  Pack<8> sum{};
  std::size_t k = 0;
  for (; k + 8 <= size; k += 8) sum += load_pack<8>(x + k) * 0.0;
  double rest = 0;
  for (; k < size; ++k) rest += x[k] * 0.0;
  for (int l = 0; l < 8; ++l) rest += sum[l];
  return rest;  // 0 times infinity is NaN
}

CARDAN_EVERY_PROCESSOR void add_rows_4(std::span<const int> rows,
                                       const double* base,
                                       const double* columns,
                                       const double* rates,
                                       double* out) {
  add_rows<4>(rows, base, columns, rates, out);
}

CARDAN_EVERY_PROCESSOR void add_rows_8(std::span<const int> rows,
                                       const double* base,
                                       const double* columns,
                                       const double* rates,
                                       double* out) {
  add_rows<8>(rows, base, columns, rates, out);
}

CARDAN_EVERY_PROCESSOR void sum_rows_4(std::span<const int> rows,
                                       const double* columns,
                                       const double* rates,
                                       double* out,
                                       bool fresh) {
  sum_rows<4>(rows, columns, rates, out, fresh);
}

CARDAN_EVERY_PROCESSOR void sum_rows_8(std::span<const int> rows,
                                       const double* columns,
                                       const double* rates,
                                       double* out,
                                       bool fresh) {
  sum_rows<8>(rows, columns, rates, out, fresh);
}

CARDAN_EVERY_PROCESSOR void take_rows_4(std::span<const int> rows,
                                        const double* weights,
                                        const double* fresh,
                                        double* rates,
                                        StageSizes& change) {
  take_rows<4>(rows, weights, fresh, rates, change);
}

CARDAN_EVERY_PROCESSOR void take_rows_8(std::span<const int> rows,
                                        const double* weights,
                                        const double* fresh,
                                        double* rates,
                                        StageSizes& change) {
  take_rows<8>(rows, weights, fresh, rates, change);
}

CARDAN_EVERY_PROCESSOR void project_rows_4(const double* weights,
                                           std::size_t count,
                                           const double* columns,
                                           const double* rates,
                                           double* sums,
                                           StageSizes& sizes) {
  project_rows<4>(weights, count, columns, rates, sums, sizes);
}

CARDAN_EVERY_PROCESSOR void project_rows_8(const double* weights,
                                           std::size_t count,
                                           const double* columns,
                                           const double* rates,
                                           double* sums,
                                           StageSizes& sizes) {
  project_rows<8>(weights, count, columns, rates, sums, sizes);
}

}  // namespace

bool all_finite(CView x) {
  return zero_if_finite(x.data(), x.size()) == 0;
}

void add_stages(
    int width, std::span<const int> rows, CView base, CView columns, CView rates, View out) {
  (width == 8 ? add_rows_8 : add_rows_4)(
      rows, base.data(), columns.data(), rates.data(), out.data());
}

void sum_stages(
    int width, std::span<const int> rows, CView columns, CView rates, View out, bool fresh) {
  (width == 8 ? sum_rows_8 : sum_rows_4)(rows, columns.data(), rates.data(), out.data(), fresh);
}

void take_rates(int width,
                std::span<const int> rows,
                CView weights,
                CView fresh,
                View rates,
                StageSizes& change) {
  (width == 8 ? take_rows_8 : take_rows_4)(
      rows, weights.data(), fresh.data(), rates.data(), change);
}

void project_rates(
    int width, CView weights, CView columns, CView rates, View sums, StageSizes& sizes) {
  (width == 8 ? project_rows_8 : project_rows_4)(
      weights.data(), weights.size(), columns.data(), rates.data(), sums.data(), sizes);
}

}  // namespace cardan
