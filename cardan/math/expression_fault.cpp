// How a fault in a formula is told.
#include <algorithm>

#include <fmt/format.h>

#include "cardan/math/expression_parser.h"

namespace cardan {
namespace {

constexpr std::size_t most_faults = 20;

// A piece of the user's text that is safe to print.
std::string excerpt(std::string_view text, std::size_t longest) {
  std::string shown;
  for (const char c : text.substr(0, longest)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      shown += ' ';
    else
      shown += c;
  }
  while (!shown.empty() && text.size() > longest && (shown.back() & 0x80) != 0) shown.pop_back();
  return text.size() > longest ? shown + "..." : shown;
}

struct Advice {
  std::string_view token, hint;
};

constexpr Advice habits[] = {
    {"**", "write powers as x^2"},
    {"=", "compare with =="},
    {"&", "write: and"},
    {"|", "write: or"},
    {"!", "write: not"},
    {"%", "write mod(x, y)"},
    {"[", "use round brackets"},
    {"{", "use round brackets"},
    {"\xC2\xB0", "write deg"},
    {"\xC2\xB5", "write um for micrometres, us for microseconds"},
    {"\xC2\xB2", "write ^2"},
    {"\xC2\xB3", "write ^3"},
    {"\xC2\xB7", "write *"},
    {"\xCF\x80", "write pi"},
    {"\xC3\x97", "write *"},
    {"\xE2\x8B\x85", "write *"},
    {"\xE2\x88\x92", "write the minus of the keyboard, -"},
    {"\xE2\x80\x93", "write the minus of the keyboard, -"},
    {";", "separate arguments by commas"},
};

}  // namespace

void FormulaParser::report(
    std::string id, std::size_t at, std::string found, std::string expected, std::string hint) {
  if (stopped_ || faults_.size() >= most_faults) return;
  Diagnostic d;
  d.id = std::move(id);
  d.where = position(at);
  d.found = std::move(found);
  if (!text_.empty()) d.found += fmt::format(" in \"{}\"", excerpt(text_, 60));
  d.expected = std::move(expected);
  d.hint = std::move(hint);
  faults_.push_back(std::move(d));
}

void FormulaParser::unexpected(const std::string& expected, const std::string& hint) {
  const Token token = lexer_.token();
  const bool end = token.kind == Token::Kind::end;
  std::string advice = hint;
  for (const auto& habit : habits)
    if (advice.empty() && habit.token == token.text) advice = habit.hint;
  if (token.text == "%" && lexer_.next().token().kind == Token::Kind::end)
    advice = "a percentage is a number: 10 % is 0.1";
  report("syntax.expression",
         token.at,
         end ? "the end of the formula" : fmt::format("'{}'", excerpt(token.text, 30)),
         expected,
         advice);
  stop();
}

void FormulaParser::stop() {
  stopped_ = true;
  lexer_.stop();
}

// A formula may run over several lines of the file.
SourcePos FormulaParser::position(std::size_t at) const {
  SourcePos pos = where_;
  const std::string_view before = text_.substr(0, at);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  if (lines == 0) {
    pos.column += static_cast<int>(at);
  } else {
    pos.line += static_cast<int>(lines);
    pos.column = static_cast<int>(at - before.rfind('\n'));
  }
  return pos;
}

std::vector<std::string> FormulaParser::candidates(bool functions) const {
  std::vector<std::string> all;
  if (scope_.names) all = scope_.names();
  for (const auto& v : scope_.variables)
    if (!v.name.empty()) all.push_back(v.name);
  if (functions)
    for (const auto& rule : function_rules()) all.emplace_back(rule.name);
  return all;
}

}  // namespace cardan
