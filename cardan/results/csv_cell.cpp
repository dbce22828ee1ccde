#include "cardan/results/csv_cell.h"

namespace cardan {

std::string csv_cell(std::string_view text, bool raw) {
  const bool formula = !raw && !text.empty() &&
                       std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  std::string cell = formula ? "'" : "";
  cell += text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace cardan
