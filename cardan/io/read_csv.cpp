// Tables in CSV files: two or three numbers a line, separated by comma, semicolon, tab or blanks.
// Where semicolons separate, a comma is a decimal sign. Empty lines and what follows # are skipped,
// and so is a first line of words, but for units in brackets, as in "x [mm]". Of files with more
// columns, those that are asked for.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"

namespace cardan {

namespace {

constexpr std::size_t most_faults = 5;

// The numbers of a line; false when something else stands there.
bool split_numbers(std::string_view line, std::vector<double>& values) {
  values.clear();
  const auto separator = [](char c) {
    return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r';
  };
  for (std::size_t at = 0; at < line.size();) {
    if (separator(line[at])) {
      ++at;
      continue;
    }
    if (line[at] == '+') ++at;
    double value = 0;
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), value);
    const auto next = static_cast<std::size_t>(end - line.data());
    if (error != std::errc() || (next < line.size() && !separator(line[next])) ||
        !std::isfinite(value))
      return false;
    values.push_back(value);
    at = next;
  }
  return true;
}

// Between commas, semicolons or tabs, or where there are none of them between blanks.
std::vector<std::string_view> cells_of(std::string_view line) {
  const bool blanks = line.find_first_of(",;\t") == std::string_view::npos;
  const bool semicolons = line.find(';') != std::string_view::npos;
  const std::string_view separators = blanks ? " \r" : semicolons ? ";\t" : ",;\t";
  std::vector<std::string_view> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t to = std::min(line.find_first_of(separators, from), line.size());
    std::string_view cell = line.substr(from, to - from);
    const std::size_t begin = cell.find_first_not_of(" \r\""), end = cell.find_last_not_of(" \r\"");
    cell = begin == std::string_view::npos ? "" : cell.substr(begin, end - begin + 1);
    if (!blanks || !cell.empty()) cells.push_back(cell);
    from = to + 1;
  }
  return cells;
}

// The last pair of brackets of a cell, without them; empty: none.
std::string_view unit_of_cell(std::string_view cell) {
  const std::size_t open = cell.rfind('[');
  if (open == std::string_view::npos || !cell.ends_with(']')) return {};
  return cell.substr(open + 1, cell.size() - open - 2);
}

std::string_view name_of_cell(std::string_view cell) {
  const std::string_view unit = unit_of_cell(cell);
  if (unit.empty()) return cell;
  cell.remove_suffix(unit.size() + 2);
  const std::size_t end = cell.find_last_not_of(' ');
  return end == std::string_view::npos ? "" : cell.substr(0, end + 1);
}

// Where the columns stand; empty: one is not there.
std::vector<std::size_t> column_places(const std::vector<std::string>& names,
                                       std::string_view first_line,
                                       std::string& unknown) {
  const auto cells = cells_of(first_line);
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    auto found = std::find(cells.begin(), cells.end(), name);
    if (found == cells.end())
      found = std::find_if(cells.begin(), cells.end(), [&](std::string_view cell) {
        return name_of_cell(cell) == name;
      });
    std::size_t place = static_cast<std::size_t>(found - cells.begin());
    if (found == cells.end()) {
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
      const bool number = error == std::errc() && end == name.data() + name.size();
      if (!number || place < 1 || place > cells.size()) {
        unknown = name;
        return {};
      }
      --place;
    }
    places.push_back(place);
  }
  return places;
}

// The numbers in some cells of a line.
bool cell_numbers(std::string_view line,
                  const std::vector<std::size_t>& places,
                  std::vector<double>& values) {
  const auto cells = cells_of(line);
  values.clear();
  std::vector<double> one;
  for (const std::size_t place : places) {
    if (place >= cells.size() || !split_numbers(cells[place], one) || one.size() != 1) return false;
    values.push_back(one.front());
  }
  return true;
}

