#include "cardan/math/pattern.h"

#include <algorithm>
#include <stdexcept>

namespace cardan {

int Pattern::add_block(int size) {
  if (size <= 0) throw std::invalid_argument("Pattern: a block needs at least one row");
  size_.push_back(size);
  start_.push_back(start_.back() + size);
  return static_cast<int>(size_.size()) - 1;
}

void Pattern::couple(int row_block, int column_block) {
  if (row_block < 0 || column_block < 0) return;  // the ground
  const auto count = static_cast<int>(size_.size());
  if (row_block >= count || column_block >= count)
    throw std::invalid_argument("Pattern: no such block");
  entries_.push_back({column_block, row_block});
}

void Pattern::finish(Storage storage) {
  storage_ = storage;
  std::sort(entries_.begin(), entries_.end());
  entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  first_.assign(size_.size() + 1, 0);
  for (const auto& e : entries_) ++first_[static_cast<std::size_t>(e.column) + 1];
  for (std::size_t b = 0; b < size_.size(); ++b) first_[b + 1] += first_[b];
  if (storage == Storage::dense)
    place_dense();
  else
    place_sparse();
}

void Pattern::place_dense() {
  value_count_ = static_cast<std::int64_t>(size()) * size();
  slots_.clear();
  for (const auto& e : entries_)
    slots_.push_back({start(e.row) + static_cast<std::int64_t>(start(e.column)) * size(), size()});
}

// All columns of a block column have the same rows, so that the step from one to the next is their
// common height.
void Pattern::place_sparse() {
  value_count_ = 0;
  slots_.clear();
  rows_.clear();
  columns_.clear();
  for (std::size_t b = 0; b < size_.size(); ++b) {
    const auto column = std::span(entries_).subspan(first_[b], first_[b + 1] - first_[b]);
    int height = 0;
    for (const auto& e : column) {
      slots_.push_back({value_count_ + height, 0});
      height += size_[static_cast<std::size_t>(e.row)];
    }
    for (std::size_t k = first_[b]; k < first_[b + 1]; ++k) slots_[k].stride = height;
    for (int c = 0; c < size_[b]; ++c) {
      columns_.push_back(value_count_);
      for (const auto& e : column)
        for (int r = 0; r < size_[static_cast<std::size_t>(e.row)]; ++r)
          rows_.push_back(start(e.row) + r);
      value_count_ += height;
    }
  }
  columns_.push_back(value_count_);
}

Slot Pattern::slot(int row_block, int column_block) const {
  if (row_block < 0 || column_block < 0) return {};
  if (first_.empty() || column_block >= static_cast<int>(size_.size()))
    throw std::logic_error("Pattern: no such block");
  const auto column = static_cast<std::size_t>(column_block);
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first_[column]);
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(first_[column + 1]);
  const Entry wanted{column_block, row_block};
  const auto found = std::lower_bound(begin, end, wanted);
  if (found == end || *found != wanted)
    throw std::logic_error("Pattern: this coupling was not declared");
  return slots_[static_cast<std::size_t>(found - entries_.begin())];
}

}  // namespace cardan
