#include "cardan/analysis/dynamic/step_defect.h"

#include <algorithm>
#include <cmath>

namespace cardan {

namespace {

constexpr double equal_steps = 1e-6;  // of a step: distances that count as equal
constexpr double least_range = 1e-6;  // of the mechanism's size, or rad: below, nothing moves

}  // namespace

StepDefect::StepDefect(const System& system) : system_(system) {
  const Layout& layout = system.layout();
  const auto n = static_cast<std::size_t>(layout.q_size());
  const auto all = static_cast<std::size_t>(system.q_size());
  sum_.assign(n, 0.0);
  largest_.assign(n, 0.0);
  least_.assign(n, 0.0);
  most_.assign(n, 0.0);
  for (auto& list : q_) list.assign(n, 0.0);
  for (auto& list : rate_) list.assign(all, 0.0);
  defect_.assign(all, 0.0);
  increment_.assign(static_cast<std::size_t>(system.v_size()), 0.0);
  turns_.assign(n, 1);
  for (int b = 0; b < layout.bodies(); ++b)
    std::fill(turns_.begin() + layout.q(b), turns_.begin() + layout.q_rotation(b), '\0');
}

void StepDefect::jump() {
  known_ = 0;
}

void StepDefect::step(const State& state, double h, double damping, Formulation* feedback) {
  const std::size_t n = sum_.size();
  if (known_ > 0) {
    const double last = t_[static_cast<std::size_t>(known_ - 1)];
    if (!(std::abs(state.t - last - h) <= equal_steps * std::abs(h))) known_ = 0;
  }
  const auto here = static_cast<std::size_t>(known_);
  t_[here] = state.t;
  std::copy_n(state.q.begin(), n, q_[here].begin());
  system_.rate(state.q, state.v, rate_[here]);
  for (std::size_t k = 0; k < n; ++k) {
    const double x = state.q[k];
    least_[k] = steps_ == 0 ? x : std::min(least_[k], x);
    most_[k] = steps_ == 0 ? x : std::max(most_[k], x);
    sum_[k] *= 1 - damping;
  }
  ++steps_;
  if (++known_ < points) return;
  constexpr std::array<double, points> weights{7, 32, 12, 32, 7};
  for (std::size_t k = 0; k < n; ++k) {
    double way = 0;
    for (std::size_t i = 0; i < points; ++i) way += weights[i] * rate_[i][k];
    defect_[k] = q_[points - 1][k] - q_[0][k] - 2 * h / 45 * way;
  }
  if (feedback != nullptr) {
    system_.tangent(state.q, defect_, increment_);
    feedback->leave_out_violations(increment_);
    system_.rate(state.q, increment_, defect_);
  }
  for (std::size_t k = 0; k < n; ++k) {
    sum_[k] += std::abs(defect_[k]);
    largest_[k] = std::max(largest_[k], sum_[k]);
  }
  std::swap(q_[0], q_[points - 1]);  // the last one begins the next four steps
  std::swap(rate_[0], rate_[points - 1]);
  t_[0] = t_[points - 1];
  known_ = 1;
}

double StepDefect::share() const {
  double largest = 0;
  for (const char turns : {'\0', '\1'}) {
    double range = 0, sum = 0;
    for (std::size_t k = 0; k < sum_.size(); ++k) {
      if (turns_[k] != turns) continue;
      range = std::max(range, most_[k] - least_[k]);
      sum = std::max(sum, largest_[k]);
    }
    if (range > least_range * (turns != 0 ? 1 : system_.length()))
      largest = std::max(largest, sum / range);
  }
  return largest;
}

void StepDefect::serialize(Archive& archive) {
  archive.mark("defects");
  for (auto* list : {&sum_, &largest_, &least_, &most_}) archive.io(*list);
  for (auto& list : q_) archive.io(list);
  for (auto& list : rate_) archive.io(list);
  for (double& t : t_) archive.io(t);
  archive.io(steps_);
  archive.io(known_);
  if (archive.loading() && (known_ < 0 || known_ >= points || steps_ < 0)) archive.fail();
}

}  // namespace cardan
