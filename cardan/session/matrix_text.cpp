#include "cardan/session/matrix_text.h"

#include <cmath>

#include <fmt/format.h>

namespace cardan {

std::string csv_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

std::string matlab_number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Inf" : "-Inf";
  return fmt::format("{:.17g}", x);
}

std::string matlab_names(const std::vector<std::string>& names) {
  std::string out = "{";
  for (const auto& name : names) {
    std::string text;
    for (const char c : name) text += c == '\'' ? "''" : std::string(1, c);
    out += (out.size() > 1 ? "; '" : "'") + text + "'";
  }
  return out + "}";
}

}  // namespace cardan
