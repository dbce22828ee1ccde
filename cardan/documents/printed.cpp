#include "cardan/documents/printed.h"

#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

// Digits behind the point of a printed number, counted with its power of ten: 4.65e-6 has 8.
int decimals_of(const std::string& printed) {
  const std::size_t power = printed.find('e');
  const std::string mantissa = printed.substr(0, power);
  const std::size_t point = mantissa.find('.');
  const int digits = point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point) - 1;
  return power == std::string::npos ? digits : digits - std::stoi(printed.substr(power + 1));
}

}  // namespace

const char* to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::right:
      return "right";
    case Verdict::misprint:
      return "misprint";
    case Verdict::convention:
      return "convention";
    case Verdict::not_reproduced:
      return "not reproduced";
    case Verdict::inferred:
      return "data inferred";
    case Verdict::lost:
      break;
  }
  return "lost";
}

bool agrees(const PrintedCell& cell, const PrintedTable& table) {
  if (cell.printed.empty()) return true;
  if (!cell.text.empty()) return cell.text == cell.printed;
  const double printed = std::stod(cell.printed);
  if (std::abs(cell.ours - printed) <= table.within * std::abs(printed)) return true;
  const double unit = elementary::pow(10.0, -decimals_of(cell.printed));
  // Half a unit, and a little for the decimal point that binary numbers do not have.
  constexpr double half = 0.5 + 1e-6;
  if (table.rounding == Rounding::nearest) return std::abs(cell.ours - printed) <= half * unit;
  return std::abs(std::trunc(cell.ours / unit) - std::round(printed / unit)) < half;
}

std::string ours_text(const PrintedCell& cell) {
  if (!cell.text.empty()) return cell.text;
  if (std::isnan(cell.ours)) return "-";
  constexpr int usual_digits = 10, more_digits = 3, most_decimals = 15;
  if (cell.printed.empty()) return fmt::format("{:.{}g}", cell.ours, usual_digits);
  if (cell.printed.find('e') != std::string::npos) return fmt::format("{:.6e}", cell.ours);
  return fmt::format(
      "{:.{}f}", cell.ours, std::min(decimals_of(cell.printed) + more_digits, most_decimals));
}

PrintedTable printed_table(std::string title,
                           std::vector<std::string> head,
                           const std::string& lines,
                           const std::function<double(int row, int column)>& ours) {
  PrintedTable table;
  table.title = std::move(title);
  table.head = std::move(head);
  std::istringstream text(lines);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    PrintedTable::Row row;
    if (!(words >> row.label)) continue;
    for (std::string word; words >> word;) {
      const int r = static_cast<int>(table.rows.size()), c = static_cast<int>(row.cells.size());
      row.cells.push_back({word == "-" ? "" : word, ours(r, c)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

void mark(PrintedTable& table, int row, int column, Verdict verdict) {
  table.rows.at(static_cast<std::size_t>(row)).cells.at(static_cast<std::size_t>(column)).verdict =
      verdict;
}

void mark_all(PrintedTable& table, Verdict verdict) {
  for (PrintedTable::Row& row : table.rows)
    for (PrintedCell& cell : row.cells) cell.verdict = verdict;
}

}  // namespace cardan
