#include "cardan/analysis/driven/redundancy_selection.h"

#include <algorithm>

#include <fmt/format.h>

#include "cardan/analysis/start/rank.h"

namespace cardan {

namespace {

constexpr double weak = 0.1;       // pivot, relative to its row, from which others are looked for
constexpr double closer = 0.5;     // pivots fall by this before it pays to look again
constexpr double much_better = 5;  // ratio of weakest pivots that pays for another choice

}  // namespace

std::size_t structurally_redundant(const Mobility& mobility) {
  return static_cast<std::size_t>(std::count_if(mobility.redundant.begin(),
                                                mobility.redundant.end(),
                                                [](const auto& r) { return r.structural; }));
}

std::optional<std::vector<char>> most_independent(const System& system,
                                                  const State& state,
                                                  const std::vector<char>& active,
                                                  std::size_t redundant) {
  std::vector<char> all(static_cast<std::size_t>(system.equations().rows()), 0);
  std::fill_n(all.begin(), system.joint_rows(), 1);
  const RankAnalysis found = analyse_rank(system, system.equations(), state.t, state.q, all, false);
  if (found.dependent.size() != redundant) return {};  // a singular pose: no choice helps there
  std::vector<char> kept = active;
  std::fill_n(kept.begin(), system.joint_rows(), 1);
  for (const int row : found.dependent) kept[static_cast<std::size_t>(row)] = 0;
  if (kept == active) return {};
  return kept;
}

RedundancySelection::RedundancySelection(const System& system, const Mobility& mobility)
    : system_(system), redundant_(structurally_redundant(mobility)) {}

bool RedundancySelection::due(const MotionSolver& motion) {
  if (redundant_ == 0 || !motion.ranks()) return false;
  const double ratio = motion.min_pivot_ratio();
  if (ratio > weak) looked_at_ = 1;
  if (ratio > closer * std::min(looked_at_, 2 * weak)) return false;
  looked_at_ = ratio;
  return true;
}

std::optional<RedundancySelection::Better> RedundancySelection::look(const MotionSolver& motion,
                                                                     const State& state) const {
  auto kept = most_independent(system_, state, motion.active(), redundant_);
  if (!kept) return {};
  Better better{std::move(*kept), {}};
  MotionSolver trial(system_, better.kept);
  if (trial.linearise(state.t, state.q) != Eval::ok ||
      trial.min_pivot_ratio() < much_better * motion.min_pivot_ratio())
    return {};
  std::string left_out;
  for (int row = 0; row < system_.joint_rows(); ++row)
    if (better.kept[static_cast<std::size_t>(row)] == 0)
      left_out += (left_out.empty() ? "" : "; ") + system_.equation_label(row);
  better.words = fmt::format(
      "of redundant equations others are kept from here on: those before had come to say nearly "
      "the "
      "same; left out now: {}",
      left_out);
  return better;
}

}  // namespace cardan
