// Strings and blanks of TOML 1.0 (toml.io/en/v1.0.0).
#include "cardan/io/toml_cursor.h"

#include <algorithm>

#include <fmt/format.h>

namespace cardan {

namespace {

bool is_control(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u < 0x20 && c != '\t') || u == 0x7F;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& out, unsigned code) {
  const auto put = [&](unsigned byte) {
    out.push_back(static_cast<char>(byte));
  };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

TomlFault unterminated() {
  return {"a string without its closing quote", "the same quote at the end of the string", ""};
}

TomlFault control_character(char c) {
  return {fmt::format("the control character 0x{:02X}", static_cast<unsigned char>(c)),
          "printable text",
          "remove it, or write an escape such as \\u0009"};
}

}  // namespace

bool is_bare_key_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

void TomlCursor::next() {
  if (done()) return;
  const char c = text_[at_++];
  if (c == '\n') {
    ++line_;
    column_ = 1;
  } else if ((static_cast<unsigned char>(peek()) & 0xC0) != 0x80) {
    ++column_;
  }
}

bool TomlCursor::take(char c) {
  if (done() || peek() != c) return false;
  next();
  return true;
}

void TomlCursor::skip_blanks() {
  while (peek() == ' ' || peek() == '\t') next();
}

void TomlCursor::skip_line() {
  while (!done() && peek() != '\n') next();
  next();
}

std::string_view TomlCursor::rest_of_line() const {
  const auto end = text_.find('\n', at_);
  return text_.substr(at_, end == std::string_view::npos ? end : end - at_);
}

bool TomlCursor::take_line_end() {
  if (peek() == '\r' && peek(1) == '\n') next();
  return take('\n');
}

TomlFault TomlCursor::skip_comment() {
  if (peek() != '#') return {};
  while (!done() && peek() != '\n' && !(peek() == '\r' && peek(1) == '\n')) {
    if (is_control(peek())) return control_character(peek());
    next();
  }
  return {};
}

TomlFault TomlCursor::skip_space() {
  for (;;) {
    skip_blanks();
    if (auto fault = skip_comment()) return fault;
    if (!take_line_end()) return {};
  }
}

TomlFault TomlCursor::take_text(std::string& out, bool multi_line_allowed) {
  const char quote = peek();
  const bool three = peek(1) == quote && peek(2) == quote;
  if (three && !multi_line_allowed)
    return {"a multi-line string as a key", "a bare word or a quoted string", ""};
  next();
  if (three) {
    next();
    next();
    take_line_end();  // the first line end does not count
  }
  return quote == '"' ? take_basic(out, three) : take_literal(out, three);
}

// After the first of several quotes: three end the string; one or two before them belong to it.
bool TomlCursor::closes_here(char quote, std::string& out) {
  std::size_t count = 1;
  while (count < 6 && peek(count - 1) == quote) ++count;
  if (count < 3) return false;
  const std::size_t inside = std::min<std::size_t>(count - 3, 2);
  out.append(inside, quote);
  for (std::size_t k = 0; k < inside + 2; ++k) next();
  return true;
}

TomlFault TomlCursor::take_basic(std::string& out, bool multi_line) {
  while (!done()) {
    const char c = peek();
    if (c == '"') {
      next();
      if (!multi_line) return {};
      if (closes_here('"', out)) return {};
      out.push_back('"');
    } else if (c == '\\') {
      if (auto fault = take_escape(out, multi_line)) return fault;
    } else if (c == '\n' || (c == '\r' && peek(1) == '\n')) {
      if (!multi_line) return unterminated();
      take_line_end();
      out.push_back('\n');
    } else if (is_control(c)) {
      return control_character(c);
    } else {
      out.push_back(c);
      next();
    }
  }
  return unterminated();
}

TomlFault TomlCursor::take_literal(std::string& out, bool multi_line) {
  while (!done()) {
    const char c = peek();
    if (c == '\'') {
      next();
      if (!multi_line) return {};
      if (closes_here('\'', out)) return {};
      out.push_back('\'');
    } else if (c == '\n' || (c == '\r' && peek(1) == '\n')) {
      if (!multi_line) return unterminated();
      take_line_end();
      out.push_back('\n');
    } else if (is_control(c)) {
      return control_character(c);
    } else {
      out.push_back(c);
      next();
    }
  }
  return unterminated();
}

TomlFault TomlCursor::take_escape(std::string& out, bool multi_line) {
  static constexpr std::string_view letters = "btnfr\"\\", values = "\b\t\n\f\r\"\\";
  next();  // the backslash
  const char c = peek();
  if (const auto k = letters.find(c); k != std::string_view::npos && !done()) {
    next();
    out.push_back(values[k]);
    return {};
  }
  if (c == 'u' || c == 'U') {
    next();
    unsigned code = 0;
    for (int k = 0; k < (c == 'u' ? 4 : 8); ++k) {
      const int digit = hex_digit(peek());
      if (digit < 0) return {"an escape with too few digits", "\\uXXXX or \\UXXXXXXXX", ""};
      code = code * 16 + static_cast<unsigned>(digit);
      next();
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
      return {"an escape that is no character", "a Unicode scalar value", ""};
    append_utf8(out, code);
    return {};
  }
  if (multi_line && (c == '\n' || c == '\r' || c == ' ' || c == '\t')) {  // joins lines
    skip_blanks();
    if (!take_line_end()) return {"a backslash before blanks", "a line end after it", ""};
    do skip_blanks();
    while (take_line_end());
    return {};
  }
  return {fmt::format("the unknown escape \\{}", is_control(c) ? ' ' : c),
          "one of \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX",
          "in 'single quotes' a backslash is an ordinary character"};
}

std::string_view TomlCursor::take_word() {
  const std::size_t start = at_;
  const auto part = [](char c) {
    return is_bare_key_char(c) || c == '+' || c == '.' || c == ':';
  };
  while (part(peek())) next();
  const auto digit = [&](std::size_t ahead) {
    return peek(ahead) >= '0' && peek(ahead) <= '9';
  };
  const std::string_view date = text_.substr(start, at_ - start);
  if (date.size() == 10 && date[4] == '-' && peek() == ' ' && digit(1) && digit(2) &&
      peek(3) == ':') {
    next();
    while (part(peek())) next();
  }
  return text_.substr(start, at_ - start);
}

}  // namespace cardan
