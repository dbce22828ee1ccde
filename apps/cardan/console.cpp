#include "console.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cardan/base/visible_text.h"
#include "cardan/results/json.h"
#include "drawing.h"

namespace cardan::app {

namespace {

void put(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

// Notes that say that all is as usual.
bool is_routine(const Diagnostic& d) {
  static constexpr std::array<std::string_view, 5> ids{"assembly.free-motion",
                                                       "numeric.auto-choice",
                                                       "numeric.gains",
                                                       "numeric.not-for-singular-poses",
                                                       "numeric.singular-passage"};
  return d.severity == Severity::note && std::find(ids.begin(), ids.end(), d.id) != ids.end();
}

// The word for the severity in colour, where a person looks at it.
std::string coloured(const Diagnostic& d) {
  std::string text = to_text(d);
  static const bool terminal = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  if (!terminal) return text;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> words{
      {{"note", "\x1b[36m"}, {"warning", "\x1b[33m"}, {"error", "\x1b[1;31m"}}};
  const auto& [word, colour] = words[static_cast<std::size_t>(d.severity)];
  const std::string marked = std::string(word) + " [" + d.id;
  if (const std::size_t at = text.find(marked); at != std::string::npos)
    text.replace(at, word.size(), std::string(colour) + std::string(word) + "\x1b[0m");
  return text;
}

// Where a text cannot be understood: its line, with a mark below the place.
std::string marked_line(const Diagnostic& d) {
  constexpr std::size_t widest = 160;
  if (!d.id.starts_with("syntax.") || !d.where.file || d.where.line <= 0 || d.where.column <= 0)
    return {};
  std::ifstream file(*d.where.file);
  std::string line;
  for (int k = 0; k < d.where.line; ++k)
    if (!std::getline(file, line)) return {};
  if (line.ends_with('\r')) line.pop_back();
  if (line.size() > widest) return {};
  std::replace(line.begin(), line.end(), '\t', ' ');
  const std::string mark(static_cast<std::size_t>(d.where.column - 1),
                         ' ');  // columns are characters
  return "        " + visible_text(line, Lines::show) + "\n        " + mark + "^\n";
}

}  // namespace

bool Console::shows(const Diagnostic& d) const {
  if (d.severity == Severity::error || json_ || verbose_) return true;
  return !quiet_ && !is_routine(d);
}

void Console::print(std::string_view text) const {
  if (!json_) put(stdout, visible_text(text, Lines::keep));
}

void draw(const Console& console, std::string_view text) {
  if (!console.json()) put(stdout, text);
}

void Console::print_json(std::string_view type, const nlohmann::ordered_json& object) const {
  if (!json_) return;
  nlohmann::ordered_json line{{"type", type}};
  line.update(object);
  put(stdout, visible_json(to_line(line)) + "\n");
}

void Console::report(const Diagnostic& d) const {
  if (!shows(d)) return;
  if (json_)
    print_json("diagnostic", to_json(d));
  else
    put(stderr, coloured(d) + "\n" + marked_line(d));
}

void Console::report(const Diagnostics& all) const {
  for (const auto& d : all) report(d);
}

int Console::fail(const Diagnostic& d) const {
  report(d);
  return exit_code(d);
}

int Console::fail(const Diagnostics& all) const {
  report(all);
  return exit_code(all);
}

Diagnostic usage_fault(const char* id, std::string found, std::string hint) {
  Diagnostic d;
  d.id = id;
  d.found = std::move(found);
  d.hint = std::move(hint);
  return d;
}

}  // namespace cardan::app
