#include "cardan/report/report_columns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <zlib.h>

#include "cardan/report/spectrum.h"

namespace cardan {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Pick {
  double t = none, value = none;
};

// One channel while its rows go by.
struct Thinned {
  std::vector<double> at, extra_t, extra;
  Pick low, high;  // of the interval so far
  std::int64_t not_finite = 0, pending = 0;

  void common(double value) {
    at.push_back(value);
    low = high = {none, value};
    if (pending > 0) not_finite += pending, pending = 0;
  }

  void inside(double t, double value) {
    if (!std::isfinite(value)) {
      ++pending;
      return;
    }
    if (!(value >= low.value)) low = {t, value};
    if (!(value <= high.value)) high = {t, value};
  }

  // Closes the interval: what its ends show already is left out.
  void close(double end) {
    if (low.value == end) low.t = none;
    if (high.value == end) high.t = none;
    const bool swap = low.t > high.t;
    for (const Pick& pick : {swap ? high : low, swap ? low : high}) {
      extra_t.push_back(pick.t);
      extra.push_back(std::isnan(pick.t) ? none : pick.value);
    }
  }
};

struct Gathered {
  std::vector<double> t;
  std::vector<Thinned> channels;
};

Result<Gathered> gather(const RunReader& run, int segment, std::int64_t stride) {
  const Segment& s = run.segments()[static_cast<std::size_t>(segment)];
  Gathered out;
  out.channels.resize(s.channels.size());
  std::int64_t row = 0;
  const auto fault = run.each_row(segment, [&](double t, std::span<const double> values) {
    const bool common = row % stride == 0 || row == s.rows - 1;
    if (common) out.t.push_back(t);
    for (std::size_t c = 0; c < values.size(); ++c) {
      Thinned& channel = out.channels[c];
      if (!common) {
        channel.inside(t, values[c]);
        continue;
      }
      if (row > 0 && stride > 1) channel.close(values[c]);
      channel.common(values[c]);
    }
    return ++row < s.rows;
  });
  if (fault) return *fault;
  return out;
}

constexpr std::size_t lines_of_spectrum = 1024;
constexpr std::int64_t most_transformed = 1 << 25;  // rows of all channels together
constexpr std::size_t channels_at_once = 8;

// Single precision: the rest of the number is zeros, which take no room.
double rounded(double x) {
  return static_cast<double>(static_cast<float>(x));
}

struct PackedSpectra {
  std::vector<std::byte> raw;
  std::int64_t channels = 0, lines = 0;
};

// Of as many channels as can be made in a few seconds.
Result<PackedSpectra> pack_spectra(const RunReader& run, int segment) {
  const Segment& s = run.segments()[static_cast<std::size_t>(segment)];
  PackedSpectra out;
  out.lines = lines_of_spectrum;
  const auto count = static_cast<std::size_t>(
      std::min<std::int64_t>(static_cast<std::int64_t>(s.channels.size()),
                             most_transformed / std::max<std::int64_t>(1, s.rows)));
  for (std::size_t first = 0; first < count; first += channels_at_once) {
    std::vector<int> some;
    for (std::size_t k = first; k < std::min(count, first + channels_at_once); ++k)
      some.push_back(static_cast<int>(k));
    const auto columns = run.read(segment, some);
    if (!columns) return columns.why();
    for (const auto& values : columns.value().values) {
      Spectrum spectrum = amplitude_spectrum(columns.value().t, values, lines_of_spectrum);
      for (auto* list : {&spectrum.frequency, &spectrum.amplitude}) {
        list->resize(lines_of_spectrum, none);
        std::transform(list->begin(), list->end(), list->begin(), rounded);
        shuffle_column(*list, out.raw);
      }
      ++out.channels;
    }
  }
  return out;
}

PackedColumns pack(const Gathered& gathered, std::int64_t rows) {
  std::vector<std::byte> raw;
  PackedColumns out;
  shuffle_column(gathered.t, raw);
  for (const Thinned& c : gathered.channels) {
    shuffle_column(c.at, raw);
    if (static_cast<std::int64_t>(gathered.t.size()) < rows) {
      shuffle_column(c.extra_t, raw);
      shuffle_column(c.extra, raw);
    }
    out.not_finite.push_back(c.not_finite);
  }
  out.rows = rows;
  out.kept = static_cast<std::int64_t>(gathered.t.size());
  out.bytes = raw.size();
  out.data = deflate_bytes(raw);
  return out;
}

}  // namespace

