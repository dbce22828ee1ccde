// The estimated errors beside the samples of a run store: written after the samples, block by
// block, and read like them.
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "cardan/results/faults.h"
#include "cardan/results/run_reader.h"
#include "cardan/results/run_writer.h"

namespace cardan {

Sink::Fault RunWriter::keep() {
  if (fault_) return fault_;
  if (Fault fault = store_block()) return fault;
  if (Fault fault = commit()) return fault;
  return begin();
}

Sink::Fault RunWriter::estimate(int analysis, std::span<const double> row) {
  if (fault_) return fault_;
  const auto bytes = static_cast<std::int64_t>((estimates_.size() + row.size()) * sizeof(double));
  if (analysis != estimate_analysis_ || bytes > run_schema::block_bytes)
    if (Fault fault = store_estimates()) return fault;
  if (analysis != estimate_analysis_) estimate_analysis_ = analysis, estimate_first_ = 0;
  estimates_.insert(estimates_.end(), row.begin(), row.end());
  ++estimate_rows_;
  return {};
}

Sink::Fault RunWriter::store_estimates() {
  if (estimate_rows_ == 0) return {};
  const run_schema::Block block{estimate_analysis_, estimate_first_, estimate_rows_};
  const auto data = std::as_bytes(std::span<const double>(estimates_));
  const std::int64_t sum = run_schema::checksum_of(block, data);
  const std::int64_t number = contents_.estimates.rows();
  Statement insert(database_, "INSERT INTO estimate VALUES(?, ?, ?, ?, ?, ?)");
  insert.bind(number).bind(block.analysis).bind(block.first).bind(block.rows);
  if (!insert.bind(sum).bind(data).run()) return fail();
  contents_.estimates.add(run_schema::row_sum(number, block, sum));
  estimate_first_ += estimate_rows_;
  estimate_rows_ = 0;
  estimates_.clear();
  return {};
}

bool RunReader::has_estimate(int segment) const {
  if (database_.number("SELECT count(*) FROM sqlite_master WHERE name = 'estimate'") == 0)
    return false;
  Statement rows(database_, "SELECT count(*) FROM estimate WHERE analysis = ?");
  rows.bind(static_cast<std::int64_t>(segment));
  return rows.row() && rows.integer(0) > 0;
}

Sink::Fault RunReader::each_estimate(
    int segment, const std::function<bool(std::span<const double>)>& visit) const {
  const Segment& samples = segments_.at(static_cast<std::size_t>(segment));
  const std::size_t width = samples.channels.size();
  std::vector<double> row(width);
  std::int64_t next = 0;
  Statement blocks(
      database_,
      "SELECT first, rows, checksum, data FROM estimate WHERE analysis = ? ORDER BY number");
  blocks.bind(static_cast<std::int64_t>(segment));
  while (blocks.row()) {
    const run_schema::Block block{segment, blocks.integer(0), blocks.integer(1)};
    const auto data = blocks.blob(3);
    if (block.first != next || !run_schema::fits(data.size(), block.rows, width) ||
        !run_schema::agrees(blocks.integer(2), block, data))
      return damaged(
          fmt::format("the error estimates from row {} do not agree with their checksum", next));
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.rows); ++i) {
      std::memcpy(row.data(), data.data() + i * width * sizeof(double), width * sizeof(double));
      if (!visit(row)) return {};
    }
    next += block.rows;
  }
  if (!blocks.done()) return fault();
  if (next != samples.rows) return damaged("error estimates are missing");
  return {};
}

Result<std::vector<std::vector<double>>> RunReader::estimates(int segment,
                                                              std::span<const int> channels) const {
  std::vector<std::vector<double>> columns(channels.size());
  const auto fault = each_estimate(segment, [&](std::span<const double> row) {
    for (std::size_t k = 0; k < channels.size(); ++k)
      columns[k].push_back(row[static_cast<std::size_t>(channels[k])]);
    return true;
  });
  if (fault) return *fault;
  return columns;
}

}  // namespace cardan