// The units of the columns as the first line of a file names them, 1 where it does not.
std::vector<double> factors_of(std::string_view first_line,
                               const std::vector<std::size_t>& places,
                               std::size_t columns) {
  std::vector<double> factors(columns, 1.0);
  const auto cells = cells_of(first_line);
  for (std::size_t k = 0; k < columns; ++k) {
    const std::size_t place = places.empty() ? k : places[k];
    const std::string_view unit = place < cells.size() ? unit_of_cell(cells[place]) : "";
    if (unit.empty()) continue;
    const auto one = Expression::parse("1 " + std::string(unit), Scope{}, {});
    if (one) factors[k] = one.value().value({});
  }
  return factors;
}

}  // namespace

// Not-a-number: the file says, or the numbers are SI.
std::vector<double> ModelReader::column_factors(const Field& units, std::size_t columns) {
  if (!units) return std::vector<double>(columns, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> factors(columns, 1.0);
  const auto names = environment_.names(units);
  if (!names) return factors;
  if (names->size() != columns) {
    faults_.error("model.vector-length",
                  units.where(),
                  fmt::format("units = a list of {}", names->size()),
                  columns == 2 ? "two units" : "three units");
    return factors;
  }
  for (std::size_t k = 0; k < columns; ++k) {
    const auto unit = environment_.parse("1 " + (*names)[k], Scope{}, units.node->items[k].where);
    if (unit)
      factors[k] = unit.value().value({});
    else
      faults_.add(unit.why());
  }
  return factors;
}

std::vector<Triple> ModelReader::read_csv(const Field& f,
                                          const std::vector<double>& factors,
                                          const Field& columns) {
  const std::size_t count = factors.size();
  const char* expected =
      count == 2 ? "two finite numbers, x and y" : "three finite numbers, x, y and z";
  const auto name = environment_.text(f);
  if (!name) return {};
  const TextFile* file = named_file(f, *name);
  if (file == nullptr) return {};
  model_.included.emplace_back(file->name, file->text);
  const auto shown = std::make_shared<const std::string>(file->path.string());
  const auto chosen = columns ? environment_.names(columns) : std::nullopt;
  if (columns && !chosen) return {};
  if (chosen && chosen->size() != count) {
    faults_.error("model.vector-length",
                  columns.where(),
                  fmt::format("columns = a list of {}", chosen->size()),
                  count == 2 ? "two columns" : "three columns");
    return {};
  }
  const std::string_view text = file->text;
  std::vector<std::size_t> places;  // of the columns; empty: the first ones, and no others
  std::vector<Triple> points;
  std::vector<double> values, scales;  // scales: by the units of the first line
  std::size_t faults = 0;
  bool first = true;
  int line_number = 0;
  for (std::size_t at = 0; at < text.size() && faults < most_faults;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++line_number;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (first && chosen) {
      std::string unknown;
      places = column_places(*chosen, line, unknown);
      if (places.empty()) {
        faults_.error("model.unknown-name",
                      columns.where(),
                      fmt::format("column '{}', which \"{}\" does not have", unknown, *name),
                      "words of the file's first line, or numbers from 1");
        return {};
      }
    }
    std::string with_points(line);
    if (line.find(';') != line.npos) std::replace(with_points.begin(), with_points.end(), ',', '.');
    const bool numbers =
        chosen ? cell_numbers(with_points, places, values) : split_numbers(with_points, values);
    if (first) scales = numbers ? std::vector<double>(count, 1.0) : factors_of(line, places, count);
    if (numbers && values.size() == count) {
      Triple p{};
      for (std::size_t k = 0; k < count; ++k)
        p[k] = values[k] * (std::isnan(factors[k]) ? scales[k] : factors[k]);
      points.push_back(p);
    } else if (numbers || !first) {
      ++faults;
      faults_.error("model.bad-table",
                    {shown, line_number, 1},
                    numbers ? fmt::format("{} numbers in a line", values.size())
                            : "a line that is not numbers",
                    expected,
                    numbers && values.size() > count ? "`columns` chooses some of them" : "");
    }
    first = false;
  }
  if (faults > 0) return {};
  if (points.empty())
    faults_.error("model.bad-table",
                  f.where(),
                  fmt::format("\"{}\" without numbers", *name),
                  fmt::format("lines of {}", expected));
  return points;
}

}  // namespace cardan
