#include "cardan/base/visible_text.h"

#include <fmt/format.h>

namespace cardan {

namespace {

struct Control {
  unsigned code = 0;
  std::size_t bytes = 0;  // 0: no control begins here
};

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// U+0000 to 1F, 7F to 9F (C2 80 to C2 9F in UTF-8), 200E, 200F, 2028 to 202E, 2066 to 2069
// (E2 80 8E ..., E2 81 A6 ...).
Control control_at(std::string_view text, std::size_t i) {
  const unsigned a = byte_at(text, i), b = byte_at(text, i + 1), c = byte_at(text, i + 2);
  if (a < 0x20 || a == 0x7f) return {a, 1};
  if (a == 0xc2 && b >= 0x80 && b <= 0x9f) return {b, 2};
  if (a != 0xe2 || (b != 0x80 && b != 0x81)) return {};
  const unsigned code = 0x2000 + ((b - 0x80) << 6) + (c & 0x3f);
  const bool turns = code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
  return turns && c >= 0x80 ? Control{code, 3} : Control{};
}

}  // namespace

std::string visible_text(std::string_view text, Lines lines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Control found = control_at(text, i);
    const bool layout = found.code == '\t' || (found.code == '\n' && lines == Lines::keep);
    if (found.bytes == 0 || layout)
      out += text[i++];
    else if (found.code < 0x100)
      out += fmt::format("\\x{:02x}", found.code), i += found.bytes;
    else
      out += fmt::format("\\u{:04x}", found.code), i += found.bytes;
  }
  return out;
}

std::string visible_json(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Control found = control_at(text, i);
    if (found.bytes == 0 || found.code == '\n' || found.code == '\t')
      out += text[i++];
    else
      out += fmt::format("\\u{:04x}", found.code), i += found.bytes;
  }
  return out;
}

}  // namespace cardan
