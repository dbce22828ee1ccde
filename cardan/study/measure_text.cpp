#include "cardan/study/measure_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace cardan {

namespace {

struct CourseName {
  std::string_view name;
  CourseFunction function;
  std::size_t least, most;  // arguments
};

constexpr std::array<CourseName, 11> course_names{
    {{"max", CourseFunction::max, 1, 1},
     {"min", CourseFunction::min, 1, 1},
     {"time_of_max", CourseFunction::time_of_max, 1, 1},
     {"time_of_min", CourseFunction::time_of_min, 1, 1},
     {"mean", CourseFunction::mean, 1, 1},
     {"rms", CourseFunction::rms, 1, 1},
     {"integral", CourseFunction::integral, 1, 1},
     {"initial", CourseFunction::initial, 1, 1},
     {"final", CourseFunction::final, 1, 1},
     {"at", CourseFunction::at, 2, 2},
     {"crossing", CourseFunction::crossing, 2, 3}}};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_quote(char c) {
  return c == '"' || c == '`';
}

std::string without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

class MeasureReader {
 public:
  explicit MeasureReader(const std::string& text) : text_(text) {}

  Result<MeasureText> read() {
    const std::size_t equals = text_.find('=');
    if (equals == std::string::npos)
      return measure_fault(text_, "name = formula", "for example 'peak = max(\"piston.x\")'");
    out_.name = without_blanks(std::string_view(text_).substr(0, equals));
    if (out_.name.empty() || !std::all_of(out_.name.begin(), out_.name.end(), in_word) ||
        is_digit(out_.name[0]))
      return measure_fault(text_, "a name of letters, digits and _ before the =");
    out_.outer = outer(without_blanks(std::string_view(text_).substr(equals + 1)));
    if (fault_) return *fault_;
    if (out_.calls.empty())
      return measure_fault(text_, "a function of a course, such as max(\"channel\")");
    return std::move(out_);
  }

 private:
  // Copies the text, calls of courses replaced.
  std::string outer(std::string_view text) {
    std::string to;
    for (std::size_t k = 0; k < text.size() && !fault_;) {
      if (is_quote(text[k])) {
        fault("channels inside of max, min, mean, rms, integral, initial, final, at or crossing");
        break;
      }
      if (!in_word(text[k])) {
        to += text[k++];
        continue;
      }
      std::size_t end = k;
      while (end < text.size() && in_word(text[end])) ++end;
      const std::string_view word = text.substr(k, end - k);
      std::size_t open = end;
      while (open < text.size() && text[open] == ' ') ++open;
      const bool call = open < text.size() && text[open] == '(';
      const auto known = std::find_if(course_names.begin(),
                                      course_names.end(),
                                      [&](const CourseName& n) { return n.name == word; });
      if (!call || known == course_names.end()) {
        to += word;
        k = end;
        continue;
      }
      const std::size_t close = closing(text, open);
      if (fault_) break;
      const auto arguments = parts(text.substr(open + 1, close - open - 1));
      const bool ordinary = (word == "max" || word == "min") && arguments.size() == 2;
      if (ordinary) {
        to += fmt::format("{}({}, {})", word, outer(arguments[0]), outer(arguments[1]));
      } else if (arguments.size() < known->least || arguments.size() > known->most) {
        fault(
            fmt::format("{} with {} argument{}", word, known->least, known->least > 1 ? "s" : ""));
      } else {
        to += fmt::format("course_{}", out_.calls.size());
        std::string formula = inner(arguments[0]);
        out_.calls.push_back({known->function,
                              std::move(formula),
                              {arguments.begin() + 1, arguments.end()},
                              std::string(text.substr(k, close + 1 - k))});
      }
      k = close + 1;
    }
    return to;
  }

  // Copies a formula of channels, their names replaced: between quotes, or as they are where they have a dot and no blanks.
  std::string inner(std::string_view text) {
    std::string to;
    for (std::size_t k = 0; k < text.size();) {
      const auto letter = [&](std::size_t at) {
        return at < text.size() && in_word(text[at]) && !is_digit(text[at]);
      };
      std::size_t end = k + 1;
      if (is_quote(text[k])) {
        end = text.find(text[k], k + 1);
        if (end == text.npos) {
          fault("a quote at the end of a channel's name");
          return to;
        }
        to += channel(text.substr(k + 1, end - k - 1));
        k = end + 1;
        continue;
      }
      if (letter(k)) {
        while (end < text.size() && (in_word(text[end]) || (text[end] == '.' && letter(end + 1))))
          ++end;
      } else if (is_digit(text[k])) {
        while (end < text.size() && (in_word(text[end]) || text[end] == '.')) ++end;
      }
      const std::string_view word = text.substr(k, end - k);
      to += letter(k) && word.find('.') != word.npos ? channel(word) : std::string(word);
      k = end;
    }
    return to;
  }

  // The variable that stands for it.
  std::string channel(std::string_view name) {
    auto& all = out_.channels;
    auto at = std::find(all.begin(), all.end(), name);
    if (at == all.end()) at = all.insert(all.end(), std::string(name));
    return fmt::format(" channel_{} ", at - all.begin());
  }

  std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t k = open; k < text.size(); ++k) {
      if (is_quote(text[k])) quoted = !quoted;
      if (quoted) continue;
      if (text[k] == '(') ++depth;
      if (text[k] == ')' && --depth == 0) return k;
    }
    fault("as many ) as (");
    return text.size();
  }

  static std::vector<std::string> parts(std::string_view text) {
    std::vector<std::string> out(1);
    int depth = 0;
    bool quoted = false;
    for (const char c : text) {
      if (is_quote(c)) quoted = !quoted;
      if (!quoted) depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0 && !quoted)
        out.emplace_back();
      else
        out.back() += c;
    }
    return out;
  }

  void fault(std::string expected) {
    if (!fault_) fault_ = measure_fault(text_, std::move(expected));
  }

  const std::string& text_;
  MeasureText out_;
  std::optional<Diagnostic> fault_;
};

}  // namespace

Diagnostic measure_fault(const std::string& text, std::string expected, std::string hint) {
  Diagnostic d;
  d.id = "usage.bad-value";
  d.found = fmt::format("--measure '{}'", text);
  d.expected = std::move(expected);
  d.hint = std::move(hint);
  return d;
}

Result<MeasureText> take_apart(const std::string& text) {
  return MeasureReader(text).read();
}

std::string as_written(std::string words, const MeasureText& parts) {
  const auto replace = [&words](const std::string& name, const std::string& by) {
    for (std::size_t at = words.find(name); at != words.npos; at = words.find(name, at + by.size()))
      words.replace(at, name.size(), by);
  };
  // From the last on: course_1 is the beginning of course_10.
  for (std::size_t k = parts.calls.size(); k-- > 0;)
    replace(fmt::format("course_{}", k), parts.calls[k].text);
  for (std::size_t k = parts.channels.size(); k-- > 0;)
    replace(fmt::format(" channel_{} ", k), '"' + parts.channels[k] + '"');
  return words;
}

}  // namespace cardan
