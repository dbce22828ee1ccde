#include "cardan/analysis/driven/reaction_peaks.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double peak_round_off = 1e-9;  // of the largest force times the mechanism's length

// The generalized force of an equation by a formula: "it.force" of "joint it".
bool is_along_a_formula(const Channel& c) {
  return c.quantity == "reaction" && "joint " + c.name == c.element + ".force";
}

}  // namespace

ReactionPeaks::ReactionPeaks(const Recorder& recorder) {
  const auto& all = recorder.all_channels();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Channel& c = all[k];
    const bool turns = c.unit == "N*m";
    if (c.quantity == "drive" || is_along_a_formula(c)) {
      entries_.push_back({c.element, turns, true, c.unit, {k}});
      continue;
    }
    const std::size_t end = c.name.rfind(".second.");
    if (c.quantity != "reaction" || end == std::string::npos) continue;
    const std::string part = c.name.substr(end + 8);
    if (part.rfind("local.", 0) == 0 || part == "along" || part == "across") continue;
    const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
      return !e.drive && e.element == c.element && e.turns == turns;
    });
    if (same == entries_.end())
      entries_.push_back({c.element, turns, false, c.unit, {k}});
    else
      same->channels.push_back(k);
  }
  largest_.resize(entries_.size());
  at_.resize(entries_.size());
}

void ReactionPeaks::take(double t, const Recorder& recorder) {
  const CView row = recorder.all_values();
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Entry& entry = entries_[e];
    double size = 0;
    for (const std::size_t k : entry.channels) size = elementary::hypot(size, row[k]);
    if (entry.drive) size = row[entry.channels.front()];
    if (!(std::abs(size) > std::abs(largest_[e]))) continue;
    largest_[e] = size;
    at_[e] = t;
  }
}

std::vector<ReactionPeak> ReactionPeaks::peaks(const std::vector<char>& open, double length) const {
  double force = 0;
  for (std::size_t e = 0; e < entries_.size(); ++e)
    force = std::max(force, std::abs(largest_[e]) / (entries_[e].turns ? length : 1));
  std::vector<ReactionPeak> list;
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Entry& entry = entries_[e];
    if (entry.turns && !entry.drive && !(largest_[e] > peak_round_off * force * length)) continue;
    ReactionPeak peak{
        entry.element, entry.turns ? "torque" : "force", entry.unit, largest_[e], at_[e]};
    peak.unique = std::none_of(entry.channels.begin(), entry.channels.end(), [&](std::size_t k) {
      return k < open.size() && open[k] != 0;
    });
    list.push_back(std::move(peak));
  }
  return list;
}

void ReactionPeaks::serialize(Archive& archive) {
  archive.io(largest_);
  archive.io(at_);
}

}  // namespace cardan
