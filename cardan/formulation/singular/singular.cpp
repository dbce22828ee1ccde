#include "cardan/formulation/singular/singular.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/formulation/method_settings.h"
#include "cardan/formulation/singular/passage_proof.h"
#include "cardan/ode/archive_lists.h"
#include "cardan/system/own_condition.h"

namespace cardan {

namespace {

constexpr double within_branch =
    0.2;  // share of the distance to the singular pose a state may be moved by
constexpr double energy_slack =
    1e5;  // times rtol: change of energy over a passage that is called a loss
constexpr double energy_round_off = 1e-9,
                 most_slack = 0.05;  // least and largest relative change of energy that is let pass
constexpr double followed_ratio = 1e-4;          // weakest pivot below which u and w are kept
constexpr double piece = 0.1, most_pieces = 20;  // of the mechanism's size, between two looks
constexpr int iterations = 3;  // of inverse iteration, from the direction of the step before

std::string weakest_text(const MotionSolver& motion) {
  const System& system = motion.system();
  if (motion.min_pivot_row() < 0) return "the constraints";
  return system
      .constraints()[static_cast<std::size_t>(system.constraint_of(motion.min_pivot_row()))]
      .words();
}

}  // namespace

double pivot_ratio(const MotionSolver& motion) {
  return tells_distance(motion) ? motion.min_pivot_ratio() : 1;
}

double passage_slack(const DynamicOptions& options) {
  const auto traits = integrator_traits(options);
  if (traits && !traits->adaptive) return most_slack;
  return std::clamp(energy_slack * options.rtol, energy_round_off, most_slack);
}

bool branch_kept(const MotionSolver& motion, CView guess, CView q, View d) {
  const double ratio = pivot_ratio(motion);
  if (ratio > near_singular_ratio) return true;
  const System& system = motion.system();
  system.difference(q, guess, d);
  return system.largest_move(d) <= within_branch * std::sqrt(ratio) * system.length();
}

SingularWatch::SingularWatch(const FormulationSetting& setting)
    : slack_(passage_slack(setting.options)),
      atol_(setting.options.atol),
      u_(static_cast<std::size_t>(setting.system.equations().rows())),
      w_(static_cast<std::size_t>(setting.system.v_size())),
      rows_(u_),
      zero_(w_.size(), 0.0),
      d_(w_),
      way_(w_),
      q_(static_cast<std::size_t>(setting.system.q_size())),
      q_from_(q_),
      v_from_(w_),
      v_to_(w_) {
  for (Point* p : {&last_, &now_}) {
    p->q.resize(static_cast<std::size_t>(setting.system.q_size()));
    p->v = w_;
    p->z.resize(static_cast<std::size_t>(setting.system.states().size()));
  }
}

SingularWatch::~SingularWatch() = default;

void SingularWatch::follow_weakest(MotionSolver& motion) {
  if (!known_ && motion.min_pivot_row() >= 0) {
    std::fill(u_.begin(), u_.end(), 1e-3);
    u_[static_cast<std::size_t>(motion.min_pivot_row())] = 1;
  }
  for (int pass = 0; pass < iterations; ++pass) {
    motion.solve(zero_, u_, d_, rows_);  // rows_ = -S^-1 u
    const double length = as_vector(CView(rows_)).norm();
    if (!(length > 0)) return;
    const double along = as_vector(CView(rows_)).dot(as_vector(CView(u_)));
    for (std::size_t r = 0; r < u_.size(); ++r) u_[r] = (along > 0 ? 1 : -1) * rows_[r] / length;
  }
  motion.solve(zero_, u_, d_, rows_);  // phi_q d = u
  sigma_ = 1 / as_vector(CView(d_)).norm();
  as_vector(View(w_)) = sigma_ * as_vector(CView(d_));
  known_ = true;
}

bool SingularWatch::look(MotionSolver& motion, Point& p) {
  if (motion.linearise(p.t, p.q) != Eval::ok) return false;
  const System& system = motion.system();
  p.energy = system.kinetic(p.t, p.q, p.v) + system.potential(p.t, p.q, motion.work());
  p.energy += energy_outside(p.z);
  return true;
}

std::optional<Diagnostic> SingularWatch::step(MotionSolver& motion,
                                              double t,
                                              CView q,
                                              CView v,
                                              CView z,
                                              std::vector<FormulationEvent>& events,
                                              bool far,
                                              std::span<const Place> between) {
  if (u_.empty() || !tells_distance(motion)) return {};
  now_.t = t;
  now_.q.assign(q.begin(), q.end());
  now_.v.assign(v.begin(), v.end());
  now_.z.assign(z.begin(), z.end());
  std::optional<Diagnostic> stop;
  if (far) {
    known_ = false;
  } else {
    if (kept_ && !known_ && look(motion, last_)) follow_weakest(motion);
    if (!look(motion, now_)) return {};
    if (known_ && kept_) stop = walk(motion, between, events);
    if (!known_) follow_weakest(motion);
  }
  std::swap(last_, now_);
  kept_ = true;
  return stop;
}

std::optional<Diagnostic> SingularWatch::walk(MotionSolver& motion,
                                              std::span<const Place> between,
                                              std::vector<FormulationEvent>& events) {
  const System& system = motion.system();
  const Place end{now_.t, now_.q, now_.v};
  bool passed = false;
  from_ = {last_.t, last_.q, last_.v};
  for (std::size_t k = 0; k <= between.size(); ++k) {
    to_ = k < between.size() ? between[k] : end;
    if (const auto at = walk(motion, events, passed)) return no_way(motion, *at);
    from_ = to_;
  }
  const double change = now_.energy - last_.energy,
               kinetic = system.kinetic(now_.t, now_.q, now_.v);
  if (passed && !now_.z.empty() && std::abs(change) > slack_ * (kinetic + atol_))
    return lost_energy(motion, now_.t, change);
  return {};
}

// From from_ to to_ in short pieces, on which u and w hardly turn. The time of a pose that does not exist, if the way
// leads over one.
std::optional<double> SingularWatch::walk(MotionSolver& motion,
                                          std::vector<FormulationEvent>& events,
                                          bool& passed) {
  const System& system = motion.system();
  const double h = to_.t - from_.t;
  system.difference(to_.q, from_.q, way_);
  const double pieces = std::clamp(
      std::ceil(system.largest_move(way_) / (piece * system.length())), 1.0, most_pieces);
  double before = from_.t;
  for (double k = 1; k <= pieces; ++k) {
    const double s = k / pieces;
    pose_at(system, s, q_);
    const CView pose = k < pieces ? CView(q_) : to_.q;
    if (motion.linearise(from_.t + s * h, pose) != Eval::ok) continue;
    if (pivot_ratio(motion) <= followed_ratio) continue;
    system.equations().multiply(motion.work().packed, w_, rows_);
    const double signed_sigma = as_vector(CView(u_)).dot(as_vector(CView(rows_)));
    if (signed_sigma < 0) {
      const double at = before + (from_.t + s * h - before) * sigma_ / (sigma_ - signed_sigma);
      if (!proved(motion, (before - from_.t) / h, s)) return at;
      if (motion.linearise(from_.t + s * h, pose) != Eval::ok) continue;
      passed = true;
      events.push_back(
          {"singular-pose",
           fmt::format("passed a singular pose of {} at t = {:.5g} s on the smooth branch",
                       weakest_text(motion),
                       at)});
    }
    follow_weakest(motion);
    before = from_.t + s * h;
  }
  return {};
}

void SingularWatch::pose_at(const System& system, double s, View q) {
  const double s2 = s * s, s3 = s2 * s, h = to_.t - from_.t;
  for (std::size_t i = 0; i < way_.size(); ++i)
    d_[i] =
        (3 * s2 - 2 * s3) * way_[i] + h * ((s3 - 2 * s2 + s) * from_.v[i] + (s3 - s2) * to_.v[i]);
  system.advance(from_.q, d_, q);
}

bool SingularWatch::proved(MotionSolver& motion, double s_from, double s_to) {
  if (!proof_) proof_ = std::make_unique<PassageProof>(motion);
  const System& system = motion.system();
  const double h = to_.t - from_.t;
  const auto end = [&](double s, std::vector<double>& q, std::vector<double>& v) {
    pose_at(system, s, q);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = from_.v[i] + s * (to_.v[i] - from_.v[i]);
    return PassageProof::End{from_.t + s * h, q, v};
  };
  const auto from = end(s_from, q_from_, v_from_);
  const auto to = end(s_to, q_, v_to_);
  return proof_->exists(from, to, u_, w_);
}

Diagnostic SingularWatch::no_way(const MotionSolver& motion, double t) const {
  Diagnostic d;
  d.id = "numeric.singular";
  d.t = t;
  d.element = weakest_text(motion);
  d.found = "the mechanism locks here: a step went over poses that do not exist";
  d.expected = "a pose in which all joints are closed";
  d.hint = "drive it less far; a free mechanism turns back here: give a smaller max_step";
  return d;
}

Diagnostic SingularWatch::lost_energy(const MotionSolver& motion, double t, double change) const {
  Diagnostic d;
  d.id = "numeric.singular";
  d.t = t;
  d.element = weakest_text(motion);
  d.found = fmt::format("the energy changed by {:.3g} J in passing a singular pose", change);
  d.expected = "a passage on the smooth branch, which keeps it";
  d.hint = "use a tighter tolerance or a smaller step";
  return d;
}

void SingularWatch::serialize(Archive& archive) {
  archive.io(u_);
  archive.io(w_);
  archive.io(last_.q);
  archive.io(last_.v);
  io_or_none(archive, last_.z, last_.z.size());
  for (double* x : {&last_.t, &last_.energy, &sigma_}) archive.io(*x);
  archive.io(kept_);
  archive.io(known_);
}

}  // namespace cardan
