#include "cardan/analysis/record/tally.h"

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

void ViolationTally::take(CView residuals) {
  double largest = 0, norm = 0;
  for (const double r : residuals) {
    largest = std::max(largest, std::abs(r));
    norm += r * r;
  }
  norm = std::sqrt(norm);
  ++times_;
  largest_ = std::max(largest_, largest);
  sum_ += largest;
  largest_norm_ = std::max(largest_norm_, norm);
  norm_sum_ += norm;
}

ViolationMeasure ViolationTally::measure() const {
  if (times_ == 0) return {};
  const auto n = static_cast<double>(times_);
  return {largest_, sum_ / n, largest_norm_, norm_sum_ / n, times_};
}

void ViolationTally::serialize(Archive& archive) {
  archive.io(times_);
  for (double* x : {&largest_, &sum_, &largest_norm_, &norm_sum_}) archive.io(*x);
}

void JointTally::take(const System& system, CView positions, CView velocities) {
  position_.resize(system.constraints().size());
  velocity_.resize(position_.size());
  for (std::size_t c = 0; c < position_.size(); ++c) {
    double position = 0, velocity = 0;
    for (const int row : system.constraints()[c].rows) {
      if (row >= system.joint_rows()) continue;
      const auto r = static_cast<std::size_t>(row);
      position += positions[r] * positions[r];
      velocity += velocities[r] * velocities[r];
    }
    position_[c] = std::max(position_[c], std::sqrt(position));
    velocity_[c] = std::max(velocity_[c], std::sqrt(velocity));
  }
}

void JointTally::write(const System& system, Summary& summary) const {
  for (std::size_t c = 0; c < position_.size(); ++c) {
    const auto& info = system.constraints()[c];
    if (info.kind == Kind::joint || info.kind == Kind::driver)
      summary.constraint.joints.push_back({info.words(), position_[c], velocity_[c]});
  }
}

void JointTally::write_steps(const System& system, Summary& summary) const {
  std::size_t k = 0;
  for (std::size_t c = 0; c < position_.size(); ++c) {
    const auto& info = system.constraints()[c];
    if (info.kind != Kind::joint && info.kind != Kind::driver) continue;
    if (k == summary.constraint.joints.size()) return;
    JointViolation& joint = summary.constraint.joints[k++];
    joint.steps_position = position_[c];
    joint.steps_velocity = velocity_[c];
  }
}

void JointTally::serialize(Archive& archive, std::size_t constraints) {
  position_.resize(constraints);
  velocity_.resize(constraints);
  archive.io(position_);
  archive.io(velocity_);
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
