// Tables in CSV files: two or three numbers a line, separated by comma, semicolon, tab or blanks.
// Empty lines and what follows # are skipped, and so is a first line of words.
#include <charconv>
#include <cmath>

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

}  // namespace

std::vector<double> ModelReader::column_factors(const Field& units, std::size_t columns) {
  std::vector<double> factors(columns, 1.0);
  if (!units) return factors;
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

std::vector<Triple> ModelReader::read_csv(const Field& f, const std::vector<double>& factors) {
  const char* expected =
      factors.size() == 2 ? "two finite numbers, x and y" : "three finite numbers, x, y and z";
  const auto name = environment_.text(f);
  if (!name) return {};
  const TextFile* file = named_file(f, *name);
  if (file == nullptr) return {};
  model_.included.emplace_back(file->name, file->text);
  const auto shown = std::make_shared<const std::string>(file->path.string());
  const std::string_view text = file->text;
  std::vector<Triple> points;
  std::vector<double> values;
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
    const bool numbers = split_numbers(line, values);
    if (numbers && values.size() == factors.size()) {
      Triple p{};
      for (std::size_t k = 0; k < factors.size(); ++k) p[k] = values[k] * factors[k];
      points.push_back(p);
    } else if (numbers || !first) {
      ++faults;
      faults_.error("model.bad-table",
                    {shown, line_number, 1},
                    numbers ? fmt::format("{} numbers in a line", values.size())
                            : "a line that is not numbers",
                    expected);
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
