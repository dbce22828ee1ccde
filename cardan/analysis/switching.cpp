#include "cardan/analysis/switching.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double part_of_size = 0.25;  // that a step may reach into what it meets
constexpr double closed_gap = 1e-8;    // of the mechanism's size, or rad
constexpr double still = 1e-9;         // of the fastest motion: a gap that neither opens nor closes
constexpr double missed_gap = 1e-6, missed_force = 1e-6;  // violated without an event
constexpr double near_centre = 0.01;                      // of the distance at which bodies touch
constexpr long most_close_together = 200;
constexpr double together = 1e-9;  // s, relative to the time beyond 1 s

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

int sign_of(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

}  // namespace

Switching::Switching(const System& system, const std::vector<char>& joints)
    : system_(system),
      joints_(joints),
      solver_(system, joints),
      limits_(system.limits().size()),
      conditions_(system.conditions().size()),
      mode_(system.given_state().mode),
      values_(conditions_) {
  hard_ = std::any_of(system.contacts().begin(), system.contacts().end(), [](const auto& contact) {
    return contact.hard;
  });
}

bool Switching::is_hard(std::size_t limit) const {
  return system_.contacts()[at(system_.limits()[limit].contact)].hard;
}

std::vector<char> Switching::active() const {
  std::vector<char> active = joints_;
  for (std::size_t k = 0; k < limits_; ++k)
    active[at(system_.limits()[k].row)] = mode_[k] == kept_limit ? 1 : 0;
  return active;
}

void Switching::keep(const std::vector<char>& joints) {
  joints_ = joints;
  for (const auto& limit : system_.limits()) joints_[at(limit.row)] = 0;
  solver_.motion().activate(joints_);
}

void Switching::watch(Formulation& formulation, const State& like) {
  formulation_ = &formulation;
  at_ = like;
  at_.mode = mode_;
  use_modes();
}

void Switching::use_modes() {
  if (formulation_ != nullptr) formulation_->motion().work().mode = mode_;
  solver_.motion().work().mode = mode_;
}

// ---------------------------------------------------------------- what the integrator asks

Crossing Switching::direction(int i) const {
  return at(i) < limits_ && is_hard(at(i)) ? Crossing::falling : Crossing::either;
}

std::string Switching::name(int i) const {
  return at(i) < limits_ ? system_.limits()[at(i)].words
                         : "condition of " + system_.conditions()[at(i) - limits_];
}

Eval Switching::values(double t, CView y, View g) {
  if (const Eval e = formulation_->recover(formulation_->within(t), y, at_); e != Eval::ok)
    return e;
  gaps_ = solver_.gaps(t, at_.q, at_.v);
  const auto& gaps = gaps_;
  for (std::size_t k = 0; k < limits_; ++k) {
    g[k] = mode_[k] == open_limit   ? gaps[k].gap
           : mode_[k] == kept_limit ? solver_.normal_force(static_cast<int>(k), at_.lambda)
                                    : 1;
  }
  if (conditions_ == 0) return Eval::ok;
  read_conditions(at_);
  for (std::size_t k = 0; k < conditions_; ++k)
    g[limits_ + k] = std::isnan(values_[k]) ? 1 : values_[k];
  return Eval::ok;
}

// Bodies that can pass each other: neither is hollow, and neither has a flat side without an end.
double Switching::size_of(std::size_t limit) const {
  const double centres = system_.contacts()[at(system_.limits()[limit].contact)].centre_gap;
  return std::isfinite(centres) ? std::max(-centres, 0.0) : 0;
}

double Switching::relative_speed(std::size_t limit, CView v) const {
  const auto& info = system_.constraints()[at(system_.constraint_of(system_.limits()[limit].row))];
  const Layout& layout = system_.layout();
  const int lengths = system_.dimension();
  const auto length_of = [](const Triple& s) {
    return elementary::hypot(s[0], s[1], s[2]);
  };
  Vec<3> u = Vec<3>::Zero(), apart = u;
  double turning = 0, arms = 0;
  const bool barrel = info.description != nullptr && info.description->contact &&
                      info.description->contact->slide == FrictionElement::Slide::barrel;
  double axis_turning = 0;  // of the first body, whose axis the other one is away from
  for (std::size_t k = 0; k < info.sides.size(); ++k) {
    const Side& side = info.sides[k];
    arms += length_of(side.point);
    if (side.body == ground) {
      if (barrel) apart += (k == 0 ? -1 : 1) * Vec<3>(side.point[0], side.point[1], side.point[2]);
      continue;
    }
    const double sign = k == 0 ? -1 : 1;
    for (int j = 0; j < lengths; ++j) {
      u[j] += sign * v[at(layout.v(side.body) + j)];
      apart[j] += sign * at_.q[at(layout.q(side.body) + j)];
    }
    double omega = 0;
    for (int j = lengths; j < system_.body_size(); ++j)
      omega = elementary::hypot(omega, v[at(layout.v(side.body) + j)]);
    turning += omega * length_of(side.point);
    if (k == 0) axis_turning = omega;
  }
  return u.norm() + turning + (barrel ? axis_turning * (apart.norm() + arms) : 0);
}

