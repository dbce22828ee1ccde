#include "cardan/math/block_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include <amd.h>

namespace cardan {

namespace {

// Elimination order of the block graph by approximate minimum degree.
std::vector<int> minimum_degree(int n, const std::vector<std::vector<int>>& neighbours) {
  std::vector<int> start(1, 0), index, order(static_cast<std::size_t>(n));
  for (const auto& list : neighbours) {
    index.insert(index.end(), list.begin(), list.end());
    start.push_back(static_cast<int>(index.size()));
  }
  std::iota(order.begin(), order.end(), 0);
  if (!index.empty() &&
      amd_order(n, start.data(), index.data(), order.data(), nullptr, nullptr) < AMD_OK)
    throw std::runtime_error("ordering of the constraint graph failed");
  return order;
}

// target (rows x columns) -= a (rows x K) b (columns x K)^T, all column-major.
template <int R, int C, int K>
inline void subtract_product(double* target, const double* a, const double* b) {
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < R; ++r) {
      double sum = target[c * R + r];
      for (int k = 0; k < K; ++k) sum -= a[k * R + r] * b[k * C + c];
      target[c * R + r] = sum;
    }
}

void subtract_product(
    double* target, const double* a, const double* b, int rows, int columns, int inner) {
  if (rows == 2 && columns == 2 && inner == 2) return subtract_product<2, 2, 2>(target, a, b);
  if (rows == 1 && columns == 1 && inner == 1) return subtract_product<1, 1, 1>(target, a, b);
  if (rows == 3 && columns == 3 && inner == 3) return subtract_product<3, 3, 3>(target, a, b);
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < inner; ++k) target[c * rows + r] -= a[k * rows + r] * b[k * columns + c];
}

}  // namespace

void BlockCholesky::analyze(std::vector<int> sizes, std::vector<std::pair<int, int>> couplings) {
  sizes_ = std::move(sizes);
  const int n = static_cast<int>(sizes_.size());
  std::vector<std::vector<int>> neighbours(sizes_.size());
  for (const auto& [i, j] : couplings) {
    if (i == j) continue;
    neighbours[static_cast<std::size_t>(i)].push_back(j);
    neighbours[static_cast<std::size_t>(j)].push_back(i);
  }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  order_ = minimum_degree(n, neighbours);
  position_.assign(sizes_.size(), 0);
  for (int k = 0; k < n; ++k)
    position_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])] = k;
  start_.assign(1, 0);
  for (const int s : sizes_) start_.push_back(start_.back() + s);

  // Structure of every column of L: its own neighbours and those of its children in the elimination
  // tree.
  std::vector<std::vector<int>> below(sizes_.size());
  std::vector<std::vector<int>> children(sizes_.size());
  for (int k = 0; k < n; ++k) {
    auto& rows = below[static_cast<std::size_t>(k)];
    for (const int j : neighbours[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])])
      if (position_[static_cast<std::size_t>(j)] > k)
        rows.push_back(position_[static_cast<std::size_t>(j)]);
    for (const int child : children[static_cast<std::size_t>(k)])
      for (const int r : below[static_cast<std::size_t>(child)])
        if (r > k) rows.push_back(r);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (!rows.empty()) children[static_cast<std::size_t>(rows.front())].push_back(k);
  }

  // Storage: diagonal block, then the panels below it, column after column.
  columns_.clear();
  panels_.clear();
  panel_block_.clear();
  updates_.clear();
  scalar_of_.clear();
  int start = 0;
  std::int64_t offset = 0;
  std::vector<int> eliminated_start(sizes_.size());
  const auto size_at = [&](int k) {
    return sizes_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])];
  };
  for (int k = 0; k < n; ++k) {
    eliminated_start[static_cast<std::size_t>(k)] = start;
    const int block = order_[static_cast<std::size_t>(k)];
    for (int r = 0; r < size_at(k); ++r)
      scalar_of_.push_back(start_[static_cast<std::size_t>(block)] + r);
    start += size_at(k);
  }
  for (int k = 0; k < n; ++k) {
    Column column{eliminated_start[static_cast<std::size_t>(k)],
                  size_at(k),
                  static_cast<int>(offset),
                  static_cast<int>(panels_.size()),
                  0,
                  0,
                  0};
    offset += std::int64_t{size_at(k)} * size_at(k);
    for (const int i : below[static_cast<std::size_t>(k)]) {
      panels_.push_back(
          {eliminated_start[static_cast<std::size_t>(i)], size_at(i), static_cast<int>(offset)});
      panel_block_.push_back(i);
      offset += std::int64_t{size_at(i)} * size_at(k);
    }
    if (offset > INT32_MAX) throw std::length_error("the constraint matrix is too full to factor");
    column.panel_count = static_cast<int>(panels_.size()) - column.first_panel;
    columns_.push_back(column);
  }
  values_.assign(static_cast<std::size_t>(offset), 0.0);
  inverse_diagonal_.assign(static_cast<std::size_t>(start), 0.0);
  diagonal_ = work_ = inverse_diagonal_;

  const auto stored = [&](int i, int j) {  // eliminated blocks i > j
    const Column& column = columns_[static_cast<std::size_t>(j)];
    const auto first = panel_block_.begin() + column.first_panel;
    const auto at = std::lower_bound(first, first + column.panel_count, i);
    return panels_[static_cast<std::size_t>(at - panel_block_.begin())].offset;
  };
  for (auto& column : columns_) {
    column.first_update = static_cast<int>(updates_.size());
    for (int b = 0; b < column.panel_count; ++b)
      for (int a = b; a < column.panel_count; ++a) {
        const auto pa = static_cast<std::size_t>(column.first_panel + a),
                   pb = static_cast<std::size_t>(column.first_panel + b);
        const int target = a == b ? columns_[static_cast<std::size_t>(panel_block_[pa])].offset
                                  : stored(panel_block_[pa], panel_block_[pb]);
        updates_.push_back(
            {target, panels_[pa].offset, panels_[pb].offset, panels_[pa].rows, panels_[pb].rows});
      }
    column.update_count = static_cast<int>(updates_.size()) - column.first_update;
  }
}

