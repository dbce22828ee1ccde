// Numbers, truth values and dates of TOML 1.0.
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cardan/io/toml_cursor.h"

namespace cardan {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool starts_like_date(std::string_view w) {
  const auto digits = [&](std::size_t from, std::size_t count) {
    for (std::size_t k = from; k < from + count; ++k)
      if (k >= w.size() || !is_digit(w[k])) return false;
    return true;
  };
  return (w.size() >= 10 && digits(0, 4) && w[4] == '-' && digits(5, 2) && w[7] == '-' &&
          digits(8, 2)) ||
         (w.size() >= 5 && digits(0, 2) && w[2] == ':' && digits(3, 2));
}

// Reads the parts of a date and time from the front of a word (RFC 3339).
class DateReader {
 public:
  explicit DateReader(std::string_view word) : rest_(word) {}

  bool whole() {
    if (rest_.size() < 5 || rest_[4] != '-') return time() && rest_.empty();
    if (!date()) return false;
    if (rest_.empty()) return true;
    if (!take('T') && !take('t') && !take(' ')) return false;
    return time() && offset() && rest_.empty();
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool number(std::size_t digits, int least, int most, int& out) {
    if (rest_.size() < digits) return false;
    out = 0;
    for (std::size_t k = 0; k < digits; ++k) {
      if (!is_digit(rest_[k])) return false;
      out = 10 * out + (rest_[k] - '0');
    }
    rest_.remove_prefix(digits);
    return out >= least && out <= most;
  }

  bool date() {
    int year = 0, month = 0, day = 0;
    if (!number(4, 0, 9999, year) || !take('-') || !number(2, 1, 12, month) || !take('-') ||
        !number(2, 1, 31, day))
      return false;
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const int days[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return day <= days[month - 1];
  }

  bool time() {
    int part = 0;
    if (!number(2, 0, 23, part) || !take(':') || !number(2, 0, 59, part) || !take(':') ||
        !number(2, 0, 60, part))
      return false;
    if (!take('.')) return true;
    std::size_t digits = 0;
    while (digits < rest_.size() && is_digit(rest_[digits])) ++digits;
    rest_.remove_prefix(digits);
    return digits > 0;
  }

  bool offset() {
    if (rest_.empty() || take('Z') || take('z')) return true;
    int part = 0;
    return (take('+') || take('-')) && number(2, 0, 23, part) && take(':') &&
           number(2, 0, 59, part);
  }

  std::string_view rest_;
};

// The word without underscores, each of which must stand between two digits.
bool strip_underscores(std::string_view word, std::string& out) {
  const bool hexadecimal = word.starts_with("0x");
  const auto digit = [&](char c) {
    return hexadecimal ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : is_digit(c);
  };
  for (std::size_t k = 0; k < word.size(); ++k) {
    if (word[k] != '_') {
      out.push_back(word[k]);
    } else if (k == 0 || k + 1 == word.size() || !digit(word[k - 1]) || !digit(word[k + 1])) {
      return false;
    }
  }
  return true;
}

// digits [. digits] [e [sign] digits], no leading zeros; is_real is set when it is not an integer.
bool is_decimal(std::string_view s, bool& is_real) {
  std::size_t k = 0;
  const auto digits = [&] {
    const std::size_t start = k;
    while (k < s.size() && is_digit(s[k])) ++k;
    return k - start;
  };
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && s[0] == '0')) return false;
  if (k < s.size() && s[k] == '.') {
    is_real = true;
    ++k;
    if (digits() == 0) return false;
  }
  if (k < s.size() && (s[k] == 'e' || s[k] == 'E')) {
    is_real = true;
    ++k;
    if (k < s.size() && (s[k] == '+' || s[k] == '-')) ++k;
    if (digits() == 0) return false;
  }
  return k == s.size();
}

TomlFault not_a_value(std::string_view word) {
  const std::string shown(word.substr(0, 40));
  const std::size_t letter = shown.find_first_not_of("+-.0123456789");
  const bool with_unit = letter != std::string::npos && letter > 0 && is_digit(shown[letter - 1]) &&
                         std::isalpha(static_cast<unsigned char>(shown[letter])) != 0 &&
                         shown.find_first_of("xob_") != 1;
  if (with_unit)
    return {fmt::format("{}, a number with a unit", shown),
            "it in quotes",
            fmt::format("write \"{} {}\"", shown.substr(0, letter), shown.substr(letter))};
  if (!word.empty() && (is_digit(word[0]) || word[0] == '.' || word[0] == '+' || word[0] == '-'))
    return {fmt::format("{}, which is not a number", shown),
            "a number such as 12, -0.5 or 1e-3",
            "write a digit on both sides of the point, no leading zeros"};
  for (const char* truth : {"true", "false"})
    if (shown.size() == std::string_view(truth).size() &&
        std::equal(shown.begin(), shown.end(), truth, [](unsigned char a, unsigned char b) {
          return std::tolower(a) == b;
        }))
      return {fmt::format("the bare word {}", shown),
              "true or false",
              fmt::format("write {}, in small letters", truth)};
  return {
      shown.empty() ? "no value" : fmt::format("the bare word {}", shown),
      "a number, a \"string\", a [list] or a { table }",
      shown.empty() ? "" : fmt::format("names, units and formulas stand in quotes: \"{}\"", shown)};
}

TomlFault interpret_integer(std::string_view digits, int base, bool negative, TomlNode& out) {
  unsigned long long value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  constexpr auto most = static_cast<unsigned long long>(std::numeric_limits<long long>::max());
  if (error == std::errc::result_out_of_range || value > most + (negative ? 1 : 0))
    return {"an integer beyond 64 bits",
            "a smaller one",
            "write it with a decimal point or an exponent"};
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
    return not_a_value(digits);
  out.kind = TomlNode::Kind::integer;
  out.number = (negative ? -1.0 : 1.0) * static_cast<double>(value);
  return {};
}

}  // namespace

