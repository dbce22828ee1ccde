#include "cardan/base/diagnostic.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "cardan/base/visible_text.h"

namespace cardan {

bool has_error(const Diagnostics& all) {
  return std::any_of(
      all.begin(), all.end(), [](const auto& d) { return d.severity == Severity::error; });
}

int exit_code(const Diagnostic& d) {
  if (d.severity != Severity::error) return 0;
  static constexpr std::array<std::pair<std::string_view, int>, 10> codes{{{"usage", 2},
                                                                           {"syntax", 3},
                                                                           {"model", 4},
                                                                           {"assembly", 5},
                                                                           {"numeric", 6},
                                                                           {"io", 7},
                                                                           {"limit", 8},
                                                                           {"corrupt", 9},
                                                                           {"defect", 70},
                                                                           {"interrupted", 130}}};
  const std::string_view kind = std::string_view(d.id).substr(0, d.id.find('.'));
  for (const auto& [name, code] : codes)
    if (name == kind) return code;
  return 70;
}

int exit_code(const Diagnostics& all) {
  for (const auto& d : all)
    if (d.severity == Severity::error) return exit_code(d);
  return 0;
}

std::string to_text(const Diagnostic& d) {
  static constexpr std::array<const char*, 3> words{"note", "warning", "error"};
  const auto shown = [](std::string_view given) {
    return visible_text(given, Lines::show);
  };
  std::string text;
  if (d.where.file) {
    text += shown(*d.where.file);
    if (d.where.line > 0) text += fmt::format(":{}:{}", d.where.line, d.where.column);
    text += ": ";
  }
  text += fmt::format("{} [{}]", words[static_cast<std::size_t>(d.severity)], d.id);
  if (!d.element.empty()) text += " " + shown(d.element);
  text += ": " + shown(d.found);
  if (!d.expected.empty()) text += "; expected " + shown(d.expected);
  if (std::isfinite(d.t))
    text += fmt::format(" (at t = {:.9g} s", d.t) +
            (std::isfinite(d.h) ? fmt::format(", step {:.3g} s)", d.h) : ")");
  for (const auto& gap : d.worst)
    text += fmt::format("\n    {:>12.4g}{}{}  {}",
                        gap.value,
                        gap.unit.empty() ? "" : " ",
                        gap.unit,
                        shown(gap.equation));
  if (!d.hint.empty()) text += "\n    try: " + shown(d.hint);
  return text;
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// Is `part` one of the parts of `whole` between `_`, `.` and blanks: radius in pin_radius?
bool part_of(std::string_view part, std::string_view whole) {
  const auto ends = [&](std::size_t at) {
    return at == whole.size() || whole[at] == '_' || whole[at] == '.' || whole[at] == ' ';
  };
  for (std::size_t at = whole.find(part); at != std::string_view::npos;
       at = whole.find(part, at + 1))
    if ((at == 0 || ends(at - 1)) && ends(at + part.size())) return true;
  return false;
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > 100) return {};
  const auto same_letter = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  for (const auto& c : candidates)
    if (std::equal(c.begin(), c.end(), name.begin(), name.end(), same_letter)) return c;
  std::string best;
  // A word of one letter resembles every short one.
  std::size_t least = name.size() < 3 ? name.size() : std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const auto& c : candidates) {
    if (c.size() > 100) continue;
    const std::size_t d = edit_distance(name, c);
    if (d < least) {
      least = d;
      best = c;
    }
  }
  if (!best.empty() || name.size() < 3) return best;
  // Not misspelt, but a part of the only such name, or such a name with more around it.
  for (const auto& c : candidates) {
    if (c.size() < 3 || c.size() > 100 || !(part_of(name, c) || part_of(c, name))) continue;
    if (!best.empty()) return {};
    best = c;
  }
  return best;
}

}  // namespace cardan