BlockCholesky::Place BlockCholesky::place(int i, int j) const {
  const int pi = position_[static_cast<std::size_t>(i)],
            pj = position_[static_cast<std::size_t>(j)];
  if (pi == pj)
    return {
        columns_[static_cast<std::size_t>(pi)].offset, sizes_[static_cast<std::size_t>(i)], false};
  const bool transposed = pi < pj;
  const Column& column = columns_[static_cast<std::size_t>(std::min(pi, pj))];
  const auto first = panel_block_.begin() + column.first_panel, last = first + column.panel_count;
  const auto at = std::lower_bound(first, last, std::max(pi, pj));
  if (at == last || *at != std::max(pi, pj))
    throw std::logic_error("BlockCholesky::place of an undeclared coupling");
  const Panel& panel = panels_[static_cast<std::size_t>(at - panel_block_.begin())];
  return {panel.offset, panel.rows, transposed};
}

void BlockCholesky::clear() {
  std::fill(values_.begin(), values_.end(), 0.0);
}

void BlockCholesky::factor_diagonal(const Column& column, double tolerance, Pivots& pivots) {
  const int n = column.size;
  double* S = values_.data() + column.offset;
  for (int c = 0; c < n; ++c) {
    double pivot = S[c * n + c];
    for (int k = 0; k < c; ++k) pivot -= S[k * n + c] * S[k * n + c];
    const auto scalar = static_cast<std::size_t>(column.start + c);
    const double ratio = pivot / diagonal_[scalar];
    if (!(ratio >= pivots.ratio)) {
      pivots.ratio = ratio;
      pivots.worst = scalar_of_[scalar];
    }
    const bool dependent = !(ratio > tolerance);
    pivots.skipped += dependent ? 1 : 0;
    inverse_diagonal_[scalar] = dependent ? 0.0 : 1 / std::sqrt(pivot);
    S[c * n + c] = dependent ? 0.0 : std::sqrt(pivot);
    for (int r = c + 1; r < n; ++r) {
      double sum = S[c * n + r];
      for (int k = 0; k < c; ++k) sum -= S[k * n + r] * S[k * n + c];
      S[c * n + r] = sum * inverse_diagonal_[scalar];
    }
  }
}

