#include "cardan/formulation/implicit/block_matrix.h"

#include <algorithm>

namespace cardan {

namespace {

std::size_t block_index(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

BlockMatrix::BlockMatrix(const std::vector<int>& sizes) : kept_(sizes.size()) {
  for (const int size : sizes) start_.push_back(start_.back() + size);
}

void BlockMatrix::leave_out(int group, const std::vector<char>& kept) {
  kept_[block_index(group)] = kept;
}

// An entry of a row or column that is left out has no place.
BlockMatrix::Entry BlockMatrix::entry(int row_group, int row, int column_group, int column) const {
  const auto &rows = kept_[block_index(row_group)], &columns = kept_[block_index(column_group)];
  if ((!rows.empty() && rows[block_index(row)] == 0) ||
      (!columns.empty() && columns[block_index(column)] == 0))
    return {-1, -1};
  return {start(column_group) + column, start(row_group) + row};
}

int BlockMatrix::note(std::vector<Entry> entries) {
  declared_.push_back(std::move(entries));
  return static_cast<int>(declared_.size()) - 1;
}

int BlockMatrix::add(int row, int column, const Matrix& A, As as) {
  std::vector<Entry> entries;
  for (int c = 0; c < A.cols(); ++c)
    for (int k = A.outerIndexPtr()[c]; k < A.outerIndexPtr()[c + 1]; ++k) {
      const int r = A.innerIndexPtr()[k];
      entries.push_back(as == As::given ? entry(row, r, column, c) : entry(row, c, column, r));
    }
  return note(std::move(entries));
}

int BlockMatrix::add_entries(int row, int column, std::vector<int> rows, std::vector<int> columns) {
  std::vector<Entry> entries;
  for (std::size_t k = 0; k < rows.size(); ++k)
    entries.push_back(entry(row, rows[k], column, columns[k]));
  return note(std::move(entries));
}

int BlockMatrix::add_identity(int row, int column) {
  const int n = start(row + 1) - start(row);
  std::vector<int> diagonal(block_index(n));
  for (int k = 0; k < n; ++k) diagonal[block_index(k)] = k;
  return add_entries(row, column, diagonal, diagonal);
}

void BlockMatrix::finish() {
  std::vector<Entry> all;
  for (const auto& term : declared_)
    std::copy_if(term.begin(), term.end(), std::back_inserter(all), [](const Entry& e) {
      return e.column >= 0;
    });
  std::vector<Entry> ones;
  for (std::size_t g = 0; g < kept_.size(); ++g)
    for (std::size_t k = 0; k < kept_[g].size(); ++k)
      if (kept_[g][k] == 0) {
        const int at = start_[g] + static_cast<int>(k);
        ones.push_back({at, at});
      }
  all.insert(all.end(), ones.begin(), ones.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  columns_.assign(block_index(size() + 1), 0);
  for (const Entry& e : all) {
    rows_.push_back(e.row);
    ++columns_[block_index(e.column + 1)];
  }
  for (std::size_t c = 1; c < columns_.size(); ++c) columns_[c] += columns_[c - 1];
  const auto find = [&](const Entry& e) {
    if (e.column < 0) return -1;
    return static_cast<int>(std::lower_bound(all.begin(), all.end(), e) - all.begin());
  };
  for (const auto& term : declared_) {
    std::vector<int>& to = terms_.emplace_back();
    for (const Entry& e : term) to.push_back(find(e));
  }
  for (const Entry& e : ones) ones_.push_back(find(e));
  declared_.clear();
  order_ = std::make_unique<SparseOrder>(size(), columns_, rows_);
}

template <class T> void BlockFactor<T>::clear() {
  std::fill(values_.begin(), values_.end(), T(0));
  for (const int k : matrix_.ones()) values_[block_index(k)] = T(1);
}

template <class T> template <class Value> void BlockFactor<T>::add(int term, Value&& value) {
  const std::vector<int>& to = matrix_.term(term);
  for (std::size_t k = 0; k < to.size(); ++k)
    if (to[k] >= 0) values_[block_index(to[k])] += value(k);
}

template <class T> void BlockFactor<T>::put(int term, T factor, const BlockMatrix::Matrix& A) {
  add(term, [&](std::size_t k) { return factor * A.valuePtr()[k]; });
}

template <class T> void BlockFactor<T>::put(int term, T factor, const std::vector<double>& values) {
  add(term, [&](std::size_t k) { return factor * values[k]; });
}

template <class T> void BlockFactor<T>::put(int term, T value) {
  add(term, [&](std::size_t) { return value; });
}

template class BlockFactor<double>;
template class BlockFactor<std::complex<double>>;

}  // namespace cardan
