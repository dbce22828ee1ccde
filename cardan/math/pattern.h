#pragma once
// Where a block of a matrix lives: (offset, stride) into one array of values. The same pair
// addresses a column-major dense matrix, a compressed-column matrix whose columns in a block share
// their rows, and a packed list of blocks, so element code cannot know which it writes to.
#include <cstdint>
#include <span>
#include <vector>

#include "cardan/math/types.h"

namespace cardan {

struct Slot {
  std::int64_t offset = -1;  // negative: not stored (the ground's columns)
  int stride = 0;            // from one column of the block to the next

  explicit operator bool() const { return offset >= 0; }
};

// Values to write to, and one slot per block in the order the writer documents.
struct Blocks {
  double* values = nullptr;
  std::span<const Slot> slots;
};

template <int R, int C> auto block_at(double* values, Slot s) {
  using M = Mat<R, C>;
  if constexpr (R == 1)  // Eigen keeps row vectors row-major: the step between columns is their
                         // inner stride
    return Eigen::Map<M, 0, Eigen::InnerStride<>>(values + s.offset,
                                                  Eigen::InnerStride<>(s.stride));
  else
    return Eigen::Map<M, 0, Eigen::OuterStride<>>(values + s.offset,
                                                  Eigen::OuterStride<>(s.stride));
}

enum class Storage { dense, sparse };

// Symbolic structure of a square block matrix: declare blocks and couplings, finish once, then ask
// for slots.
class Pattern {
 public:
  int add_block(int size);
  void couple(int row_block, int column_block);  // negative: the ground, which has no block
  void finish(Storage);

  int size() const { return start_.back(); }

  int start(int block) const { return start_[static_cast<std::size_t>(block)]; }

  // Of a declared coupling; of the ground, the empty slot. Throws std::logic_error when it was not
  // declared.
  Slot slot(int row_block, int column_block) const;

  std::int64_t value_count() const { return value_count_; }

  // Compressed columns, when sparse.
  const std::vector<std::int64_t>& columns() const { return columns_; }

  const std::vector<std::int64_t>& rows() const { return rows_; }

 private:
  void place_dense();
  void place_sparse();

  struct Entry {
    int column, row;
    auto operator<=>(const Entry&) const = default;
  };

  Storage storage_ = Storage::dense;
  std::vector<int> size_, start_{0};
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> first_;
  std::vector<std::int64_t> columns_, rows_;
  std::int64_t value_count_ = 0;
};

}  // namespace cardan