BlockCholesky::Pivots BlockCholesky::factor(double tolerance) {
  Pivots pivots;
  for (const Column& column : columns_)
    for (int c = 0; c < column.size; ++c)
      diagonal_[static_cast<std::size_t>(column.start + c)] =
          values_[static_cast<std::size_t>(column.offset + c * column.size + c)];
  for (const Column& column : columns_) {
    factor_diagonal(column, tolerance, pivots);
    const int n = column.size;
    const double* L = values_.data() + column.offset;
    const double* inverse = inverse_diagonal_.data() + column.start;
    for (int p = column.first_panel; p < column.first_panel + column.panel_count; ++p) {
      const Panel& panel = panels_[static_cast<std::size_t>(p)];
      double* B = values_.data() + panel.offset;
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < panel.rows; ++r) {
          double sum = B[c * panel.rows + r];
          for (int k = 0; k < c; ++k) sum -= B[k * panel.rows + r] * L[k * n + c];
          B[c * panel.rows + r] = sum * inverse[c];
        }
    }
    for (int u = column.first_update; u < column.first_update + column.update_count; ++u) {
      const Update& update = updates_[static_cast<std::size_t>(u)];
      double* v = values_.data();
      subtract_product(
          v + update.target, v + update.a, v + update.b, update.rows, update.columns, n);
    }
  }
  return pivots;
}

bool BlockCholesky::skipped(int scalar) const {
  const auto block = static_cast<std::size_t>(
      std::upper_bound(start_.begin(), start_.end(), scalar) - start_.begin() - 1);
  const Column& column = columns_[static_cast<std::size_t>(position_[block])];
  return inverse_diagonal_[static_cast<std::size_t>(column.start + scalar - start_[block])] == 0;
}

void BlockCholesky::solve(View x) const {
  double* w = work_.data();
  for (std::size_t s = 0; s < scalar_of_.size(); ++s)
    w[s] = x[static_cast<std::size_t>(scalar_of_[s])];
  for (const Column& column : columns_) {
    const int n = column.size;
    const double* L = values_.data() + column.offset;
    double* wk = w + column.start;
    for (int c = 0; c < n; ++c) {
      for (int k = 0; k < c; ++k) wk[c] -= L[k * n + c] * wk[k];
      wk[c] *= inverse_diagonal_[static_cast<std::size_t>(column.start + c)];
    }
    for (int p = column.first_panel; p < column.first_panel + column.panel_count; ++p) {
      const Panel& panel = panels_[static_cast<std::size_t>(p)];
      const double* B = values_.data() + panel.offset;
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < panel.rows; ++r)
          w[panel.row_start + r] -= B[c * panel.rows + r] * wk[c];
    }
  }
  for (auto column = columns_.rbegin(); column != columns_.rend(); ++column) {
    const int n = column->size;
    const double* L = values_.data() + column->offset;
    double* wk = w + column->start;
    for (int p = column->first_panel; p < column->first_panel + column->panel_count; ++p) {
      const Panel& panel = panels_[static_cast<std::size_t>(p)];
      const double* B = values_.data() + panel.offset;
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < panel.rows; ++r)
          wk[c] -= B[c * panel.rows + r] * w[panel.row_start + r];
    }
    for (int c = n - 1; c >= 0; --c) {
      for (int k = c + 1; k < n; ++k) wk[c] -= L[c * n + k] * wk[k];
      wk[c] *= inverse_diagonal_[static_cast<std::size_t>(column->start + c)];
    }
  }
  for (std::size_t s = 0; s < scalar_of_.size(); ++s)
    x[static_cast<std::size_t>(scalar_of_[s])] = w[s];
}

}  // namespace cardan
