#include "cardan/analysis/dynamic/motion_size.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/formulation/choice.h"

namespace cardan {

namespace {

constexpr double large_motion = 0.01;  // m, rad, m/s or rad/s: beside it the usual atol is small
constexpr double least_atol = 1e-14;   // in the same units: round-off
constexpr double nothing_moves = 10;   // times that: noise of an equilibrium is followed no closer
constexpr double roundings = 8;        // of a position, in an acceleration
constexpr double atol_growth = 4;      // by which atol follows

double most_of(const std::vector<double>& list) {
  double r = 0;
  for (const double x : list) r = std::max(r, std::abs(x));
  return r;
}

}  // namespace

void MotionSize::begin(const System& system,
                       const std::vector<char>& active,
                       const State& state,
                       double usual) {
  usual_ = atol_ = usual;
  size_ = small_motion(system, active, state);
  if (size_ >= large_motion) return;
  const double place = std::max(system.length(), most_of(state.q));
  const double noise = roundings * std::numeric_limits<double>::epsilon() * place *
                       fastest_rate(system, active, state).rate;
  least_ = std::min(usual, std::max(least_atol, noise));
  if (size_ == 0) least_ = std::min(usual, std::max(least_, nothing_moves * least_atol * place));
  start_ = state.q;
  atol_ = wanted();
}

double MotionSize::wanted() const {
  return std::clamp(size_ / large_motion * usual_, least_, usual_);
}

bool MotionSize::step(const State& state) {
  if (start_.empty()) return false;
  size_ = std::max(size_, most_of(state.v));
  for (std::size_t k = 0; k < start_.size(); ++k)
    size_ = std::max(size_, std::abs(state.q[k] - start_[k]));
  if (!(wanted() >= atol_growth * atol_)) return false;
  atol_ = wanted();
  return true;
}

void MotionSize::serialize(Archive& archive) {
  archive.mark("size");
  archive.io(size_);
  archive.io(atol_);
  if (archive.loading() && !(size_ >= 0 && atol_ > 0)) archive.fail();
}

}  // namespace cardan
