#pragma once
// Where the TOML parser is in its text, and the lexical parts of the grammar: strings, bare words,
// line ends.
#include <string>
#include <string_view>

#include "cardan/io/toml_tree.h"

namespace cardan {

// A syntax fault in words; `found` empty: none.
struct TomlFault {
  std::string found, expected, hint;
  std::string id = "syntax.toml";

  explicit operator bool() const { return !found.empty(); }
};

class TomlCursor {
 public:
  explicit TomlCursor(std::string_view text) : text_(text) {}

  bool done() const { return at_ >= text_.size(); }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  bool at(std::string_view s) const { return text_.substr(at_, s.size()) == s; }

  int line() const { return line_; }

  int column() const { return column_; }  // counts characters, not bytes

  void next();
  bool take(char c);
  void skip_blanks();  // spaces and tabs
  void skip_line();    // to the next line's start
  std::string_view rest_of_line() const;
  TomlFault skip_comment();  // if there is one, to the end of its line
  TomlFault skip_space();    // blanks, line ends and comments
  bool take_line_end();      // LF or CRLF

  TomlFault take_text(std::string& out, bool multi_line_allowed);  // at a quote
  std::string_view take_word();  // what a number, date or truth value may consist of

 private:
  bool closes_here(char quote, std::string& out);
  TomlFault take_basic(std::string& out, bool multi_line);
  TomlFault take_literal(std::string& out, bool multi_line);
  TomlFault take_escape(std::string& out, bool multi_line);

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
};

bool is_bare_key_char(char);

// Sets kind and value of a node from a word that is not a string.
TomlFault interpret_word(std::string_view word, TomlNode& out);

}  // namespace cardan
