#include <cstring>

#include <fmt/format.h>

#include "cardan/results/run_reader.h"

namespace cardan {

RowCursor::RowCursor(const RunReader& reader, int segment)
    : reader_(reader),
      segment_(segment),
      width_(reader.segments_.at(static_cast<std::size_t>(segment)).channels.size() + 1),
      blocks_(reader.database_,
              "SELECT first, rows, checksum, data FROM block WHERE analysis = ? ORDER BY number") {
  blocks_.bind(static_cast<std::int64_t>(segment));
}

bool RowCursor::next_block() {
  const auto& expected = reader_.segments_[static_cast<std::size_t>(segment_)];
  if (!blocks_.row()) {
    if (!blocks_.done())
      fault_ = reader_.fault();
    else if (rows_ != expected.rows)
      fault_ = reader_.damaged("samples are missing");
    return false;
  }
  const run_schema::Block block{segment_, blocks_.integer(0), blocks_.integer(1)};
  const auto data = blocks_.blob(3);
  if (block.first != rows_ || !run_schema::fits(data.size(), block.rows, width_) ||
      !run_schema::agrees(blocks_.integer(2), block, data)) {
    fault_ = reader_.damaged(
        fmt::format("the samples from row {} do not agree with their checksum", rows_));
    return false;
  }
  block_.resize(data.size() / sizeof(double));
  std::memcpy(block_.data(), data.data(), data.size());
  rows_ += block.rows;
  at_ = 0;
  return true;
}

bool RowCursor::next(double& t, std::span<double> row) {
  while (!fault_ && at_ == block_.size())
    if (!next_block()) return false;
  if (fault_) return false;
  t = block_[at_];
  std::memcpy(row.data(), &block_[at_ + 1], (width_ - 1) * sizeof(double));
  at_ += width_;
  return true;
}

}  // namespace cardan
