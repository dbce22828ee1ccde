// Which method of a comparison is the best for the accuracy asked for, and the words for it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/study/comparison.h"

namespace cardan {

namespace {

constexpr double alike = 1.15;  // processor times closer than this are not told apart

// Of two trials of one method: the better for its place in the ranking.
bool better(const Trial& a, const Trial& b, double accuracy) {
  const bool a_meets = a.error.relative <= accuracy, b_meets = b.error.relative <= accuracy;
  if (a_meets != b_meets) return a_meets;
  if (a_meets) return a.stats.cpu_seconds < b.stats.cpu_seconds;
  return a.error.relative < b.error.relative;
}

std::string seconds_text(double s) {
  if (s < 1e-3) return fmt::format("{:.3g} µs", 1e6 * s);
  if (s < 1) return fmt::format("{:.3g} ms", 1e3 * s);
  return fmt::format("{:.3g} s", s);
}

std::string measured(const Trial& t) {
  return fmt::format(
      "error {:.2g} ({} off by {:.2g}{}{} at t = {:.4g} s), {} of processor time, {} "
      "evaluations",
      t.error.relative,
      t.error.channel,
      t.error.sup,
      t.error.unit.empty() ? "" : " ",
      t.error.unit,
      t.error.at,
      seconds_text(t.stats.cpu_seconds),
      t.stats.rhs);
}

std::string present_words(const Comparison& c, const Trial* best) {
  if (!c.present) return {};
  const Trial& p = *c.present;
  if (p.state != Trial::State::complete)
    return fmt::format("The model's present settings ({}, {}) fail: {}. ",
                       p.method.name(),
                       p.method.settings_text(),
                       p.reason);
  std::string text = fmt::format("The model's present settings ({}, {}): {}",
                                 p.method.name(),
                                 p.method.settings_text(),
                                 measured(p));
  const double ratio = best == nullptr ? 0 : p.stats.cpu_seconds / best->stats.cpu_seconds;
  if (ratio > alike)
    text += fmt::format(", {:.1f} times the cost of the recommendation", ratio);
  else if (!(p.error.relative <= c.options.accuracy))
    text += ", which is not accurate enough";
  return text + ". ";
}

// Unstabilised constraints are violated more and more as time goes on.
std::string drift_text(const Comparison& c, const Trial& best) {
  if (best.method.formulation != "direct") return {};
  std::string text =
      fmt::format("Its constraint error grows with time, to {:.2g} m here", best.drift);
  for (std::size_t k = 1; k < c.winners; ++k) {
    const Trial& t = c.trials[c.ranking[k]];
    if (t.method.formulation == "direct") continue;
    return text + fmt::format("; for longer runs use {} with {}, at {:.1f} times the cost. ",
                              t.method.name(),
                              t.method.settings_text(),
                              t.stats.cpu_seconds / best.stats.cpu_seconds);
  }
  return text + ". ";
}

}  // namespace

void rank(Comparison& c) {
  const double accuracy = c.options.accuracy;
  c.ranking.clear();
  for (std::size_t i = 0; i < c.trials.size(); ++i) {
    const Trial& t = c.trials[i];
    if (t.state != Trial::State::complete || std::isnan(t.error.relative)) continue;
    const auto same = std::find_if(c.ranking.begin(), c.ranking.end(), [&](std::size_t k) {
      return c.trials[k].method.same_method(t.method);
    });
    if (same == c.ranking.end())
      c.ranking.push_back(i);
    else if (better(t, c.trials[*same], accuracy))
      *same = i;
  }
  std::sort(c.ranking.begin(), c.ranking.end(), [&](std::size_t a, std::size_t b) {
    return better(c.trials[a], c.trials[b], accuracy);
  });
  c.winners = static_cast<std::size_t>(
      std::count_if(c.ranking.begin(), c.ranking.end(), [&](std::size_t k) {
        return c.trials[k].error.relative <= accuracy;
      }));
  if (c.winners < 2) return;
  // Among the first that cannot be told apart by time, the one with the fewest evaluations.
  const double least = c.trials[c.ranking.front()].stats.cpu_seconds;
  std::size_t close = 1;
  while (close < c.winners && c.trials[c.ranking[close]].stats.cpu_seconds <= alike * least)
    ++close;
  const auto first = c.ranking.begin();
  const auto chosen = std::min_element(
      first, first + static_cast<std::ptrdiff_t>(close), [&](std::size_t a, std::size_t b) {
        return c.trials[a].stats.rhs < c.trials[b].stats.rhs;
      });
  std::rotate(first, chosen, chosen + 1);
}

std::string advise(const Comparison& c) {
  std::string text;
  if (c.winners == 0) {
    text = fmt::format("No method reached an accuracy of {:.2g}", c.options.accuracy);
    if (!c.ranking.empty()) {
      const Trial& t = c.trials[c.ranking.front()];
      text += fmt::format(
          "; nearest came {} with {}: {}", t.method.name(), t.method.settings_text(), measured(t));
    }
    text += ". Finer --tolerances or --steps may reach it. " + present_words(c, nullptr);
  } else {
    const Trial& best = c.trials[c.ranking.front()];
    text = fmt::format("For an accuracy of {:.2g} use {} with {}: {}. ",
                       c.options.accuracy,
                       best.method.name(),
                       best.method.settings_text(),
                       measured(best)) +
           drift_text(c, best);
    for (std::size_t k = 1; k < c.winners; ++k) {
      const Trial& next = c.trials[c.ranking[k]];
      const double ratio = next.stats.cpu_seconds / best.stats.cpu_seconds;
      text += fmt::format("Next is {} with {}, {}. ",
                          next.method.name(),
                          next.method.settings_text(),
                          ratio <= alike ? "at the same cost within what can be measured"
                                         : fmt::format("at {:.1f} times the cost", ratio));
      break;
    }
    text += present_words(c, &best);
  }
  if (!c.reference.converged)
    text += std::isnan(c.reference.agreement)
                ? "Only one method could make the reference, so errors are not certain. "
                : fmt::format(
                      "The two methods of the reference agree to {:.1g} only, so errors below "
                      "that are not certain. ",
                      c.reference.agreement);
  if (!c.complete) text += "The time was up before all methods were tried. ";
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace cardan
