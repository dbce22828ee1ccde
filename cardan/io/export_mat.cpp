// Exports a run as a MATLAB file of level 5: t, values (one column a channel), names and units (cells of
// text), with _1, _2, ... behind their names where the run has several analyses.
// Reference: MAT-File Format, The MathWorks, chapter 1 (level 5).
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>

#include <fmt/format.h>

#include "cardan/io/export.h"
#include "cardan/results/faults.h"

namespace cardan {

namespace {

enum Type : std::uint32_t { int8 = 1, uint16 = 4, int32 = 5, uint32 = 6, float64 = 9, matrix = 14 };

enum Class : std::uint32_t { cell_class = 1, char_class = 4, double_class = 6 };

// Little endian on every machine.
template <class T> void put(std::string& out, T value) {
  std::array<char, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(T));
  out.append(bytes.data(), bytes.size());
}

void put_element(std::string& out, Type type, std::string_view data) {
  put(out, static_cast<std::uint32_t>(type));
  put(out, static_cast<std::uint32_t>(data.size()));
  out += data;
  out.append((8 - data.size() % 8) % 8, '\0');
}

// Flags, sizes and name: what stands before the data of every array.
std::string array_head(Class kind, std::size_t rows, std::size_t columns, const std::string& name) {
  std::string flags, sizes, out;
  put(flags, static_cast<std::uint32_t>(kind));
  put(flags, std::uint32_t{0});
  put(sizes, static_cast<std::int32_t>(rows));
  put(sizes, static_cast<std::int32_t>(columns));
  put_element(out, uint32, flags);
  put_element(out, int32, sizes);
  put_element(out, int8, name);
  return out;
}

void put_numbers(std::string& out,
                 const std::string& name,
                 std::size_t rows,
                 const std::vector<const std::vector<double>*>& columns) {
  std::string data;
  data.reserve(8 * rows * columns.size());
  for (const auto* column : columns)
    for (const double x : *column) put(data, x);
  std::string body = array_head(double_class, rows, columns.size(), name);
  put_element(body, float64, data);
  put_element(out, matrix, body);
}

// One UTF-16 unit a letter; letters outside of the basic plane become question marks.
std::string utf16(const std::string& text, std::size_t& count) {
  std::string out;
  count = 0;
  for (std::size_t k = 0; k < text.size(); ++count) {
    const auto c = static_cast<unsigned char>(text[k]);
    const std::size_t length = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    unsigned code = length == 1 ? c : length == 2 ? c & 0x1FU : length == 3 ? c & 0x0FU : '?';
    for (std::size_t i = 1; i < length && k + i < text.size() && length < 4; ++i)
      code = code << 6U | (static_cast<unsigned char>(text[k + i]) & 0x3FU);
    put(out, static_cast<std::uint16_t>(code));
    k += length;
  }
  return out;
}

void put_texts(std::string& out, const std::string& name, const std::vector<std::string>& texts) {
  std::string body = array_head(cell_class, 1, texts.size(), name);
  for (const std::string& text : texts) {
    std::size_t count = 0;
    const std::string letters = utf16(text, count);
    std::string cell = array_head(char_class, count > 0 ? 1 : 0, count, "");
    put_element(cell, uint16, letters);
    put_element(body, matrix, cell);
  }
  put_element(out, matrix, body);
}

}  // namespace

Sink::Fault export_mat(const RunReader& run, const ExportOptions& options, std::ostream& out) {
  std::string head = "MATLAB 5.0 MAT-file, written by Cardan";
  head.resize(124, ' ');
  put(head, std::uint16_t{0x0100});
  head += "IM";
  out << head;
  for (std::size_t s = 0; s < run.segments().size(); ++s) {
    const auto& channels = run.segments()[s].channels;
    const auto chosen = select_channels(channels, options.channels);
    if (!chosen) return chosen.why().front();
    const auto columns = run.read(static_cast<int>(s), chosen.value());
    if (!columns) return columns.why().front();
    const std::size_t rows = columns.value().t.size();
    if (8.0 * static_cast<double>(rows) * static_cast<double>(chosen.value().size()) >
        static_cast<double>(std::numeric_limits<std::int32_t>::max())) {
      Diagnostic d = write_fault("samples", "more than 2 GB, which this format cannot hold");
      d.hint = "choose channels with -c, or write netCDF with --netcdf, which MATLAB reads too";
      return d;
    }
    std::vector<std::string> names, units;
    for (const int k : chosen.value()) {
      names.push_back(channels[static_cast<std::size_t>(k)].name);
      units.push_back(channels[static_cast<std::size_t>(k)].unit);
    }
    const std::string suffix = run.segments().size() > 1 ? fmt::format("_{}", s + 1) : "";
    std::vector<const std::vector<double>*> values;
    for (const auto& column : columns.value().values) values.push_back(&column);
    std::string text;
    put_numbers(text, "t" + suffix, rows, {&columns.value().t});
    put_numbers(text, "values" + suffix, rows, values);
    put_texts(text, "names" + suffix, names);
    put_texts(text, "units" + suffix, units);
    out << text;
  }
  if (!out.flush()) return write_fault("samples", "the output was not taken whole");
  return {};
}

}  // namespace cardan
