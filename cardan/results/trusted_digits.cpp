#include "cardan/results/trusted_digits.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cardan {

namespace {

// So many significant digits, trailing zeros too; plain where all of them stand before or near the
// point.
std::string with_all_digits(double value, int magnitude, int digits) {
  if (magnitude < -5 || magnitude >= digits) return fmt::format("{:.{}e}", value, digits - 1);
  return fmt::format("{:.{}f}", value, digits - 1 - magnitude);
}

}  // namespace

std::string trusted_text(double value, double error, int digits, bool number_only) {
  if (!std::isfinite(value) || !std::isfinite(error) || error <= 0)
    return fmt::format("{:.{}g}", value, digits);
  const int place = static_cast<int>(std::ceil(std::log10(error)));  // 10^place >= error
  const double unit = std::pow(10.0, place);
  const double rounded = std::round(value / unit) * unit;
  if (rounded == 0) return number_only ? "0" : fmt::format("±{:.1g}", error);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(rounded)) + 1e-12));
  const int trusted = std::clamp(magnitude - place + 1, 1, digits);
  return with_all_digits(trusted == 1 ? rounded : value, magnitude, trusted);
}

}  // namespace cardan