std::optional<Events::Reach> Switching::reach(int i) const {
  if (at(i) >= limits_ || mode_[at(i)] != open_limit || size_of(at(i)) == 0) return {};
  const double speed = relative_speed(at(i), at_.v);
  if (!(speed > 0)) return {};
  return Reach{speed, gaps_[at(i)].rate, size_of(at(i))};
}

// The gap, and then a part of the size of what is met, at speed u and acceleration a:
//   u h + a h^2 / 2 = way.
double Switching::longest_step() const {
  double longest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < limits_; ++k) {
    const double size = size_of(k);
    if (size == 0 || mode_[k] != open_limit) continue;
    const double way = std::max(gaps_[k].gap, 0.0) + part_of_size * size;
    const double u = relative_speed(k, at_.v), a = relative_speed(k, at_.a);
    const double h = 2 * way / (u + std::sqrt(u * u + 2 * a * way));
    if (h < longest) longest = h;
  }
  return longest;
}

EventAction Switching::happened(double t, int i, View y) {
  const Eval e = formulation_->recover(formulation_->within(t), y, at_);
  if (at(i) >= limits_ || e != Eval::ok) {  // a failure is met again, and told, where it stops
    pending_.push_back({i, false});
    return EventAction::stop;
  }
  const auto gap = solver_.gaps(t, at_.q, at_.v)[at(i)];
  if (!is_hard(at(i))) {
    tell(t,
         gap.rate < 0 ? "contact" : "separation",
         i,
         fmt::format("{} at {:.6g} {}/s",
                     gap.rate < 0 ? "touches" : "leaves",
                     std::abs(gap.rate),
                     unit(at(i))));
    return EventAction::restart;  // the force is not smooth here
  }
  const bool kept = mode_[at(i)] == kept_limit;
  if (!kept && gap.rate >= 0) return EventAction::go_on;  // round-off of a gap that opens
  pending_.push_back({i, kept});
  return EventAction::stop;
}

const std::string& Switching::unit(std::size_t limit) const {
  static const std::string length = "m", angle = "rad";
  return system_.unit_kind(system_.limits()[limit].row) == UnitKind::angle ? angle : length;
}

void Switching::read_conditions(const State& state) {
  system_.rotations(state.q, solver_.motion().work());
  solver_.motion().use_states(state.z);
  solver_.motion().use_inputs(state.u);
  system_.condition_values(state.t, state.q, state.v, solver_.motion().work(), values_);
}

void Switching::check_conditions(const State& state) {
  if (conditions_ == 0) return;
  read_conditions(state);
  for (std::size_t k = 0; k < conditions_; ++k) {
    int& side = mode_[limits_ + k];
    if (side == 0)
      side = sign_of(values_[k]);
    else if (sign_of(values_[k]) == -side)
      pending_.push_back({static_cast<int>(limits_ + k), false});
  }
  use_modes();
}

bool Switching::check(const State& state) {
  check_conditions(state);
  if (limits_ == 0) return stopped();
  const auto& gaps = solver_.gaps(state.t, state.q, state.v);
  if (const int k = limit_without_normal(gaps); k >= 0) pending_.push_back({k, false});
  if (!hard_) return stopped();
  double largest = 0;
  for (const double x : state.lambda) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < limits_; ++k) {
    if (!is_hard(k)) continue;
    const auto i = static_cast<int>(k);
    const double size = unit(k) == "m" ? system_.length() : 1;
    if (mode_[k] == open_limit && gaps[k].gap < -missed_gap * size && gaps[k].rate < 0)
      pending_.push_back({i, false});
    if (mode_[k] == kept_limit && solver_.normal_force(i, state.lambda) < -missed_force * largest)
      pending_.push_back({i, true});
  }
  return stopped();
}

// A compliant contact pressed in so far that the centres nearly coincide: they say no longer where
// it pushes.
int Switching::limit_without_normal(const std::vector<ContactSolver::Gap>& gaps) const {
  for (std::size_t k = 0; k < limits_; ++k) {
    const auto& contact = system_.contacts()[at(system_.limits()[k].contact)];
    if (!contact.hard && gaps[k].gap < (1 - near_centre) * contact.centre_gap)
      return static_cast<int>(k);
  }
  return -1;
}

