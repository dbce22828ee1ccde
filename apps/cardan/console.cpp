#include "console.h"

#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include "cardan/base/visible_text.h"
#include "cardan/results/json.h"
#include "drawing.h"

namespace cardan::app {

namespace {

void put(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace

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
  if (json_)
    print_json("diagnostic", to_json(d));
  else
    put(stderr, to_text(d) + "\n");
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