Result<PackedColumns> pack_columns(const RunReader& run, int segment, const PackOptions& options) {
  if (segment < 0) return pack({}, 0);
  const Segment& s = run.segments()[static_cast<std::size_t>(segment)];
  const auto width = static_cast<std::int64_t>(s.channels.size()) + 1;
  const auto limit = static_cast<std::int64_t>(options.packed_limit);
  std::int64_t stride = 1;
  // Deflation rarely gains more than fourfold: beyond that do not even try to keep all.
  if (limit > 0 && s.rows * width * 8 > 4 * limit) {
    const std::int64_t wanted = std::max(options.fewest, limit / (30 * width));
    stride = std::max<std::int64_t>(1, s.rows / wanted);
    if (stride < 5) stride = 1;  // a thinned row is five numbers
  }
  for (;;) {
    auto gathered = gather(run, segment, stride);
    if (!gathered) return gathered.why();
    PackedColumns packed = pack(gathered.value(), s.rows);
    const bool fits = limit == 0 || static_cast<std::int64_t>(packed.data.size()) <= limit;
    const std::int64_t next = std::max<std::int64_t>(5, 2 * stride);
    if (!fits && s.rows / next >= options.fewest) {
      stride = next;
      continue;
    }
    if (!packed.thinned()) return packed;
    const auto spectra = pack_spectra(run, segment);
    if (!spectra) return spectra.why();
    packed.spectra = spectra.value().channels;
    packed.spectrum_lines = spectra.value().lines;
    packed.spectra_data = deflate_bytes(spectra.value().raw);
    return packed;
  }
}

void shuffle_column(std::span<const double> values, std::vector<std::byte>& out) {
  const std::size_t n = values.size(), at = out.size();
  out.resize(at + 8 * n);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    const std::uint64_t step = bits - before;
    before = bits;
    for (std::size_t b = 0; b < 8; ++b)
      out[at + b * n + i] = static_cast<std::byte>((step >> (8 * b)) & 255U);
  }
}

std::vector<double> unshuffle_column(std::span<const std::byte> bytes) {
  const std::size_t n = bytes.size() / 8;
  std::vector<double> out(n);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t step = 0;
    for (std::size_t b = 0; b < 8; ++b)
      step |= static_cast<std::uint64_t>(bytes[b * n + i]) << (8 * b);
    before += step;
    out[i] = std::bit_cast<double>(before);
  }
  return out;
}

std::vector<std::byte> deflate_bytes(std::span<const std::byte> raw) {
  uLongf size = compressBound(raw.size());
  std::vector<std::byte> out(size);
  if (compress2(reinterpret_cast<Bytef*>(out.data()),
                &size,
                reinterpret_cast<const Bytef*>(raw.data()),
                raw.size(),
                6) != Z_OK)
    throw std::runtime_error("zlib: not enough memory");
  out.resize(size);
  return out;
}

std::vector<std::byte> inflate_bytes(std::span<const std::byte> packed, std::size_t size) {
  std::vector<std::byte> out(size);
  uLongf length = size;
  if (uncompress(reinterpret_cast<Bytef*>(out.data()),
                 &length,
                 reinterpret_cast<const Bytef*>(packed.data()),
                 packed.size()) != Z_OK ||
      length != size)
    throw std::invalid_argument("inflate_bytes: not a packed block of this size");
  return out;
}

std::string base64(std::span<const std::byte> bytes) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < n ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? letters[word >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

}  // namespace cardan