std::optional<Diagnostic> Switching::without_normal(double t, int limit) const {
  Diagnostic d;
  d.id = "numeric.contact-centres";
  d.element = system_.limits()[at(limit)].words;
  d.where = system_.contacts()[at(system_.limits()[at(limit)].contact)].where;
  d.found = "bodies pressed into each other until their centres coincide";
  d.t = t;
  return d;
}

// ---------------------------------------------------------------- reactions

void Switching::tell(double t, std::string kind, int i, std::string text) {
  told.push_back({t, std::move(kind), name(i), std::move(text)});
}

void Switching::tell_impact(const State& state, const ContactSolver::Impact& impact) {
  for (const auto& hit : impact.hits) {
    if (!(hit.impulse > 0)) continue;
    const auto k = at(hit.limit);
    tell(state.t,
         "impact",
         hit.limit,
         fmt::format(
             "{0:.6g} {2}/s -> {1:.6g} {2}/s, impulse {3:.6g} {4}; the impact loses {5:.6g} J{6}",
             hit.before,
             hit.after,
             unit(k),
             hit.impulse,
             unit(k) == "m" ? "N*s" : "N*m*s",
             impact.lost,
             impact.restitution_given_up ? ", restitution left out since it would make energy"
                                         : ""));
    const auto& contact = system_.contacts()[at(system_.limits()[k].contact)];
    const bool came = -hit.before > 1e-6 * contact.rest_speed;
    if (came && !hit.rebounds && contact.restitution > 0 && !impact.restitution_given_up)
      tell(state.t,
           "rest",
           hit.limit,
           fmt::format("a rebound of {0:.3g} {2}/s would be slower than rest_speed = {1:.3g} "
                       "{2}/s: the bouncing ends",
                       -contact.restitution * hit.before,
                       contact.rest_speed,
                       unit(k)));
  }
}

void Switching::tell_modes(const State& state, const std::vector<int>& before) {
  for (std::size_t k = 0; k < limits_; ++k) {
    if (before[k] == state.mode[k]) continue;
    const auto i = static_cast<int>(k);
    if (state.mode[k] == kept_limit) tell(state.t, "engage", i, "stays closed");
    if (state.mode[k] == resting_limit)
      tell(state.t, "engage", i, "stays closed, carried by others");
    if (state.mode[k] == open_limit) tell(state.t, "release", i, "opens");
  }
}

Diagnostics Switching::violated(const State& state) {
  Diagnostics out;
  const auto& gaps = solver_.gaps(state.t, state.q, state.v);
  for (std::size_t k = 0; k < limits_; ++k) {
    const double size = unit(k) == "m" ? system_.length() : 1;
    if (!is_hard(k) || gaps[k].gap >= -closed_gap * size) continue;
    const auto& contact = system_.contacts()[at(system_.limits()[k].contact)];
    Diagnostic d;
    d.id = "assembly.penetration";
    d.where = contact.where;
    d.element = system_.limits()[k].words;
    d.found = fmt::format("a hard limit violated by {:.3g} {} at the start", -gaps[k].gap, unit(k));
    d.expected = "a pose within the limit";
    d.t = state.t;
    out.push_back(std::move(d));
  }
  return out;
}

std::optional<Diagnostic> Switching::begin(State& state) {
  state.mode.assign(limits_ + conditions_, 0);
  mode_ = state.mode;
  use_modes();
  if (Diagnostics faults = violated(state); !faults.empty()) return std::move(faults.front());
  if (impulses_) {
    const double t = state.t;
    if (auto fault = impulses_->apply(solver_.motion(), state, told)) return fault;
    state.t = t;
  }
  const auto& gaps = solver_.gaps(state.t, state.q, state.v);
  if (const int k = limit_without_normal(gaps); k >= 0) return without_normal(state.t, k);
  if (conditions_ > 0) {
    read_conditions(state);
    for (std::size_t k = 0; k < conditions_; ++k) mode_[limits_ + k] = sign_of(values_[k]);
    state.mode = mode_;
    use_modes();
  }
  return collide(state, {});
}

std::optional<Diagnostic> Switching::undetermined(double t, const std::vector<int>& closed) const {
  Diagnostic d;
  d.id = "numeric.friction-paradox";
  for (const int k : closed) d.worst.push_back({system_.limits()[at(k)].words, 0.0});
  if (!closed.empty()) {
    d.element = system_.limits()[at(closed.front())].words;
    d.where = system_.contacts()[at(system_.limits()[at(closed.front())].contact)].where;
  }
  d.found = "no forces of the contacts satisfy the equations of motion";
  d.t = t;
  return d;
}

