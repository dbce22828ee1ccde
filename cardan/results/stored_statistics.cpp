#include "cardan/results/stored_statistics.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cardan {

namespace {

// As the store has it; nothing: the run has not ended, or another program wrote it.
std::optional<Summary> summary_of_run(const RunReader& run) {
  const auto stored = run.summary();
  if (!stored || !stored.value().is_object()) return {};
  try {
    return summary_from_json(stored.value());
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

}  // namespace

StoredStatistics stored_statistics(const RunReader& run,
                                   int segment,
                                   const std::vector<int>& channels) {
  const auto all = summary_of_run(run);
  if (!all || segment < 0) return {};
  const auto k = static_cast<std::size_t>(segment);
  const Summary& own = k < all->earlier.size() ? all->earlier[k] : *all;
  if (k > all->earlier.size()) return {};
  StoredStatistics out{{}, own.watched_until, own.status};
  const auto& names = run.segments()[k].channels;
  for (const int c : channels) {
    const std::string& name = names[static_cast<std::size_t>(c)].name;
    const auto found = std::find_if(
        own.channels.begin(), own.channels.end(), [&](const auto& s) { return s.channel == name; });
    if (found == own.channels.end()) return {};
    out.channels.push_back(*found);
  }
  return out;
}

std::string changed_words(const std::vector<ChangedSetting>& changed) {
  std::string text;
  for (const ChangedSetting& c : changed) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", c.name, c.value);
    if (!c.before.empty()) text += fmt::format(" (model: {})", c.before);
  }
  return text;
}

std::string changed_words(const RunReader& run) {
  const auto summary = summary_of_run(run);
  return summary ? changed_words(summary->changed) : "";
}

}  // namespace cardan
