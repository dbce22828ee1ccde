#pragma once
// Sums over the stages of a method whose stages stand side by side: row i of a list has the numbers
// of component i, `width` of them (4 or 8), at [i * width].
#include <span>

#include "cardan/math/types.h"

namespace cardan {

bool all_finite(CView x);

// For every row given: out_i = base_i + sum_j rates_ij column_j, with `width` columns of `width`
// numbers one behind the other. One number of the base for every row.
void add_stages(
    int width, std::span<const int> rows, CView base, CView columns, CView rates, View out);

// The same with out_i itself as the base; `fresh`: with zero.
void sum_stages(
    int width, std::span<const int> rows, CView columns, CView rates, View out, bool fresh);

struct StageSizes {  // by stage or by column
  double largest[8], squares[8];
};

// How far the rows given have changed, multiplied with the weights of their components; `rates` then
// has the new ones.
void take_rates(int width,
                std::span<const int> rows,
                CView weights,
                CView fresh,
                View rates,
                StageSizes& change);

// sums: first column of rates_i times the columns, by row; sizes: of all columns over all rows, weighted.
void project_rates(
    int width, CView weights, CView columns, CView rates, View sums, StageSizes& sizes);

}  // namespace cardan
