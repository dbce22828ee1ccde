#include "cardan/math/expression_lexer.h"

#include <charconv>
#include <limits>

namespace cardan {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

double to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos ||
                    text[0] == '0' || text[0] == '.';
  return tiny ? 0 : std::numeric_limits<double>::infinity();
}

}  // namespace

// Digits with at most one point and an exponent that has digits: "2e" is the number 2 and the name
// e.
std::size_t Lexer::number_length() const {
  const auto digit = [&](std::size_t i) {
    return i < formula_.size() && is_digit(formula_[i]);
  };
  std::size_t i = at_;
  while (digit(i)) ++i;
  if (i < formula_.size() && formula_[i] == '.') ++i;
  while (digit(i)) ++i;
  if (i < formula_.size() && (formula_[i] == 'e' || formula_[i] == 'E')) {
    std::size_t exponent = i + 1;
    if (exponent < formula_.size() && (formula_[exponent] == '+' || formula_[exponent] == '-'))
      ++exponent;
    if (digit(exponent)) {
      i = exponent;
      while (digit(i)) ++i;
    }
  }
  return i - at_;
}

void Lexer::advance() {
  while (at_ < formula_.size() && is_space(formula_[at_])) ++at_;
  token_ = {Token::Kind::end, {}, 0, at_};
  if (at_ == formula_.size()) return;
  const char c = formula_[at_];
  const char after = at_ + 1 < formula_.size() ? formula_[at_ + 1] : '\0';
  std::size_t length = 1;
  if (is_digit(c) || (c == '.' && is_digit(after))) {
    length = number_length();
    token_.kind = Token::Kind::number;
    token_.value = to_number(formula_.substr(at_, length));
  } else if (is_letter(c)) {
    const auto inside = [](char x) {
      return is_letter(x) || is_digit(x) || x == '.';
    };
    while (at_ + length < formula_.size() && inside(formula_[at_ + length])) ++length;
    if (at_ + length < formula_.size() && formula_[at_ + length] == '\'') ++length;  // x': rate(x)
    token_.kind = Token::Kind::name;
  } else if (c == '`' && formula_.find('`', at_ + 1) != std::string_view::npos) {
    length = formula_.find('`', at_ + 1) - at_ + 1;  // a name of any letters
    token_.kind = Token::Kind::name;
    token_.text = formula_.substr(at_ + 1, length - 2);
    at_ += length;
    return;
  } else if (std::string_view("+-*/^(),<>=!").find(c) != std::string_view::npos) {
    const bool pair =
        (after == '=' && std::string_view("<>=!").find(c) != std::string_view::npos) ||
        (c == '*' && after == '*');
    length = pair ? 2 : 1;
    token_.kind = Token::Kind::symbol;
  } else {
    token_.kind = Token::Kind::unknown;
    while (at_ + length < formula_.size() && (formula_[at_ + length] & 0xC0) == 0x80)
      ++length;  // UTF-8
  }
  token_.text = formula_.substr(at_, length);
  at_ += length;
}

void Lexer::stop() {
  formula_ = {};
  token_ = {Token::Kind::end, {}, 0, token_.at};
  at_ = 0;
}

}  // namespace cardan
