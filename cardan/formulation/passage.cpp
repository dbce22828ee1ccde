#include "cardan/formulation/passage.h"

#include <algorithm>
#include <cmath>

#include "cardan/formulation/partition.h"

namespace cardan {

namespace {

constexpr double steep =
    1.5;  // 1 / cos of the angle between the tangents chosen and those of a pose
constexpr double reach = 0.25;  // of the mechanism's size: how far a choice is kept

}  // namespace

Passage::Passage(MotionSolver& motion)
    : motion_(motion),
      system_(motion.system()),
      chart_(motion),
      tangent_(motion),
      crossing_(motion),
      p_(static_cast<std::size_t>(chart_.freedoms())),
      r_(p_),
      q_0_(static_cast<std::size_t>(system_.q_size())),
      d_(static_cast<std::size_t>(system_.v_size())),
      shifted_(q_0_) {}

Eval Passage::choose(double t, CView q, CView v) {
  if (chosen_) {
    system_.difference(q, q_0_, d_);
    if (system_.largest_move(d_) < reach * system_.length()) return Eval::ok;
  }
  const double first = crossing_.first_shift(v);
  for (const double s : {0.0, first, -first, 2 * first, -2 * first, 4 * first, -4 * first}) {
    for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = s * v[k];
    system_.advance(q, d_, shifted_);
    if (motion_.linearise(t + s, shifted_) != Eval::ok) continue;
    if (pivot_ratio(motion_) < (first > 0 ? Crossing::clear_ratio : 0)) continue;
    chart_.along(null_space_qr(active_jacobian(system_, motion_.active(), t + s, shifted_)), q);
    std::copy(q.begin(), q.end(), q_0_.begin());
    chosen_ = true;
    return Eval::ok;
  }
  return Eval::retry;
}

Eval Passage::motion(double t, CView q, CView v, MotionPoint& out) {
  if (across(t, q, v, out) == Eval::ok &&
      (crossing_.crossed() || (pivot_ratio(motion_) >= crossing_ratio && chart_.stretch() < steep)))
    return Eval::ok;
  return beside(t, q, v, out);
}

Eval Passage::across(double t, CView q, CView v, MotionPoint& out) {
  if (const Eval e = choose(t, q, v); e != Eval::ok) return e;
  chart_.coordinates(q, p_);
  chart_.rates(q, v, r_);
  return chart_.motion({t, p_, r_, q}, v, crossing_, out);
}

Eval Passage::beside(double t, CView q, CView v, MotionPoint& out) {
  if (const Eval e = motion_.linearise(t, q); e != Eval::ok) return e;
  tangent_.along(null_space_qr(active_jacobian(system_, motion_.active(), t, q)), q);
  tangent_.coordinates(q, p_);
  tangent_.rates(q, v, r_);
  return tangent_.motion({t, p_, r_, q}, out);
}

Eval Passage::pose(double t, CView q, CView v, double s, View out) {
  if (const Eval e = choose(t, q, v); e != Eval::ok) return e;
  chart_.coordinates(q, p_);
  chart_.rates(q, v, r_);
  for (std::size_t j = 0; j < p_.size(); ++j) p_[j] += s * r_[j];
  for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = s * v[k];
  system_.advance(q, d_, out);
  return chart_.positions(t + s, p_, out, s == 0);
}

void Passage::serialize(Archive& archive) {
  chart_.serialize(archive);
  archive.io(q_0_);
  archive.io(chosen_);
}

}  // namespace cardan
