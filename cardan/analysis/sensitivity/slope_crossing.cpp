#include "cardan/analysis/sensitivity/slope_crossing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/formulation/singular/passage.h"

namespace cardan {

namespace {

constexpr double begins = 1e-2;        // weakest pivot from which derivatives are interpolated
constexpr double clear = 1.5e-2;       // the same at the nearest states between which
constexpr double other_branch = 1e-5;  // of the mechanism's size: the mean is another pose
constexpr double left_open = 1e-5;     // of the largest change of a gap, and of the size per p
constexpr double weights[] = {6.0 / 7, -15.0 / 28, 5.0 / 21, -1.0 / 14, 1.0 / 77, -1.0 / 924};
constexpr int points = 6;  // on each side

void add(const std::vector<double>& from, double factor, std::vector<double>& to) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * from[k];
}

}  // namespace

Diagnostic no_slopes_across(const ParameterStep& step, double t) {
  Diagnostic d = fault_at(
      "numeric.singular",
      fmt::format("there is no sensitivity to '{}' beyond the singular pose at t = {:.6g} s: with "
                  "another value of it the mechanism has no such pose to pass",
                  step.parameter.name,
                  t),
      t);
  d.expected = "a parameter whose change leaves the pose possible";
  d.hint = "one that changes all the lengths together which fold there, or an earlier end";
  return d;
}

SlopeCrossing::SlopeCrossing(const System& system, ParameterSlopes& slopes)
    : system_(system),
      slopes_(slopes),
      beside_(system.given_state()),
      there_(static_cast<std::size_t>(slopes.count()), StateSlope(system)),
      sum_(there_) {}

bool SlopeCrossing::beside() const {
  return pivot_ratio(slopes_.motion()) < begins;
}

// A state of the branch at t + shift: its pose with local coordinates that move on evenly, the nearest
// velocities that the constraints allow there.
bool SlopeCrossing::neighbour(const State& here, double shift, Passage& passage) {
  MotionSolver& motion = slopes_.motion();
  beside_.t = here.t + shift;
  beside_.v = here.v;
  return passage.pose(here.t, here.q, here.v, shift, beside_.q) == Eval::ok &&
         motion.linearise(beside_.t, beside_.q) == Eval::ok &&
         motion.project_velocities(beside_.t, beside_.q, beside_.v) == Eval::ok &&
         motion.accelerations(beside_.t, beside_.q, beside_.v, beside_.a, beside_.lambda) ==
             Eval::ok;
}

double SlopeCrossing::shift(const State& here, Passage& passage) {
  const double first = SingularPoseInterpolator(slopes_.motion()).first_shift(here.v);
  return SingularPoseInterpolator::clear_shift(first, clear, [&](double d) {
    return neighbour(here, d, passage) ? pivot_ratio(slopes_.motion()) : 0.0;
  });
}

bool SlopeCrossing::across(const State& here, std::vector<StateSlope>& slopes) {
  without_ = -1;
  beside_ = here;
  Passage passage(slopes_.motion());
  const double d = shift(here, passage);
  bool known = d > 0;
  std::fill(sum_.begin(), sum_.end(), StateSlope(system_));
  std::vector<double> mean(here.v.size()), off(mean);  // of poses, from here
  for (int k = -points; k <= points && known; ++k) {
    if (k == 0) continue;
    const double w = weights[std::abs(k) - 1];
    known = neighbour(here, k * d, passage) && slopes_.evaluate(beside_);
    system_.difference(beside_.q, here.q, off);
    add(off, w, mean);
    for (int p = 0; p < slopes_.count() && known; ++p) {
      const auto i = static_cast<std::size_t>(p);
      StateSlope& one = there_[i];
      one = slopes[i];
      add(slopes[i].v, k * d, one.theta);
      slopes_.close_positions(p, one.theta);
      slopes_.close_velocities(p, one.theta, one.v);
      known = slopes_.accelerate(p, one);
      add(one.theta, w, sum_[i].theta);
      add(one.v, w, sum_[i].v);
      add(one.a, w, sum_[i].a);
      add(one.lambda, w, sum_[i].lambda);
    }
  }
  if (!slopes_.evaluate(here) || !known) return false;
  if (system_.largest_move(mean) > other_branch * system_.length()) return false;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    sum_[i].z = slopes[i].z;
    slopes[i] = sum_[i];
  }
  return settle(true, slopes);
}

bool SlopeCrossing::settle(bool forces, std::vector<StateSlope>& slopes) {
  for (int p = 0; p < slopes_.count(); ++p) {
    StateSlope& s = slopes[static_cast<std::size_t>(p)];
    if (slopes_.open(p, s.theta) > left_open) {
      without_ = p;
      return false;
    }
    if (forces) slopes_.react(p, s);
  }
  return true;
}

}  // namespace cardan