// All closed hard limits together: an impact if one of them is approaching, then which of them
// hold.
std::optional<Diagnostic> Switching::collide(State& state, const std::vector<int>& released) {
  if (!hard_) return {};
  const std::vector<int> before = state.mode;
  std::vector<int> closed;
  bool approaching = false;
  double fastest = 0;
  for (const double x : state.v) fastest = std::max(fastest, std::abs(x));
  const auto is_closed = [&](std::size_t k, const ContactSolver::Gap& gap) {
    return mode_[k] != open_limit ||
           gap.gap <= closed_gap * (unit(k) == "m" ? system_.length() : 1);
  };
  const auto struck = [&](std::size_t k) {
    return std::any_of(
        pending_.begin(), pending_.end(), [&](const Pending& p) { return at(p.event) == k; });
  };
  auto gaps = solver_.gaps(state.t, state.q, state.v);
  for (std::size_t k = 0; k < limits_; ++k) {
    if (!is_hard(k) || !(is_closed(k, gaps[k]) || struck(k))) continue;
    closed.push_back(static_cast<int>(k));
    approaching = approaching || gaps[k].rate < -still * fastest;
  }
  if (closed.empty()) return {};
  if (approaching) {
    const auto impact = solver_.impact(state, closed);
    if (!impact.ok) return undetermined(state.t, closed);
    if (!state.z.empty()) {
      state.z[at(StateTable::index(EnergyState::dissipated))] += impact.lost;
      state.z[at(StateTable::index(EnergyState::drivers))] += impact.drivers;
    }
    tell_impact(state, impact);
    gaps = solver_.gaps(state.t, state.q, state.v);
  }
  std::vector<int> slow, slow_but_released;
  fastest = 0;
  for (const double x : state.v) fastest = std::max(fastest, std::abs(x));
  for (const int k : closed) {
    if (gaps[at(k)].rate > still * std::max(fastest, 1e-300) && gaps[at(k)].rate > 1e-12) continue;
    slow.push_back(k);
    if (std::find(released.begin(), released.end(), k) == released.end())
      slow_but_released.push_back(k);
  }
  for (const int k : closed) state.mode[at(k)] = open_limit;
  if (!solver_.hold(state, approaching ? slow : slow_but_released))
    return undetermined(state.t, closed);
  mode_ = state.mode;
  use_modes();
  tell_modes(state, before);
  return {};
}

void Switching::turn_condition(const State& state, std::size_t k) {
  const int old = mode_[limits_ + k], now = sign_of(values_[k]);
  mode_[limits_ + k] = now != 0 ? now : -old;
  if (mode_[limits_ + k] == old) return;
  tell(state.t,
       "switch",
       static_cast<int>(limits_ + k),
       mode_[limits_ + k] > 0 ? "becomes positive" : "becomes negative");
}

std::optional<Diagnostic> Switching::count_chatter(double t, int i) {
  const bool soon = std::abs(t - last_t_) <= together * std::max(1.0, std::abs(t));
  close_together_ = soon ? close_together_ + 1 : 0;
  last_t_ = t;
  if (close_together_ < most_close_together) return {};
  Diagnostic d;
  d.id = "numeric.chatter";
  d.element = name(i);
  d.found = fmt::format("{} events next to each other: it switches to and fro without end",
                        close_together_);
  d.t = t;
  return d;
}

std::optional<Diagnostic> Switching::react(State& state) {
  const std::vector<Pending> now = pending_;
  at_kink_ = false;
  if (!now.empty())
    if (auto endless = count_chatter(state.t, now.front().event)) return endless;
  if (limits_ > 0)
    if (const int k = limit_without_normal(solver_.gaps(state.t, state.q, state.v)); k >= 0)
      return without_normal(state.t, k);
  state.mode = mode_;
  if (conditions_ > 0) read_conditions(state);
  std::vector<int> released;
  bool limits = false;
  for (const Pending& p : now) {
    if (at(p.event) >= limits_) {
      turn_condition(state, at(p.event) - limits_);
      continue;
    }
    limits = true;
    if (p.release) released.push_back(p.event);
  }
  state.mode = mode_;
  use_modes();
  std::optional<Diagnostic> fault;
  const bool kink = impulses_ && impulses_->at(state.t);
  if (kink) fault = impulses_->apply(solver_.motion(), state, told);
  if (fault) return fault;
  const bool any_kept = std::any_of(mode_.begin(),
                                    mode_.begin() + static_cast<std::ptrdiff_t>(limits_),
                                    [](int m) { return m != open_limit; });
  if (limits || any_kept || kink) fault = collide(state, released);
  pending_.clear();
  return fault;
}

void Switching::serialize(Archive& archive) {
  archive.mark("switching");
  archive.io(last_t_);
  auto count = static_cast<int>(close_together_);
  archive.io(count);
  close_together_ = count;
  std::vector<int> kept(joints_.begin(), joints_.end());
  archive.io(kept);
  if (archive.loading() && kept.size() == joints_.size())
    keep(std::vector<char>(kept.begin(), kept.end()));
}

}  // namespace cardan
