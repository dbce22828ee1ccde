// Choosing channels by name.
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/results/channels_there.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_reader.h"

namespace cardan {

// What somebody may mean: all of one element ("motor" for 'motor.*'), a quantity of several ("angle" for 'bar.angle'),
// a name without its side ("hook.fx" for 'hook.first.fx'), or a misspelt name.
std::string nearest_channel(std::span<const Channel> channels, const std::string& pattern) {
  std::vector<std::string> names;
  for (const auto& c : channels) names.push_back(c.name);
  const std::size_t dot = pattern.rfind('.');
  for (const std::string& name : names) {
    if (name.starts_with(pattern + ".")) return pattern + ".*";
    if (name.ends_with("." + pattern)) return name;
    if (dot != std::string::npos && name.starts_with(pattern.substr(0, dot + 1)) &&
        name.ends_with(pattern.substr(dot)))
      return name;
  }
  return nearest_name(pattern, names);
}

std::string channels_there(std::span<const Channel> channels, const std::string& asked) {
  constexpr std::size_t most = 16;
  const auto listed = [](std::vector<std::string>& names) {
    const bool more = names.size() > most;
    if (more) names.resize(most);
    return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
  };
  const std::string element = asked.substr(0, asked.find('.'));
  std::vector<std::string> own, elements;
  for (const Channel& c : channels) {
    const std::size_t dot = c.name.find('.');
    const std::string of = c.name.substr(0, dot);
    if (dot != std::string::npos && of == element) own.push_back(c.name.substr(dot + 1));
    if (std::find(elements.begin(), elements.end(), of) == elements.end()) elements.push_back(of);
  }
  if (!own.empty()) return fmt::format("'{}' has {}", element, listed(own));
  return elements.empty() ? "" : fmt::format("channels are those of {}", listed(elements));
}

namespace {

Diagnostic no_match(std::span<const Channel> channels, const std::string& pattern) {
  Diagnostic d = unknown_channel(pattern, nearest_channel(channels, pattern));
  if (d.hint.empty()) d.hint = channels_there(channels, pattern);
  return d;
}

}  // namespace

// Greedy match with one point to come back to: the last star.
bool fits_pattern(std::string_view text, std::string_view pattern) {
  std::size_t i = 0;
  std::size_t k = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (i < text.size()) {
    if (k < pattern.size() && pattern[k] == '*') {
      star = k++;
      star_text = i;
    } else if (k < pattern.size() && (pattern[k] == '?' || pattern[k] == text[i])) {
      ++i;
      ++k;
    } else if (star != std::string_view::npos) {
      k = star + 1;
      i = ++star_text;
    } else {
      return false;
    }
  }
  while (k < pattern.size() && pattern[k] == '*') ++k;
  return k == pattern.size();
}

Result<std::vector<int>> select_channels(std::span<const Channel> channels,
                                         std::span<const std::string> patterns) {
  std::vector<char> wanted(channels.size(), patterns.empty() ? 1 : 0);
  for (const auto& pattern : patterns) {
    bool found = false;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      if (!fits_pattern(channels[i].name, pattern)) continue;
      wanted[i] = 1;
      found = true;
    }
    if (!found) return no_match(channels, pattern);
  }
  std::vector<int> selected;
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (wanted[i] != 0) selected.push_back(static_cast<int>(i));
  return selected;
}

}  // namespace cardan
