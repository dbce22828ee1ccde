#include "cardan/math/block_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include <amd.h>

namespace cardan {

namespace {

using Lists = std::vector<std::vector<int>>;

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

void sort_unique(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Elimination order of the block graph by approximate minimum degree.
std::vector<int> minimum_degree(int n, const Lists& neighbours) {
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

Lists neighbours_of(std::size_t n, const std::vector<std::pair<int, int>>& couplings) {
  Lists neighbours(n);
  for (const auto& [i, j] : couplings) {
    if (i == j) continue;
    neighbours[at(i)].push_back(j);
    neighbours[at(j)].push_back(i);
  }
  for (auto& list : neighbours) sort_unique(list);
  return neighbours;
}

// Structure of every column of L: its own neighbours and those of its children in the elimination
// tree.
Lists fill_of(const Lists& neighbours,
              const std::vector<int>& order,
              const std::vector<int>& position) {
  Lists below(order.size()), children(order.size());
  for (int k = 0; k < static_cast<int>(order.size()); ++k) {
    auto& rows = below[at(k)];
    for (const int j : neighbours[at(order[at(k)])])
      if (position[at(j)] > k) rows.push_back(position[at(j)]);
    for (const int child : children[at(k)])
      for (const int r : below[at(child)])
        if (r > k) rows.push_back(r);
    sort_unique(rows);
    if (!rows.empty()) children[at(rows.front())].push_back(k);
  }
  return below;
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

BlockPlan::BlockPlan(std::vector<int> sizes, const std::vector<std::pair<int, int>>& couplings)
    : sizes_(std::move(sizes)) {
  const Lists neighbours = neighbours_of(sizes_.size(), couplings);
  order_ = minimum_degree(static_cast<int>(sizes_.size()), neighbours);
  position_.assign(sizes_.size(), 0);
  for (std::size_t k = 0; k < order_.size(); ++k) position_[at(order_[k])] = static_cast<int>(k);
  start_.assign(1, 0);
  for (const int s : sizes_) start_.push_back(start_.back() + s);
  lay_out(fill_of(neighbours, order_, position_));
  schedule();
}

// Storage: diagonal block, then the panels below it, column after column.
void BlockPlan::lay_out(const std::vector<std::vector<int>>& below) {
  const auto size_at = [&](int k) {
    return sizes_[at(order_[at(k)])];
  };
  std::vector<int> eliminated_start;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    eliminated_start.push_back(static_cast<int>(scalar_of_.size()));
    for (int r = 0; r < size_at(static_cast<int>(k)); ++r)
      scalar_of_.push_back(start_[at(order_[k])] + r);
  }
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const int size = size_at(static_cast<int>(k));
    Column column{eliminated_start[k],
                  size,
                  static_cast<int>(offset),
                  static_cast<int>(panels_.size()),
                  0,
                  0,
                  0};
    offset += std::int64_t{size} * size;
    for (const int i : below[k]) {
      panels_.push_back({eliminated_start[at(i)], size_at(i), static_cast<int>(offset)});
      panel_block_.push_back(i);
      offset += std::int64_t{size_at(i)} * size;
    }
    if (offset > INT32_MAX) throw std::length_error("the constraint matrix is too full to factor");
    column.panel_count = static_cast<int>(panels_.size()) - column.first_panel;
    columns_.push_back(column);
  }
  value_count_ = static_cast<int>(offset);
}

void BlockPlan::schedule() {
  for (auto& column : columns_) {
    column.first_update = static_cast<int>(updates_.size());
    for (int b = 0; b < column.panel_count; ++b)
      for (int a = b; a < column.panel_count; ++a) {
        const std::size_t pa = at(column.first_panel + a), pb = at(column.first_panel + b);
        const int target = a == b ? columns_[at(panel_block_[pa])].offset
                                  : panels_[panel_at(panel_block_[pa], panel_block_[pb])].offset;
        updates_.push_back(
            {target, panels_[pa].offset, panels_[pb].offset, panels_[pa].rows, panels_[pb].rows});
      }
    column.update_count = static_cast<int>(updates_.size()) - column.first_update;
  }
}

// Index of the stored block (row, column) in eliminated order, row > column.
std::size_t BlockPlan::panel_at(int row, int column) const {
  const Column& c = columns_[at(column)];
  const auto first = panel_block_.begin() + c.first_panel, last = first + c.panel_count;
  const auto found = std::lower_bound(first, last, row);
  if (found == last || *found != row)
    throw std::logic_error("BlockCholesky: a coupling that was not declared");
  return static_cast<std::size_t>(found - panel_block_.begin());
}

BlockPlan::Place BlockPlan::place(int i, int j) const {
  const int pi = position_[at(i)], pj = position_[at(j)];
  if (pi == pj) return {columns_[at(pi)].offset, sizes_[at(i)], false};
  const Panel& panel = panels_[panel_at(std::max(pi, pj), std::min(pi, pj))];
  return {panel.offset, panel.rows, pi < pj};
}

BlockCholesky::BlockCholesky(std::shared_ptr<const BlockPlan> plan)
    : plan_(std::move(plan)),
      values_(plan_->fill(), 0.0),
      inverse_diagonal_(plan_->scalar_of_.size(), 0.0),
      diagonal_(inverse_diagonal_),
      work_(inverse_diagonal_) {}

void BlockCholesky::analyze(std::vector<int> sizes,
                            const std::vector<std::pair<int, int>>& couplings) {
  *this = BlockCholesky(std::make_shared<const BlockPlan>(std::move(sizes), couplings));
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
      pivots.worst = plan_->scalar_of_[scalar];
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
  for (const Column& column : plan_->columns_)
    for (int c = 0; c < column.size; ++c)
      diagonal_[static_cast<std::size_t>(column.start + c)] =
          values_[static_cast<std::size_t>(column.offset + c * column.size + c)];
  for (const Column& column : plan_->columns_) {
    factor_diagonal(column, tolerance, pivots);
    const int n = column.size;
    const double* L = values_.data() + column.offset;
    const double* inverse = inverse_diagonal_.data() + column.start;
    for (int p = column.first_panel; p < column.first_panel + column.panel_count; ++p) {
      const Panel& panel = plan_->panels_[static_cast<std::size_t>(p)];
      double* B = values_.data() + panel.offset;
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < panel.rows; ++r) {
          double sum = B[c * panel.rows + r];
          for (int k = 0; k < c; ++k) sum -= B[k * panel.rows + r] * L[k * n + c];
          B[c * panel.rows + r] = sum * inverse[c];
        }
    }
    for (int u = column.first_update; u < column.first_update + column.update_count; ++u) {
      const Update& update = plan_->updates_[static_cast<std::size_t>(u)];
      double* v = values_.data();
      subtract_product(
          v + update.target, v + update.a, v + update.b, update.rows, update.columns, n);
    }
  }
  return pivots;
}

bool BlockCholesky::skipped(int scalar) const {
  const auto block = static_cast<std::size_t>(
      std::upper_bound(plan_->start_.begin(), plan_->start_.end(), scalar) - plan_->start_.begin() -
      1);
  const Column& column = plan_->columns_[static_cast<std::size_t>(plan_->position_[block])];
  return inverse_diagonal_[static_cast<std::size_t>(column.start + scalar -
                                                    plan_->start_[block])] == 0;
}

void BlockCholesky::solve(View x) const {
  double* w = work_.data();
  for (std::size_t s = 0; s < plan_->scalar_of_.size(); ++s) w[s] = x[at(plan_->scalar_of_[s])];
  for (const Column& column : plan_->columns_) forward(column, w);
  for (auto column = plan_->columns_.rbegin(); column != plan_->columns_.rend(); ++column)
    backward(*column, w);
  for (std::size_t s = 0; s < plan_->scalar_of_.size(); ++s) x[at(plan_->scalar_of_[s])] = w[s];
}

void BlockCholesky::forward(const Column& column, double* w) const {
  const int n = column.size;
  const double* L = values_.data() + column.offset;
  double* wk = w + column.start;
  for (int c = 0; c < n; ++c) {
    for (int k = 0; k < c; ++k) wk[c] -= L[k * n + c] * wk[k];
    wk[c] *= inverse_diagonal_[at(column.start + c)];
  }
  for (int p = column.first_panel; p < column.first_panel + column.panel_count; ++p) {
    const Panel& panel = plan_->panels_[at(p)];
    const double* B = values_.data() + panel.offset;
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < panel.rows; ++r) w[panel.row_start + r] -= B[c * panel.rows + r] * wk[c];
  }
}

void BlockCholesky::backward(const Column& column, double* w) const {
  const int n = column.size;
  const double* L = values_.data() + column.offset;
  double* wk = w + column.start;
  for (int p = column.first_panel; p < column.first_panel + column.panel_count; ++p) {
    const Panel& panel = plan_->panels_[at(p)];
    const double* B = values_.data() + panel.offset;
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < panel.rows; ++r) wk[c] -= B[c * panel.rows + r] * w[panel.row_start + r];
  }
  for (int c = n - 1; c >= 0; --c) {
    for (int k = c + 1; k < n; ++k) wk[c] -= L[c * n + k] * wk[k];
    wk[c] *= inverse_diagonal_[at(column.start + c)];
  }
}

}  // namespace cardan
