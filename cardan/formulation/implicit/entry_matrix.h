#pragma once
// A sparse matrix put together from entries of others, with one pattern and many values: entry k is
// factor times number `index` of source `source`, added at (row, column). Columns of unknowns and
// rows of equations may be anything.
#include <memory>
#include <span>
#include <vector>

#include "cardan/math/sparse_lu.h"

namespace cardan {

class EntryMatrix {
 public:
  void add(int source, int index, int row, int column, double factor) {
    entries_.push_back({source, index, row, column, factor});
  }

  void finish(int size);  // the pattern; no entries after this

  bool finished() const { return order_ != nullptr; }

  // With the values of all sources. False: singular.
  [[nodiscard]] bool factor(std::span<const double* const> sources);

  void solve(double* x) const { lu_->solve(x); }

 private:
  struct Entry {
    int source, index, row, column;
    double factor;
  };

  std::vector<Entry> entries_;
  std::vector<int> place_;  // of each entry among the values
  std::vector<double> values_;
  std::unique_ptr<SparseOrder> order_;
  std::unique_ptr<SparseLu<double>> lu_;
};

}  // namespace cardan
