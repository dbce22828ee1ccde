#pragma once
// The samples of a report, packed. Runs that fit are kept whole. Longer ones are thinned: the
// values at every k-th row, and for every interval between two such rows the smallest and the
// largest value inside it with their times, all of them samples of the store. So every value shown
// is one that was computed, and no extreme is lost. Spectra cannot be made of thinned rows: those of
// the first channels are made of all rows and packed by themselves, frequencies and amplitudes.
//
// A column of doubles becomes bytes: differences of the 64-bit patterns (smooth series then have
// leading zero bytes), bytes of equal weight together, all columns one after the other, deflated.
// Nothing is rounded.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cardan/results/run_reader.h"

namespace cardan {

struct PackedColumns {
  std::int64_t rows = 0;        // in the store
  std::int64_t kept = 0;        // common times in the report
  std::size_t bytes = 0;        // before deflation
  std::vector<std::byte> data;  // deflated
  // Per channel: values inside intervals that no plot can show.
  std::vector<std::int64_t> not_finite;

  std::int64_t spectra = 0;             // channels that have one
  std::int64_t spectrum_lines = 0;      // of each
  std::vector<std::byte> spectra_data;  // deflated, two columns each

  bool thinned() const { return kept < rows; }
};

struct PackOptions {
  std::size_t packed_limit = 6'000'000;  // bytes; 0: keep everything
  std::int64_t fewest = 200;             // common times, however many channels there are
};

Result<PackedColumns> pack_columns(const RunReader&, int segment, const PackOptions&);

// The transformation of one column, and back.
void shuffle_column(std::span<const double>, std::vector<std::byte>& out);
std::vector<double> unshuffle_column(std::span<const std::byte>);

std::vector<std::byte> deflate_bytes(std::span<const std::byte>);
std::vector<std::byte> inflate_bytes(std::span<const std::byte>, std::size_t size);

std::string base64(std::span<const std::byte>);

}  // namespace cardan
