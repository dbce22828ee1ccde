#pragma once
// Splits a formula into numbers, names and symbols. Internal to the expression files.
#include <string_view>

namespace cardan {

struct Token {
  enum class Kind { end, number, name, symbol, unknown };
  Kind kind = Kind::end;
  std::string_view text;
  double value = 0;    // of a number
  std::size_t at = 0;  // where it starts in the formula

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }

  bool is_name(std::string_view word) const { return kind == Kind::name && text == word; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view formula) : formula_(formula) { advance(); }

  const Token& token() const { return token_; }

  void advance();

  void stop();  // from here on there is only the end

  Lexer next() const {  // looking ahead is advancing a copy
    Lexer copy = *this;
    copy.advance();
    return copy;
  }

 private:
  std::size_t number_length() const;

  std::string_view formula_;
  std::size_t at_ = 0;
  Token token_;
};

}  // namespace cardan
