#include "cardan/analysis/driven/driven_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/driven/redundancy_selection.h"
#include "cardan/analysis/start/rank.h"
#include "cardan/ode/archive_lists.h"

namespace cardan {

namespace {

constexpr double most_correction = 0.1;  // of the prediction, relative to the step
constexpr double most_gap = 0.02;        // half-way, relative to the step
constexpr double close_to_singular =
    1e-5;                                 // singular value relative to its usual size: passed here
constexpr double in_singular = 1e-7;      // the same: nearer than this poses are not determined
constexpr double shortest_step = 1e-13;   // relative to the time
constexpr double lock_time = 1e-10;       // s, distance from which a lock-up is reported
constexpr double least_part = 1e-3;       // of a driver in u: it is among the equations
constexpr double no_part = 1e-6;          // of a unit vector: does not belong to it
constexpr double singular_start = 1e-10;  // smallest relative pivot: the start is singular
constexpr double first_step = 1e-3;       // of the mechanism's size: out of a singular start
constexpr double same_vector = 0.7;       // cosine of the angle between two of them
constexpr double to_look = 0.3;          // singular value, of its usual size: others are looked for
constexpr double falls_by = 0.5;         // it falls by this before it pays to look again
constexpr double singular_ahead = 0.25;  // the same: a singular pose may lie ahead
constexpr double passage_begins = 0.05;  // the same, where interpolation begins
constexpr double look_beyond = 1.5;  // of the way to where it would be zero: so far ahead is looked
constexpr double steps_looked_ahead = 20;  // the same, in steps
constexpr int shorter_passages = 5;        // of the interval that is interpolated
constexpr double passage_error =
    1e-10;                       // difference to the motion, relative to how far and fast it goes
constexpr double better_by = 2;  // ratio of singular values that pays for other equations

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ab += a[k] * b[k];
    aa += a[k] * a[k];
    bb += b[k] * b[k];
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

std::size_t place(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

DrivenMotion::DrivenMotion(const System& system, const Mobility& mobility, const State& state)
    : system_(system),
      active_(mobility.active),
      solver_(std::make_unique<PositionSolver>(system, active_)),
      redundant_(!mobility.redundant.empty()),
      in_all_poses_(structurally_redundant(mobility)),
      now_(state),
      trial_(state),
      d_(state.v.size()) {}

DrivenMotion::DrivenMotion(const DrivenMotion& from, Ahead)
    : system_(from.system_),
      active_(from.active_),
      solver_(std::make_unique<PositionSolver>(system_, active_)),
      redundant_(from.redundant_),
      in_all_poses_(from.in_all_poses_),
      looked_at_(from.looked_at_),
      now_(from.now_),
      before_(from.before_),
      trial_(from.now_),
      h_(from.h_),
      direction_(from.direction_),
      smallest_before_(from.smallest_before_),
      usual_(from.usual_),
      steps_(from.steps_),
      d_(from.d_.size()),
      looks_ahead_(false) {
  stand();
}

// What the equations say where it stands.
void DrivenMotion::stand() {
  solver_->factor(now_.t, now_.q);
  const auto& singular = solver_->singularity();
  smallest_ = singular.smallest;
  sign_ = singular.sign;
  equations_ = singular.equations;
  motion_ = singular.motion;
}

std::optional<Diagnostic> DrivenMotion::start() {
  looked_until_ = now_.t;
  now_.a.resize(now_.v.size());
  if (!solver_->factor(now_.t, now_.q) || solver_->singularity().smallest < singular_start) {
    if (leave_singular_start()) return {};
    solver_->factor(now_.t, now_.q);
    const SingularPose pose = describe(now_.t);
    Diagnostic d = fault_at("numeric.singular",
                            fmt::format("the start is a singular pose ({}): the drivers do not "
                                        "determine the motion there",
                                        pose.kind),
                            now_.t);
    d.element = pose.joint;
    d.hint = "start a little before or after it";
    return d;
  }
  solver_->solve(now_.t, now_.q);
  solver_->velocities(now_.t, now_.q, now_.v);
  solver_->accelerations(now_.t, now_.q, now_.v, now_.a);
  smallest_ = usual_ = solver_->singularity().smallest;
  sign_ = solver_->singularity().sign;
  equations_ = solver_->singularity().equations;
  motion_ = solver_->singularity().motion;
  before_ = trial_ = now_;
  return {};
}

// A start in a bifurcation whose velocities belong to one of the motions there: a short step along them
// leads to this motion, since the others go apart from it in proportion to the step.
bool DrivenMotion::leave_singular_start() {
  const double speed = system_.largest_move(now_.v);
  if (!(speed > 0)) return false;
  const double h = first_step * system_.length() / speed;
  State near = now_, far = now_;
  for (const auto& [to, dt] : {std::pair(&near, h), std::pair(&far, 2 * h)}) {
    for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = dt * now_.v[k];
    system_.advance(now_.q, d_, to->q);
    to->t = now_.t + dt;
    const auto found = solver_->solve(to->t, to->q);
    iterations_ += found.iterations;
    if (!found.converged || found.moved > most_correction * system_.largest_move(d_)) return false;
    solver_->velocities(to->t, to->q, to->v);
    solver_->accelerations(to->t, to->q, to->v, to->a);
  }
  before_ = now_;
  for (std::size_t k = 0; k < d_.size(); ++k) before_.a[k] = 2 * near.a[k] - far.a[k];
  singular_poses_.push_back(describe(now_.t));
  singular_poses_.back().kind = "bifurcation";
  now_ = std::move(near);
  trial_ = now_;
  solver_->factor(now_.t, now_.q);
  smallest_ = solver_->singularity().smallest;
  usual_ = smallest_ / first_step;
  sign_ = solver_->singularity().sign;
  equations_ = solver_->singularity().equations;
  motion_ = solver_->singularity().motion;
  h_ = h;
  steps_ = 1;
  return true;
}

bool DrivenMotion::restart(double t) {
  now_.t = t;
  if (!solver_->solve(t, now_.q).converged) return false;
  solver_->velocities(t, now_.q, now_.v);
  solver_->accelerations(t, now_.q, now_.v, now_.a);
  before_ = trial_ = now_;
  passage_.reset();
  looked_until_ = t;
  return true;
}

// Angles count times the mechanism's size.
void DrivenMotion::predict(double h, View q) {
  const double before = now_.t - before_.t;
  for (std::size_t k = 0; k < d_.size(); ++k) {
    const double j = steps_ > 0 && before != 0 ? (now_.a[k] - before_.a[k]) / before : 0;
    d_[k] = h * (now_.v[k] + h / 2 * (now_.a[k] + h / 3 * j));
  }
  system_.advance(now_.q, d_, q);
}

double DrivenMotion::half_way_gap(const State& to, double h) {
  std::vector<double> left = now_.q, right = now_.q, d = d_;
  for (std::size_t k = 0; k < d.size(); ++k) d[k] = h / 2 * (now_.v[k] + h / 4 * now_.a[k]);
  system_.advance(now_.q, d, left);
  for (std::size_t k = 0; k < d.size(); ++k) d[k] = h / 2 * (-to.v[k] + h / 4 * to.a[k]);
  system_.advance(to.q, d, right);
  system_.difference(right, left, d);
  return system_.largest_move(d);
}

DrivenMotion::Try DrivenMotion::try_step(double h, State& to) {
  to.t = now_.t + h;
  predict(h, to.q);
  const double size = system_.largest_move(d_);
  const auto found = solver_->solve(to.t, to.q);
  iterations_ += found.iterations;
  const double slack = 1e-9 * system_.length();
  if (!found.converged || found.moved > most_correction * size + slack) return Try::refused;
  solver_->velocities(to.t, to.q, to.v);
  solver_->accelerations(to.t, to.q, to.v, to.a);
  if (!(half_way_gap(to, h) <= most_gap * size + slack)) return Try::refused;
  const auto& singular = solver_->singularity();
  trial_smallest_ = singular.smallest;
  trial_sign_ = singular.sign;
  trial_equations_ = singular.equations;
  trial_motion_ = singular.motion;
  const bool inside = trial_smallest_ < in_singular * usual_;  // its motion is not determined
  return trial_sign_ == sign_ && !inside && !passed_zero() ? Try::taken : Try::other_sign;
}

// phi_q w = sigma u: when both vectors keep their direction but for one sign, sigma has passed zero.
// The determinant does not tell where several do at once.
bool DrivenMotion::passed_zero() const {
  const double u = cosine(equations_, trial_equations_), w = cosine(motion_, trial_motion_);
  return u * w < 0 && std::min(std::abs(u), std::abs(w)) > same_vector;
}

void DrivenMotion::take(State&& to) {
  h_ = to.t - now_.t;
  ++steps_;
  before_ = std::move(now_);
  now_ = std::move(to);
  trial_ = now_;
  smallest_before_ = smallest_;
  smallest_ = trial_smallest_;
  sign_ = trial_sign_;
  equations_ = trial_equations_;
  motion_ = trial_motion_;
  usual_ = std::max(usual_, smallest_);
  if (smallest_ > to_look * usual_) looked_at_ = 1;
  if (passage_ && (now_.t - passage_->to()) * direction_ > 0) passage_.reset();
  if (!passage_ && in_all_poses_ > 0 &&
      smallest_ < falls_by * std::min(looked_at_, 2 * to_look) * usual_ &&
      !choose_equations(now_, smallest_))
    looked_at_ = smallest_ / usual_;
  if (on_step) on_step(before_, now_);
}

// From here on the equations that are most independent in a pose close by, if that is much better there.
bool DrivenMotion::choose_equations(const State& pose, double smallest_there) {
  auto kept = most_independent(system_, pose, active_, in_all_poses_);
  if (!kept) return false;
  PositionSolver there(system_, *kept);
  if (!there.factor(pose.t, pose.q) || there.singularity().smallest < better_by * smallest_there)
    return false;
  use_equations(std::move(*kept));
  solver_->solve(now_.t, now_.q);  // those before may have left a gap
  solver_->velocities(now_.t, now_.q, now_.v);
  solver_->accelerations(now_.t, now_.q, now_.v, now_.a);
  const auto& singular = solver_->singularity();
  smallest_ = smallest_before_ = singular.smallest;
  sign_ = singular.sign;
  equations_ = singular.equations;
  motion_ = singular.motion;
  usual_ = std::max(usual_, smallest_);
  looked_at_ = 1;
  return true;
}

void DrivenMotion::use_equations(std::vector<char> active) {
  active_ = std::move(active);
  solver_ = std::make_unique<PositionSolver>(system_, active_);
}

void DrivenMotion::turn_to(double target) {
  const double direction = target < now_.t ? -1 : 1;
  if (direction == direction_) return;
  direction_ = direction;
  passage_.reset();
  looked_until_ = now_.t;
}

bool DrivenMotion::passage_ahead() const {
  return passage_ && (passage_->to() - now_.t) * direction_ > 0;
}

std::optional<Diagnostic> DrivenMotion::go_to(double target) {
  turn_to(target);
  double h = target - now_.t;
  while ((target - now_.t) * direction_ > 0) {
    const bool ahead = passage_ahead();
    if (ahead && (passage_->from() - now_.t) * direction_ <= 0) {
      step_across(target);
      h = target - now_.t;
      continue;
    }
    const bool into = ahead && (target - passage_->from()) * direction_ > 0;
    const double stop = into ? passage_->from() : target;
    const double rest = stop - now_.t;
    if (std::abs(h) > std::abs(rest)) h = rest;
    const double shortest = shortest_step * std::max(1.0, std::abs(target));
    const bool last = h == rest;
    const Try result = try_step(h, trial_);
    if (result != Try::refused && look_ahead(h)) continue;
    if (result == Try::taken) {
      if (last) trial_.t = stop;
      take(std::move(trial_));
      h *= 2;
      continue;
    }
    if (result == Try::other_sign) {
      // Where it is only those in use that depend on each other, between here and there.
      if (in_all_poses_ > 0 && choose_equations(trial_, trial_smallest_)) continue;
      const double zero = h * smallest_ / (smallest_ + trial_smallest_);
      if (smallest_ <= close_to_singular * usual_ && pass_singular(zero)) {
        h = rest;
        continue;
      }
      // not nearer than needed: poses lose digits there
      const double share = 0.5 * close_to_singular * usual_ / smallest_;
      h = zero * std::max(0.5, 1 - share);
    } else {
      // Newton's method fails in the pose itself: over it, where it is known to lie ahead.
      const double zero =
          smallest_before_ > smallest_ ? h_ * smallest_ / (smallest_before_ - smallest_) : 0;
      if (smallest_ <= close_to_singular * usual_ && zero * direction_ > 0 && pass_singular(zero)) {
        h = rest;
        continue;
      }
      const double fold =
          smallest_ < 0.1 * usual_ ? fold_distance() : std::numeric_limits<double>::infinity();
      h = std::abs(h) / 2 < fold / 2 ? h / 2 : direction_ * fold / 2;
      if (fold < lock_time && smallest_ < 1e-2 * usual_) return locked(now_.t + direction_ * fold);
    }
    if (std::abs(h) < shortest) return lost(now_.t);
  }
  return {};
}

// With the outcome of a step just tried: whether a singular pose has been found that will be passed
// smoothly. Before the motion comes near it, so that poses on both sides are known well.
bool DrivenMotion::look_ahead(double h) {
  if (!looks_ahead_ || passage_ahead()) return false;
  const bool other_sign =
      trial_sign_ != sign_ || passed_zero() || trial_smallest_ < in_singular * usual_;
  const bool falls = trial_smallest_ < std::min(singular_ahead * usual_, smallest_);
  if (!other_sign && !falls) return false;
  const double steps =
      other_sign
          ? 1
          : std::min(steps_looked_ahead, look_beyond * smallest_ / (smallest_ - trial_smallest_));
  const double until = now_.t + steps * h;
  if ((until - looked_until_) * direction_ <= 0) return false;
  looked_until_ = until;
  DrivenMotion ahead(*this, Ahead{});
  if (ahead.go_to(until) || ahead.singular_poses_.empty()) return false;
  const SingularPose pose = ahead.singular_poses_.front();
  const double distance = pose.t - now_.t;
  double w = distance * std::min(0.2, passage_begins * usual_ / smallest_);
  for (int k = 0; k <= shorter_passages; ++k, w /= 2)
    if (collect(pose, w)) return true;
  return false;
}

// States beside the pose, and whether the motion between them is what they say.
bool DrivenMotion::collect(const SingularPose& pose, double w) {
  DrivenMotion ahead(*this, Ahead{});
  std::vector<State> nodes, between;
  const auto standing_at = [&](double x) {
    return !ahead.go_to(pose.t + x * w) && ahead.now_.t == pose.t + x * w;
  };
  std::vector<double> places(SmoothPassage::nodes.begin(), SmoothPassage::nodes.end());
  places.insert(places.end(), SmoothPassage::checks.begin(), SmoothPassage::checks.end());
  std::sort(places.begin(), places.end());
  for (const double x : places) {
    if (!standing_at(x)) return false;
    const bool node = std::trunc(x) == x;
    (node ? nodes : between).push_back(ahead.now_);
  }
  SmoothPassage passage(system_, pose, w, std::move(nodes));
  double speed = 0;
  for (const State& state : between) speed = std::max(speed, system_.largest_move(state.v));
  for (const State& state : between) {
    const auto [gap, difference] = passage.distance(state);
    if (gap > passage_error * std::abs(w) * speed || difference > passage_error * speed)
      return false;
  }
  passage_.emplace(std::move(passage));
  return true;
}

// To the target, or to the other side.
void DrivenMotion::step_across(double target) {
  const bool through = (target - passage_->to()) * direction_ >= 0;
  const double t = through ? passage_->to() : target;
  const auto beyond_pose = [&](double at) {
    return (at - passage_->pose().t) * direction_ >= 0;
  };
  if (beyond_pose(t) && !beyond_pose(now_.t)) singular_poses_.push_back(passage_->pose());
  trial_ = now_;
  if (through) {
    trial_.q = passage_->end().q;
    trial_.v = passage_->end().v;
    trial_.a = passage_->end().a;
    trial_.t = t;
    solver_->factor(t, trial_.q);
    const auto& singular = solver_->singularity();
    trial_smallest_ = singular.smallest;
    trial_sign_ = singular.sign;
    trial_equations_ = singular.equations;
    trial_motion_ = singular.motion;
    looked_until_ = t;
  } else {
    passage_->at(t, trial_);
    trial_smallest_ = smallest_;
    trial_sign_ = sign_;
    trial_equations_ = equations_;
    trial_motion_ = motion_;
  }
  take(std::move(trial_));
}

// From one side to the other, where both are so close that the pose between is known.
bool DrivenMotion::pass_singular(double zero) {
  for (const double factor : {2.0, 4.0, 8.0}) {
    if (try_step(factor * zero, trial_) != Try::other_sign) continue;
    if (trial_smallest_ > 20 * close_to_singular * usual_) continue;
    const double t = now_.t + factor * zero * smallest_ / (smallest_ + trial_smallest_);
    if (is_singular(now_)) singular_poses_.push_back(describe(t));
    take(std::move(trial_));
    return true;
  }
  return false;
}

// Of redundant equations those in use may depend on each other where the mechanism itself does not
// care: all of them together decide.
bool DrivenMotion::is_singular(const State& state) const {
  if (!redundant_) return true;
  std::vector<char> all(place(system_.equations().rows()), 0);
  std::fill_n(all.begin(), system_.joint_rows(), 1);
  const RankAnalysis found =
      analyse_rank(system_, system_.equations(), state.t, state.q, all, true);
  return found.rank < system_.v_size() || found.smallest < 100 * close_to_singular;
}

double DrivenMotion::fold_distance() const {
  double vv = 0, va = 0;
  const Layout& layout = system_.layout();
  for (std::size_t k = 0; k < now_.v.size(); ++k) {
    const double w = layout.turns(static_cast<int>(k)) ? system_.length() * system_.length() : 1.0;
    vv += w * now_.v[k] * now_.v[k];
    va += w * now_.v[k] * now_.a[k];
  }
  va *= direction_;
  return va > 0 ? vv / (2 * va) : std::numeric_limits<double>::infinity();
}

void DrivenMotion::at(double t, State& state) const {
  if (beside_singular(t)) {
    passage_->at(t, state);
    return;
  }
  if (t == now_.t || before_.t == now_.t) {
    state.t = now_.t;
    state.q = now_.q;
    state.v = now_.v;
    state.a = now_.a;
    return;
  }
  // The step that passed a singular pose is short: both ends' motions, weighed by nearness.
  const double h = now_.t - before_.t, s = (t - before_.t) / h;
  const double weight = s * s * (3 - 2 * s);
  std::vector<double> d(now_.v.size()), left = now_.q, right = now_.q;
  const auto from = [&](const State& end, double dt, std::vector<double>& q) {
    for (std::size_t k = 0; k < d.size(); ++k) d[k] = dt * (end.v[k] + dt / 2 * end.a[k]);
    system_.advance(end.q, d, q);
  };
  from(before_, s * h, left);
  from(now_, (s - 1) * h, right);
  system_.difference(right, left, d);
  for (double& x : d) x *= weight;
  state.t = t;
  system_.advance(left, d, state.q);
  for (std::size_t k = 0; k < d.size(); ++k) {
    const double a0 = before_.a[k], a1 = now_.a[k];
    state.a[k] = a0 + s * (a1 - a0);
    state.v[k] = before_.v[k] + s * (now_.v[k] - before_.v[k]);
  }
}

void DrivenMotion::serialize(Archive& archive) {
  archive.mark("driven motion 3");
  std::vector<char> active = active_;
  for (char& kept : active) archive.io(kept);
  if (archive.loading() && archive.good() && active != active_) use_equations(std::move(active));
  archive.io(looked_at_);
  for (State* state : {&now_, &before_}) {
    archive.io(state->t);
    for (auto* list : {&state->q, &state->v, &state->a}) archive.io(*list);
  }
  for (double* x : {&h_, &direction_, &smallest_, &smallest_before_, &usual_}) archive.io(*x);
  archive.io(sign_);
  archive.io(equations_);
  archive.io(motion_);
  archive.io(steps_);
  archive.io(iterations_);
  auto poses = singular_poses_.size();
  io_within(archive, poses, std::size_t{0}, std::size_t{1'000'000});
  if (archive.loading() && archive.good()) singular_poses_.resize(poses);
  for (SingularPose& pose : singular_poses_) {
    archive.io(pose.t);
    for (std::string* text : {&pose.kind, &pose.joint, &pose.driver}) archive.io(*text);
    if (!archive.good()) return;
  }
  solver_->serialize(archive);
  archive.io(looked_until_);
  bool passing = passage_.has_value();
  archive.io(passing);
  if (archive.loading()) {
    trial_ = now_;
    passage_.reset();
    if (passing)
      passage_.emplace(
          system_, SingularPose{}, 1.0, std::vector<State>(SmoothPassage::nodes.size(), now_));
  }
  if (passing) passage_->serialize(archive);
}

void DrivenMotion::within(double t, State& state) {
  at(t, state);
  if (t == now_.t || beside_singular(t)) return;
  std::vector<double> q = state.q;
  const auto found = solver_->solve(state.t, q);
  system_.difference(now_.q, before_.q, d_);
  if (!found.converged || found.moved > most_correction * system_.largest_move(d_)) return;
  state.q = std::move(q);
  solver_->velocities(state.t, state.q, state.v);
  solver_->accelerations(state.t, state.q, state.v, state.a);
}

// The equations that are about to depend on each other: with a driver among them it cannot decide
// the motion; without one the joints alone do not. What passes has finite velocities, phi_q v = nu, so
// that u.nu is zero in the pose: the driver stands still there.
SingularPose DrivenMotion::describe(double t) {
  const auto& singular = solver_->singularity();
  SingularPose pose;
  pose.t = t;
  double drivers = 0, most = 0;
  for (std::size_t r = 0; r < singular.equations.size(); ++r) {
    const double u = singular.equations[r];
    const auto& info = system_.constraints()[place(system_.constraint_of(static_cast<int>(r)))];
    if (info.kind == Kind::driver) {
      drivers = std::max(drivers, std::abs(u));
      if (std::abs(u) > no_part) pose.driver = info.name;
    } else if (std::abs(u) > most) {
      most = std::abs(u);
      pose.joint = info.name;
    }
  }
  pose.kind = drivers <= least_part ? "bifurcation" : "dead centre";
  if (pose.kind == "bifurcation") pose.driver.clear();
  return pose;
}

Diagnostic DrivenMotion::locked(double t) {
  solver_->factor(now_.t, now_.q);
  SingularPose pose = describe(t);
  pose.kind = "lock-up";
  singular_poses_.push_back(pose);
  Diagnostic d = fault_at(
      "numeric.lock-up",
      fmt::format("the mechanism locks up at t = {:.10g} s: driver '{}' cannot move it further",
                  t,
                  pose.driver),
      t);
  d.element = pose.joint.empty() ? "" : fmt::format("joint '{}'", pose.joint);
  d.hint =
      "the driver's range ends here; `cardan check --set` with other lengths, or drive another "
      "joint";
  return d;
}

Diagnostic DrivenMotion::lost(double t) {
  solver_->factor(now_.t, now_.q);
  const SingularPose pose = describe(t);
  Diagnostic d = fault_at(
      "numeric.singular",
      fmt::format("the motion cannot be followed beyond t = {:.10g} s: no pose close to this one "
                  "closes all joints",
                  t),
      t);
  d.element = pose.joint.empty() ? "" : fmt::format("joint '{}'", pose.joint);
  d.hint = "a driver that jumps, or two branches that meet; look at the pose in the report";
  return d;
}

std::optional<Diagnostic> not_driven(const System& system,
                                     const Mobility& mobility,
                                     SourcePos where) {
  Diagnostic d;
  d.where = std::move(where);
  if (mobility.dof > 0) {
    d.id = "model.underdriven";
    d.found = fmt::format(
        "{} degree{} of freedom that no driver moves", mobility.dof, mobility.dof == 1 ? "" : "s");
    d.expected = "a driver for each";
    std::vector<std::string> free = mobility.free_coordinates;
    if (free.size() > 6) free.resize(6);
    d.hint =
        fmt::format("free: {}; add a [[driver]], or run a dynamic analysis", fmt::join(free, ", "));
    return d;
  }
  for (const Redundancy& redundancy : mobility.redundant) {
    std::set<std::string> drivers;
    for (const int row : redundancy.set) {
      const auto& info = system.constraints()[place(system.constraint_of(row))];
      if (info.kind == Kind::driver) drivers.insert(info.name);
    }
    if (drivers.empty()) continue;
    d.id = "model.overdriven";
    d.found = fmt::format("drivers that move the same freedom: '{}'", fmt::join(drivers, "', '"));
    d.expected = "one driver for each degree of freedom";
    d.hint = "leave one of them out";
    return d;
  }
  for (int r = 0; r < system.joint_rows(); ++r)
    if (mobility.active[place(r)] != 0 && system.equations().at_velocity_level(r)) {
      const auto& info = system.constraints()[place(system.constraint_of(r))];
      d.id = "model.not-available";
      d.element = info.words();
      d.where = info.where;
      d.found = "rolling: its positions follow from velocities, step by step";
      d.expected = "joints that determine positions";
      d.hint = "run a dynamic analysis; drivers move the mechanism there too";
      return d;
    }
  return {};
}

}  // namespace cardan
