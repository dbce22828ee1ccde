#include "event_words.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace cardan::app {

namespace {

constexpr std::size_t most_impulses_shown = 3;

// "..., impulse 0.75 N*s; ...": the number and its unit.
std::string impulse_of(const std::string& text) {
  constexpr std::string_view before = "impulse ";
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  return text.substr(at + before.size(), text.find(';', at) - at - before.size());
}

}  // namespace

std::string event_words(const RunReader& run) {
  const auto log = run.log();
  if (!log) return {};
  std::string drivers;
  std::size_t impacts = 0, impulses = 0;
  const StoredEvent* largest = nullptr;
  double size = -1;
  for (const StoredEvent& event : log.value().events) {
    if (event.kind == "impulse" && ++impulses <= most_impulses_shown)
      drivers +=
          fmt::format("    impulse at t = {:.6g} s: {}, {}\n", event.t, event.element, event.text);
    if (event.kind != "impact") continue;
    ++impacts;
    const double here = std::abs(std::strtod(impulse_of(event.text).c_str(), nullptr));
    if (here > size) size = here, largest = &event;
  }
  std::string text;
  if (largest != nullptr)
    text = fmt::format("    {} impact{}, the largest impulse {} ({} at t = {:.6g} s)\n",
                       impacts,
                       impacts == 1 ? "" : "s",
                       impulse_of(largest->text),
                       largest->element,
                       largest->t);
  if (impulses > most_impulses_shown)
    drivers += fmt::format("    and {} more impulses of drivers\n", impulses - most_impulses_shown);
  return text + drivers;
}

}  // namespace cardan::app
