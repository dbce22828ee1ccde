#include "cardan/formulation/implicit/entry_matrix.h"

#include <algorithm>
#include <numeric>

namespace cardan {

void EntryMatrix::finish(int size) {
  std::vector<std::size_t> sorted(entries_.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t i, std::size_t j) {
    const Entry &a = entries_[i], &b = entries_[j];
    return a.column != b.column ? a.column < b.column : a.row < b.row;
  });
  std::vector<int> columns(static_cast<std::size_t>(size) + 1, 0), rows;
  place_.resize(entries_.size());
  int row = -1, column = -1;
  for (const std::size_t k : sorted) {
    const Entry& entry = entries_[k];
    if (entry.row != row || entry.column != column) {
      row = entry.row;
      column = entry.column;
      rows.push_back(row);
      ++columns[static_cast<std::size_t>(column) + 1];
    }
    place_[k] = static_cast<int>(rows.size()) - 1;
  }
  std::partial_sum(columns.begin(), columns.end(), columns.begin());
  values_.resize(rows.size());
  order_ = std::make_unique<SparseOrder>(size, std::move(columns), std::move(rows));
  lu_ = std::make_unique<SparseLu<double>>(*order_);
}

bool EntryMatrix::factor(std::span<const double* const> sources) {
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const Entry& entry = entries_[k];
    values_[static_cast<std::size_t>(place_[k])] +=
        entry.factor * sources[static_cast<std::size_t>(entry.source)][entry.index];
  }
  return lu_->factor(values_.data());
}

}  // namespace cardan