TomlFault interpret_word(std::string_view word, TomlNode& out) {
  if (word == "true" || word == "false") {
    out.kind = TomlNode::Kind::boolean;
    out.truth = word == "true";
    return {};
  }
  if (starts_like_date(word)) {
    if (!DateReader(word).whole())
      return {fmt::format("{}, which is no date or time", word.substr(0, 40)),
              "a date such as 2024-02-29, a time such as 07:30:00, or both",
              ""};
    out.kind = TomlNode::Kind::date;
    return {};
  }
  const bool sign = !word.empty() && (word[0] == '+' || word[0] == '-');
  const bool negative = sign && word[0] == '-';
  const std::string_view unsigned_word = word.substr(sign ? 1 : 0);
  if (unsigned_word == "inf" || unsigned_word == "nan") {
    out.kind = TomlNode::Kind::real;
    const double magnitude = unsigned_word == "inf" ? std::numeric_limits<double>::infinity()
                                                    : std::numeric_limits<double>::quiet_NaN();
    out.number = negative ? -magnitude : magnitude;
    return {};
  }
  std::string digits;
  if (!strip_underscores(unsigned_word, digits)) return not_a_value(word);
  if (digits.size() > 2 && digits[0] == '0' && !sign) {
    const int base = digits[1] == 'x' ? 16 : digits[1] == 'o' ? 8 : digits[1] == 'b' ? 2 : 0;
    if (base != 0)
      return digits[2] == '-'
                 ? not_a_value(word)
                 : interpret_integer(std::string_view(digits).substr(2), base, false, out);
  }
  bool is_real = false;
  if (!is_decimal(digits, is_real)) return not_a_value(word);
  if (!is_real) return interpret_integer(digits, 10, negative, out);
  out.kind = TomlNode::Kind::real;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
  if (error == std::errc::result_out_of_range) {
    const auto exponent = digits.find_first_of("eE");
    const bool tiny = exponent != std::string::npos && digits[exponent + 1] == '-';
    out.number = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (negative) out.number = -out.number;
  return {};
}

}  // namespace cardan
