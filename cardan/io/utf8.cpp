#include "cardan/io/utf8.h"

namespace cardan {

namespace {

// How many bytes follow a lead byte (negative: no lead byte), and the range of the first of them.
struct Lead {
  int following = -1;
  unsigned char low = 0x80, high = 0xBF;
};

Lead lead_of(unsigned char c) {
  if (c < 0x80) return {0};
  if (c >= 0xC2 && c <= 0xDF) return {1};
  if (c == 0xE0) return {2, 0xA0, 0xBF};
  if (c == 0xED) return {2, 0x80, 0x9F};
  if (c >= 0xE1 && c <= 0xEF) return {2};
  if (c == 0xF0) return {3, 0x90, 0xBF};
  if (c >= 0xF1 && c <= 0xF3) return {3};
  if (c == 0xF4) return {3, 0x80, 0x8F};
  return {};
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Lead lead = lead_of(static_cast<unsigned char>(text[at]));
    if (lead.following < 0) return at;
    for (int k = 1; k <= lead.following; ++k) {
      const std::size_t next = at + static_cast<std::size_t>(k);
      if (next >= text.size()) return at;
      const auto c = static_cast<unsigned char>(text[next]);
      if (c < (k == 1 ? lead.low : 0x80) || c > (k == 1 ? lead.high : 0xBF)) return at;
    }
    at += static_cast<std::size_t>(lead.following) + 1;
  }
  return std::string_view::npos;
}

}  // namespace cardan
