#include "cardan/analysis/tally.h"

#include <algorithm>
#include <cmath>

namespace cardan {

void Extremes::take(const Recorder& recorder, double quaternion_drift) {
  position_ = std::max(position_, recorder.position_residual());
  velocity_ = std::max(velocity_, recorder.velocity_residual());
  const Energy& e = recorder.energy();
  last_energy_ = e.kinetic + e.potential;
  if (!any_) {
    first_balance_ = e.balance();
    first_energy_ = last_energy_;
  }
  imbalance_ = std::max(imbalance_, std::abs(e.balance() - first_balance_));
  quaternion_drift_ = std::max(quaternion_drift_, quaternion_drift);
  any_ = true;
}

void Extremes::write(Summary& summary, Space space, double drift_between_samples) const {
  summary.constraint.max_position = position_;
  summary.constraint.max_velocity = velocity_;
  summary.energy.initial = first_energy_;
  summary.energy.final = last_energy_;
  summary.energy.max_imbalance = imbalance_;
  if (space == Space::spatial)
    summary.quaternion_drift = std::max(quaternion_drift_, drift_between_samples);
}

void Extremes::serialize(Archive& archive) {
  for (double* x : {&position_,
                    &velocity_,
                    &imbalance_,
                    &quaternion_drift_,
                    &first_balance_,
                    &first_energy_,
                    &last_energy_})
    archive.io(*x);
  archive.io(any_);
}

void Costs::add(const Stats& s) {
  sum_.steps += s.steps;
  sum_.rejected += s.rejected;
  sum_.f += s.f;
  sum_.jacobian += s.jacobian;
  sum_.factorization += s.factorization;
  sum_.newton += s.newton;
}

void Costs::write(Summary& summary) const {
  summary.stats.steps = sum_.steps;
  summary.stats.rejected = sum_.rejected;
  summary.stats.rhs = sum_.f;
  summary.stats.jacobians = sum_.jacobian;
  summary.stats.factorizations = sum_.factorization;
  summary.stats.newton_iterations = sum_.newton;
}

void Costs::serialize(Archive& archive) {
  for (long* n :
       {&sum_.steps, &sum_.rejected, &sum_.f, &sum_.jacobian, &sum_.factorization, &sum_.newton})
    archive.io(*n);
}

std::vector<double> output_times(double from, double until, double step) {
  const double span = until - from;
  if (step == 0) step = std::abs(span) / 200;
  std::vector<double> times{from};
  const auto count = static_cast<long>(std::floor(std::abs(span) / step * (1 + 1e-12)));
  for (long k = 1; k <= count; ++k)
    times.push_back(from + std::copysign(step, span) * static_cast<double>(k));
  if (span != 0 && std::abs(times.back() - until) <= 1e-9 * step)
    times.back() = until;
  else if (span != 0)
    times.push_back(until);
  return times;
}

}  // namespace cardan
