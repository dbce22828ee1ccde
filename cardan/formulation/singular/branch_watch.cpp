#include "cardan/formulation/singular/branch_watch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/ode/archive_lists.h"
#include "cardan/system/energy.h"
#include "cardan/system/own_condition.h"

namespace cardan {

namespace {

constexpr double sudden_share = 0.5, curved = 2;  // of speed, and of accelerations times time
constexpr double kick = 20, kicked_share = 0.3;   // times the usual acceleration; of speed
constexpr long many_attempts = 1000;
constexpr double crawling = 1e-3;  // mean step next to the pose, of the one before

}  // namespace

BranchWatch::BranchWatch(const FormulationSetting& setting)
    : system_(setting.system),
      slack_(passage_slack(setting.options)),
      watch_(setting),
      a_(static_cast<std::size_t>(setting.system.v_size())),
      lambda_(static_cast<std::size_t>(setting.system.equations().rows())),
      d_(a_) {
  for (Place* p : {&before_, &last_}) {
    p->q.resize(static_cast<std::size_t>(setting.system.q_size()));
    p->v.resize(a_.size());
    p->z.resize(static_cast<std::size_t>(setting.system.states().size()));
  }
}

void BranchWatch::evaluated(const MotionSolver& motion) {
  lowest_ = std::min(lowest_, pivot_ratio(motion));
}

std::optional<Diagnostic> BranchWatch::step(MotionSolver& motion,
                                            double t,
                                            CView q,
                                            CView v,
                                            CView z,
                                            long attempts,
                                            std::vector<FormulationEvent>& events) {
  if (lambda_.empty() || !tells_distance(motion)) return {};
  const bool far = lowest_ > watched_ratio, near = lowest_ < near_singular_ratio,
             at_pose = lowest_ < crossing_ratio;
  lowest_ = 1;
  const std::size_t told = events.size();
  std::optional<Diagnostic> stop = watch_.step(motion, t, q, v, z, events, far);
  if (near && !near_ && kept_) {
    before_ = last_;
    attempts_ = 0;
    fastest_ = system_.largest_move(last_.v);
    kicks_ = 0;
    usual_ = std::max(usual_, acceleration(motion, before_));
  }
  if (kept_) change(t, v, near, at_pose);
  if (kept_ && !near) away_attempts_ += attempts;
  const bool passed_by = near_ && !near;
  near_ = near && kept_;
  last_.t = t;
  std::copy(q.begin(), q.end(), last_.q.begin());
  std::copy(v.begin(), v.end(), last_.v.begin());
  last_.z.assign(z.begin(), z.end());
  kept_ = true;
  attempts_ += attempts;
  fastest_ = std::max(fastest_, system_.largest_move(v));
  if (!stop && ((near_ && kicks_ > kicked_share * fastest_) || (passed_by && left(motion, last_))))
    stop =
        trouble(motion, t, "velocities jumped next to a singular pose: the smooth branch was left");
  if (!stop && passed_by && !z.empty()) {
    const double gain = energy(motion, last_) - energy(motion, before_);
    if (std::abs(gain) > slack_ * system_.kinetic(t, q, v))
      stop = trouble(
          motion, t, fmt::format("the energy changed by {:.3g} J next to a singular pose", gain));
  }
  if (!stop && near_ && crawls(t))
    stop = trouble(motion,
                   t,
                   fmt::format("{} attempts for {:.3g} s next to a singular pose",
                               attempts_,
                               std::abs(t - before_.t)));
  if (stop) events.resize(told);  // not passed, then
  return stop;
}

void BranchWatch::change(double t, CView v, bool near, bool at_pose) {
  const double h = std::abs(t - last_.t);
  for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = v[k] - last_.v[k];
  const double by = system_.largest_move(d_);
  if (!near) {
    way_ += h;
    if (h > 0) usual_ = std::max(usual_, by / h);
  } else if (at_pose && by > kick * usual_ * h) {
    kicks_ += by;
  }
}

bool BranchWatch::left(MotionSolver& motion, const Place& now) {
  for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = now.v[k] - before_.v[k];
  const double jump = system_.largest_move(d_);
  if (jump <= sudden_share * fastest_) return false;
  const double a = std::max(acceleration(motion, before_), acceleration(motion, now));
  return jump > sudden_share * fastest_ + curved * a * std::abs(now.t - before_.t);
}

double BranchWatch::acceleration(MotionSolver& motion, const Place& p) {
  motion.use_states(p.z);
  return motion.accelerations(p.t, p.q, p.v, a_, lambda_) == Eval::ok ? system_.largest_move(a_)
                                                                      : 0;
}

double BranchWatch::energy(MotionSolver& motion, const Place& p) {
  (void)motion.linearise(p.t, p.q);
  return system_.kinetic(p.t, p.q, p.v) + system_.potential(p.t, p.q, motion.work()) +
         energy_outside(p.z);
}

bool BranchWatch::crawls(double t) const {
  if (attempts_ < many_attempts || away_attempts_ == 0) return false;
  const double usual = way_ / static_cast<double>(away_attempts_);
  return std::abs(t - before_.t) < crawling * usual * static_cast<double>(attempts_);
}

Diagnostic BranchWatch::trouble(const MotionSolver& motion, double t, std::string found) const {
  Diagnostic d;
  d.id = "numeric.singular";
  d.t = t;
  if (motion.min_pivot_row() >= 0)
    d.element =
        system_
            .constraints()[static_cast<std::size_t>(system_.constraint_of(motion.min_pivot_row()))]
            .words();
  d.found = std::move(found);
  d.expected = "a passage on the smooth branch, in steps of the usual size";
  d.hint = "use formulation \"projected\" or \"partitioned\", which pass singular poses";
  return d;
}

void BranchWatch::serialize(Archive& archive) {
  watch_.serialize(archive);
  for (Place* p : {&before_, &last_}) {
    archive.io(p->t);
    archive.io(p->q);
    archive.io(p->v);
    io_or_none(archive, p->z, p->z.size());
  }
  for (double* x : {&lowest_, &fastest_, &way_, &usual_, &kicks_}) archive.io(*x);
  archive.io(away_attempts_);
  archive.io(attempts_);
  archive.io(kept_);
  archive.io(near_);
}

}  // namespace cardan
