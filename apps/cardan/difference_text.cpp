#include "difference_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cardan::app {

namespace {

constexpr int exit_different = 1;

std::string with_unit(const ChannelDifference& c) {
  return c.unit.empty() ? c.channel : fmt::format("{} [{}]", c.channel, c.unit);
}

std::string first_words(const ChannelDifference& c, bool several) {
  return fmt::format("different: {}{} is {} and {} at t = {} s (row {})\n",
                     several ? fmt::format("analysis {}, ", c.analysis + 1) : "",
                     with_unit(c),
                     c.first,
                     c.second,
                     c.t,
                     c.row + 1);
}

std::string more_words(std::size_t all, std::size_t shown) {
  return all > shown ? fmt::format("  and {} more (--lines)\n", all - shown) : "";
}

std::string difference_words(const RunDifference& d, std::size_t lines) {
  if (d.none())
    return fmt::format(
        "the same bits: {} rows, {} numbers, {} events\n", d.rows, d.numbers, d.events);
  std::string text = d.channels.empty() ? fmt::format("different, but not in the {} rows\n", d.rows)
                                        : first_words(d.channels.front(), d.analyses > 1);
  if (!d.channels.empty()) {
    text += fmt::format(
        "  {:<32} {:>14} {:>12} {:>14}\n", "channel", "differs from", "by at most", "at");
    const std::size_t shown = std::min(lines, d.channels.size());
    for (std::size_t k = 0; k < shown; ++k) {
      const ChannelDifference& c = d.channels[k];
      text += fmt::format("  {:<32} {:>12.6g} s {:>12.3g} {:>12.6g} s\n",
                          with_unit(c),
                          c.t,
                          c.largest,
                          c.t_largest);
    }
    text += more_words(d.channels.size(), shown);
  }
  const std::size_t shown = std::min(lines, d.other.size());
  for (std::size_t k = 0; k < shown; ++k) text += "  " + d.other[k] + '\n';
  return text + more_words(d.other.size(), shown);
}

nlohmann::ordered_json difference_json(const RunDifference& d) {
  auto channels = nlohmann::ordered_json::array();
  for (const ChannelDifference& c : d.channels)
    channels.push_back({{"analysis", c.analysis + 1},
                        {"channel", c.channel},
                        {"unit", c.unit},
                        {"row", c.row},
                        {"t", c.t},
                        {"first", c.first},
                        {"second", c.second},
                        {"largest", c.largest},
                        {"t_largest", c.t_largest},
                        {"rows", c.rows}});
  return {{"same", d.none()},
          {"rows", d.rows},
          {"numbers", d.numbers},
          {"events", d.events},
          {"channels", channels},
          {"other", d.other}};
}

}  // namespace

int tell_difference(const RunDifference& d, const Console& console, std::size_t lines) {
  console.print(difference_words(d, lines));
  console.print_json("difference", difference_json(d));
  return d.none() ? 0 : exit_different;
}

}  // namespace cardan::app
