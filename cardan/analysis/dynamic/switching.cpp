#include "cardan/analysis/dynamic/switching.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/math/elementary.h"
#include "cardan/system/limit_push.h"

namespace cardan {

namespace {

constexpr double part_of_size = 0.25;  // that a step may reach into what it meets
constexpr double closed_gap = 1e-8;    // of the mechanism's size, or rad
constexpr double no_pull = 1e-12;      // of the largest multiplier: round-off of a cam at rest
constexpr double still = 1e-9;         // of the fastest motion: a gap that neither opens nor closes
constexpr double missed_gap = 1e-6, missed_force = 1e-6;  // violated without an event
constexpr double no_speed = 1e-13;  // of the mechanism's size a second: round-off of what sticks
constexpr double missed_margin = 1e-6;  // of the limit of friction
constexpr double turned_back = 0.1;     // of `still` of the law, without an event
constexpr double near_centre = 0.01;    // of the distance at which bodies touch
constexpr double just_pushes = 1e-9;    // of the sizes of what adds up to a push: round-off of none
constexpr double shortest_to_part = 1e-9;  // s, a step to where bodies part
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
      sticking_(system),
      limits_(system.limits().size()),
      conditions_(system.conditions().size()),
      rubs_(system.friction().any_sticks() ? at(system.friction().count()) : 0),
      cams_(cam_rows(system)),
      pushes_(losing_contacts(system)),
      mode_(system.given_state().mode),
      slide_(system.given_state().slide),
      impulse_(limits_),
      values_(conditions_) {
  for (std::size_t k = 0; k < rubs_; ++k) {
    const FrictionElement& e = system.friction().element(static_cast<int>(k));
    compliant_rubs_ =
        compliant_rubs_ || (e.law.sticks() && e.load == FrictionElement::Load::compliant);
  }
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
  for (std::size_t k = 0; k < rubs_; ++k) {
    const auto element = static_cast<int>(k);
    const Sliding sliding = system_.sliding(element, mode_, slide_);
    for (int c = 0; sliding.holds() && c < system_.friction().ways(element); ++c)
      active[at(system_.friction().element(element).stick_row + c)] = sliding.keeps(c) ? 1 : 0;
  }
  return active;
}

void Switching::keep(const std::vector<char>& joints) {
  joints_ = joints;
  std::fill(joints_.begin() + system_.joint_rows(), joints_.end(), static_cast<char>(0));
  solver_.motion().activate(joints_);
}

void Switching::watch(Formulation& formulation, const State& like) {
  formulation_ = &formulation;
  at_ = like;
  use_modes();
}

void Switching::use_modes() {
  at_.mode = mode_;
  at_.slide = slide_;
  if (formulation_ != nullptr) formulation_->use_modes(mode_, slide_);
  solver_.motion().work().mode = mode_;
  solver_.motion().work().slide = slide_;
}

void Switching::take_modes(const State& state) {
  mode_ = state.mode;
  slide_ = state.slide;
  use_modes();
}

// ---------------------------------------------------------------- what the integrator asks

Crossing Switching::direction(int i) const {
  if (is_push(at(i))) return Crossing::either;
  if (at(i) >= limits_ + conditions_) return Crossing::falling;
  return at(i) < limits_ && is_hard(at(i)) ? Crossing::falling : Crossing::either;
}

std::string Switching::name(int i) const {
  if (is_push(at(i))) {
    const int contact = pushes_[at(i) - (at(count()) - pushes_.size())];
    return system_.limits()[at(system_.contacts()[at(contact)].first_limit)].words;
  }
  if (is_cam(at(i)))
    return system_.constraints()[at(cams_[at(i) - limits_ - conditions_ - rubs_].constraint)]
        .words();
  if (at(i) >= limits_ + conditions_)
    return system_.friction_label(static_cast<int>(at(i) - limits_ - conditions_));
  return at(i) < limits_ ? system_.limits()[at(i)].words
                         : "condition of " + system_.conditions()[at(i) - limits_];
}

Eval Switching::values(double t, CView y, View g) {
  if (const Eval e = formulation_->recover(formulation_->within(t), y, at_); e != Eval::ok)
    return e;
  gaps_ = solver_.gaps(t, at_.q, at_.v);
  const auto& gaps = gaps_;
  double largest = 0;
  if (rubs_ > 0 || !cams_.empty())
    for (const double x : at_.lambda) largest = std::max(largest, std::abs(x));
  const double round_off = rubs_ > 0 ? no_pull * largest : 0;  // of what carries nothing
  for (std::size_t k = 0; k < limits_; ++k) {
    g[k] = mode_[k] == open_limit ? gaps[k].gap
           : mode_[k] == kept_limit
               ? solver_.normal_force(static_cast<int>(k), at_.lambda) + round_off
               : 1;
  }
  if (rubs_ > 0) friction_values(at_, g.subspan(limits_ + conditions_, rubs_));
  for (std::size_t k = 0; k < cams_.size(); ++k)
    g[limits_ + conditions_ + rubs_ + k] = no_pull * largest - at_.lambda[at(cams_[k].row)];
  push_values(at_, g.last(pushes_.size()));
  if (conditions_ == 0) return Eval::ok;
  read_conditions(at_);
  for (std::size_t k = 0; k < conditions_; ++k)
    g[limits_ + k] = std::isnan(values_[k]) ? 1 : values_[k];
  return Eval::ok;
}

void Switching::push_values(const State& state, View g) {
  push_.resize(pushes_.size());
  if (pushes_.empty()) return;
  const Motion here = system_.motion(state.t, state.q, state.v, solver_.motion().work());
  for (std::size_t k = 0; k < pushes_.size(); ++k)
    g[k] = push_[k] = push_of_contact(system_, pushes_[k], here);
}

bool Switching::under_way(std::size_t k) const {
  return elementary::hypot(slide_[3 * k], slide_[3 * k + 1], slide_[3 * k + 2]) >
         (1 + just_begun) / 2;
}

// The speed along the sliding, or what is left of the limit of what sticks. Needs the rotations of
// the state, as gaps() leaves them.
void Switching::friction_values(const State& state, View g) {
  Workspace& w = solver_.motion().work();
  if (compliant_rubs_) {
    solver_.motion().use_states(state.z);
    solver_.motion().use_inputs(state.u);
    system_.evaluate_requests(state.t, state.q, state.v, w);
  }
  sticking_.margins(solver_.motion(), state, margins_);
  system_.rotations(state.q, w);
  for (std::size_t k = 0; k < rubs_; ++k) {
    const auto element = static_cast<int>(k);
    const Sliding sliding = system_.sliding(element, mode_, slide_);
    const FrictionLaw& law = system_.friction().element(element).law;
    g[k] = 1;
    if (!law.sticks() || sliding.mode == Sliding::open) continue;
    const bool all = sliding.mode == Sliding::sticks + (1 << system_.friction().ways(element)) - 1;
    if (sliding.holds()) g[k] = margins_[k];
    if (sliding.holds() && !all)
      g[k] = std::min(g[k], law.still - sticking_.slip(element, state, w).norm());
    if (!sliding.holds() && sliding.u.squaredNorm() > 0)
      g[k] = under_way(k) ? sticking_.slip(element, state, w).dot(sliding.u) : 1;
  }
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

// How far away from each other the two sides are, with the arms to their points.
double Switching::apart(std::size_t limit) const {
  const auto& info = system_.constraints()[at(system_.constraint_of(system_.limits()[limit].row))];
  Vec<3> d = Vec<3>::Zero();
  double arms = 0;
  for (std::size_t k = 0; k < info.sides.size(); ++k) {
    const Side& side = info.sides[k];
    const double sign = k == 0 ? -1 : 1;
    if (side.body == ground) {
      d += sign * Vec<3>(side.point[0], side.point[1], side.point[2]);
      continue;
    }
    arms += elementary::hypot(side.point[0], side.point[1], side.point[2]);
    for (int j = 0; j < system_.dimension(); ++j)
      d[j] += sign * at_.q[at(system_.layout().q(side.body) + j)];
  }
  return d.norm() + arms;
}

// How fast the sides of a limit turn, by velocities or accelerations.
double Switching::turning(std::size_t limit, CView v) const {
  const auto& info = system_.constraints()[at(system_.constraint_of(system_.limits()[limit].row))];
  const Layout& layout = system_.layout();
  double sum = 0;
  for (const Side& side : info.sides) {
    double omega = 0;
    for (int j = system_.dimension(); side.body != ground && j < system_.body_size(); ++j)
      omega = elementary::hypot(omega, v[at(layout.v(side.body) + j)]);
    sum += omega;
  }
  return sum;
}

// Lines, planes, hollows and stops have no size that one could pass: their gap is smooth over the
// time in which the motion bends, the radius of a turn over its speed. How fast it changes follows
// from both, as its direction may turn.
std::optional<Events::Reach> Switching::endless_reach(std::size_t limit) const {
  const double turn = turning(limit, at_.v), rate = std::abs(gaps_[limit].rate);
  const bool angle = system_.unit_kind(system_.limits()[limit].row) == UnitKind::angle;
  const double bend = angle ? turning(limit, at_.a) : relative_speed(limit, at_.a);
  double speed = angle ? turn : relative_speed(limit, at_.v) + turn * apart(limit);
  speed = std::max(speed, rate);
  if (!(speed > 0)) return {};
  double time = std::numeric_limits<double>::infinity();
  if (bend > 0) time = speed / bend;
  if (turn > 0 && !(angle && system_.space() == Space::planar)) time = std::min(time, 1 / turn);
  return Reach{speed, gaps_[limit].rate, speed * time};
}

std::optional<Events::Reach> Switching::reach(int i) const {
  if (at(i) >= limits_ || mode_[at(i)] != open_limit) return {};
  const double size = size_of(at(i));
  if (size == 0) return endless_reach(at(i));
  const double speed = relative_speed(at(i), at_.v);
  if (!(speed > 0)) return {};
  return Reach{speed, gaps_[at(i)].rate, size};
}

// Where a compliant limit does not push any more, nothing but its losses follows how far it still is pressed in, and
// errors of the motion do not show them: a step ends about where the bodies part.
double Switching::time_to_part(std::size_t push) const {
  const auto& info = system_.contacts()[at(pushes_[push])];
  double longest = std::numeric_limits<double>::infinity();
  for (int k = info.first_limit; push_[push] < just_pushes && k < info.first_limit + info.limits;
       ++k)
    if (gaps_[at(k)].gap < 0 && gaps_[at(k)].rate > 0)
      longest = std::min(longest, -gaps_[at(k)].gap / gaps_[at(k)].rate);
  return std::max(longest * (1 + just_pushes), shortest_to_part);
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
  for (std::size_t k = 0; k < push_.size(); ++k) longest = std::min(longest, time_to_part(k));
  return longest;
}

EventAction Switching::happened(double t, int i, View y) {
  if (is_push(at(i))) {
    corner_ = t;
    return EventAction::restart;
  }
  if (is_cam(at(i))) {
    report(t, "contact-lost", i, "cam and follower would part: from here the joint pulls");
    return EventAction::go_on;
  }
  const Eval e = formulation_->recover(formulation_->within(t), y, at_);
  if (at(i) >= limits_ || e != Eval::ok) {  // a failure is met again, and told, where it stops
    const bool rubs = at(i) >= limits_ + conditions_;
    pending_.push_back({i, rubs && mode_[at(i)] >= Sliding::sticks});
    return EventAction::stop;
  }
  const auto gap = solver_.gaps(t, at_.q, at_.v)[at(i)];
  if (!is_hard(at(i))) {
    report(t,
           gap.rate < 0 ? "contact" : "separation",
           i,
           fmt::format("{} at {:.6g} {}/s",
                       gap.rate < 0 ? "touches" : "leaves",
                       std::abs(gap.rate),
                       unit(at(i))));
    corner_ = t;
    if (rubs_ > 0) {  // its friction begins or ends
      pending_.push_back({i, false});
      return EventAction::stop;
    }
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

// Directions of sliding follow the motion; what was left without an event becomes one.
void Switching::check_friction(const State& state) {
  std::vector<double> g(rubs_);
  system_.rotations(state.q, solver_.motion().work());
  friction_values(state, g);
  for (std::size_t k = 0; k < rubs_; ++k) {
    const auto element = static_cast<int>(k);
    const Sliding sliding = system_.sliding(element, mode_, slide_);
    const FrictionLaw& law = system_.friction().element(element).law;
    if (!law.sticks() || sliding.mode == Sliding::open) continue;
    const int event = static_cast<int>(limits_ + conditions_ + k);
    if (sliding.holds()) {
      const double r =
          law.at_rest *
          system_.friction_load(element,
                                system_.motion(state.t, state.q, state.v, solver_.motion().work()),
                                state.lambda,
                                solver_.motion().work());
      if (g[k] < -missed_margin * r) pending_.push_back({event, true});
      continue;
    }
    const Vec<3> s = sticking_.slip(element, state, solver_.motion().work());
    if (sliding.u.squaredNorm() > 0 && s.dot(sliding.u) < -turned_back * law.still) {
      pending_.push_back({event, false});
      continue;
    }
    if (s.norm() <= turned_back * law.still) continue;
    const double length = under_way(k) || s.norm() > law.still ? 1 : just_begun;
    for (std::size_t c = 0; c < 3; ++c)
      slide_[3 * k + c] = length * s[static_cast<Eigen::Index>(c)] / s.norm();
  }
  use_modes();
}

bool Switching::is_break(double t) const {
  return behind_break(t) != t;
}

// A little behind a time at which something jumps, where that is here.
double Switching::behind_break(double t) const {
  const double near = 2 * std::abs(aside_);
  const auto next = std::lower_bound(breaks_.begin(), breaks_.end(), t - near);
  return next != breaks_.end() && *next <= t + near ? *next + aside_ : t;
}

bool Switching::check(const State& state) {
  check_conditions(state);
  if (rubs_ > 0) check_friction(state);
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

void Switching::report(double t, std::string kind, int i, std::string text) {
  events_.push_back({t, std::move(kind), name(i), std::move(text)});
}

void Switching::report_impact(const State& state, const ContactSolver::Impact& impact) {
  for (const auto& hit : impact.hits) {
    if (!(hit.impulse > 0)) continue;
    const auto k = at(hit.limit);
    impulse_[k] += hit.impulse;
    report(state.t,
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
      report(state.t,
             "rest",
             hit.limit,
             fmt::format("a rebound of {0:.3g} {2}/s would be slower than rest_speed = {1:.3g} "
                         "{2}/s: the bouncing ends",
                         -contact.restitution * hit.before,
                         contact.rest_speed,
                         unit(k)));
  }
}

void Switching::report_modes(const State& state, const std::vector<int>& before) {
  for (std::size_t k = 0; k < limits_; ++k) {
    if (before[k] == state.mode[k]) continue;
    const auto i = static_cast<int>(k);
    if (state.mode[k] == kept_limit) report(state.t, "engage", i, "stays closed");
    if (state.mode[k] == resting_limit)
      report(state.t, "engage", i, "stays closed, carried by others");
    if (state.mode[k] == open_limit) report(state.t, "release", i, "opens");
  }
  rubs_changed_ = false;
  for (std::size_t k = 0; k < rubs_; ++k) {
    const std::size_t place = limits_ + conditions_ + k;
    const auto kind = [&](int mode) {
      return mode >= Sliding::sticks ? 1 : mode;
    };
    rubs_changed_ = rubs_changed_ || before[place] != state.mode[place];
    if (kind(before[place]) == kind(state.mode[place])) continue;
    const auto i = static_cast<int>(place);
    if (state.mode[place] >= Sliding::sticks) report(state.t, "stick", i, "friction holds");
    if (state.mode[place] == Sliding::slides && before[place] >= Sliding::sticks)
      report(state.t, "slide", i, "friction at its limit: begins to slide");
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
  state.mode.assign(system_.mode_size(), 0);
  state.slide.assign(system_.given_state().slide.size(), 0.0);
  pending_.clear();
  take_modes(state);
  if (Diagnostics faults = violated(state); !faults.empty()) return std::move(faults.front());
  if (impulses_) {
    const double t = state.t;
    if (auto fault = impulses_->apply(solver_.motion(), state, events_)) return fault;
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
  if (!hard_ && rubs_ == 0) return {};
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
    approaching = approaching || (gaps[k].rate < -still * fastest &&
                                  (rubs_ == 0 || gaps[k].rate < -no_speed * system_.length()));
  }
  if (closed.empty() && rubs_ == 0) return {};
  if (approaching) {
    const auto impact = solver_.impact(state, closed);
    if (!impact.ok) return undetermined(state.t, closed);
    if (!state.z.empty()) {
      state.z[at(StateTable::index(EnergyState::dissipated))] += impact.lost;
      state.z[at(StateTable::index(EnergyState::drivers))] += impact.drivers;
    }
    report_impact(state, impact);
    gaps = solver_.gaps(state.t, state.q, state.v);
  }
  std::vector<int> slow, closed_not_released;
  fastest = 0;
  for (const double x : state.v) fastest = std::max(fastest, std::abs(x));
  for (const int k : closed) {
    if (gaps[at(k)].rate > still * std::max(fastest, 1e-300) && gaps[at(k)].rate > 1e-12) continue;
    slow.push_back(k);
    if (std::find(released.begin(), released.end(), k) == released.end())
      closed_not_released.push_back(k);
  }
  for (const int k : closed) state.mode[at(k)] = open_limit;
  if (rubs_ > 0) {
    const std::vector<int> none;
    if (auto fault = settle_friction(state, slow, approaching ? none : released)) return fault;
  } else if (!solver_.hold(state, approaching ? slow : closed_not_released)) {
    return undetermined(state.t, closed);
  }
  take_modes(state);
  report_modes(state, before);
  return {};
}

// What sticks and what slides from here on, with the limits that hold. Where forces jump, those
// behind the jump decide.
std::optional<Diagnostic> Switching::settle_friction(State& state,
                                                     const std::vector<int>& closed,
                                                     const std::vector<int>& opening) {
  std::vector<StickSolver::Role> roles(rubs_, StickSolver::Role::judged);
  for (const Pending& p : pending_)
    if (at(p.event) >= limits_ + conditions_)
      roles[at(p.event) - limits_ - conditions_] =
          p.release ? StickSolver::Role::released : StickSolver::Role::stopped;
  const double t = state.t;
  state.t = behind_break(t);
  const auto answer = sticking_.decide(solver_.motion(), state, closed, opening, roles);
  state.t = t;
  if (answer.kind != StickSolver::Answer::Kind::found) return contradiction(state.t, answer);
  stop_sliding(state);
  return {};
}

std::optional<Diagnostic> Switching::contradiction(double t,
                                                   const StickSolver::Answer& answer) const {
  Diagnostic d;
  d.id = "numeric.friction-paradox";
  if (answer.friction >= 0) d.element = system_.friction_label(answer.friction);
  if (answer.limit >= 0) {
    d.element = system_.limits()[at(answer.limit)].words;
    d.where = system_.contacts()[at(system_.limits()[at(answer.limit)].contact)].where;
  }
  using Found = StickSolver::Answer::Kind;
  d.found = answer.kind == Found::several
                ? "more than one motion satisfies the equations of rigid bodies with this friction"
            : answer.kind == Found::none
                ? "no forces of friction and contacts satisfy the equations of motion"
                : "it was not found which friction sticks and which slides";
  if (answer.kind == Found::unsettled) d.hint = "friction_law = \"tanh\" needs no such choice";
  d.t = t;
  return d;
}

// What sticks has no speed left: that of round-off is taken off. Forces jump, and with them the
// accelerations and multipliers that a formulation may start from.
void Switching::stop_sliding(State& state) {
  const std::vector<int> mode = mode_;
  const std::vector<double> slide = slide_;
  mode_ = state.mode;
  slide_ = state.slide;
  const std::vector<char> all = active();
  mode_ = mode;
  slide_ = slide;
  MotionSolver motion(system_, all);
  system_.use(state, motion.work());
  const double before = system_.mass().energy(state.v);
  std::vector<double> v = state.v;
  if (motion.project_velocities(state.t, state.q, v) != Eval::ok) return;
  state.v = v;
  if (!state.z.empty())
    state.z[at(StateTable::index(EnergyState::dissipated))] +=
        before - system_.mass().energy(state.v);
  (void)motion.accelerations(state.t, state.q, state.v, state.a, state.lambda);
}

void Switching::turn_condition(const State& state, std::size_t k) {
  const int old = mode_[limits_ + k], now = sign_of(values_[k]);
  mode_[limits_ + k] = now != 0 ? now : -old;
  if (mode_[limits_ + k] == old) return;
  report(state.t,
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
  state.slide = slide_;
  if (conditions_ > 0) {
    State ahead = state;
    const bool jumps = rubs_ > 0 && is_break(state.t);  // stopped here for what is behind it
    if (jumps) ahead.t = behind_break(state.t);
    read_conditions(ahead);
    for (std::size_t k = 0; jumps && k < conditions_; ++k)
      if (sign_of(values_[k]) == -mode_[limits_ + k]) turn_condition(state, k);
  }
  std::vector<int> released;
  bool limits = false;
  for (const Pending& p : now) {
    if (at(p.event) >= limits_ + conditions_) continue;
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
  if (kink) fault = impulses_->apply(solver_.motion(), state, events_);
  if (fault) return fault;
  const bool any_kept = std::any_of(mode_.begin(),
                                    mode_.begin() + static_cast<std::ptrdiff_t>(limits_),
                                    [](int m) { return m != open_limit; });
  if (limits || any_kept || kink || rubs_ > 0) fault = collide(state, released);
  pending_.clear();
  return fault;
}

void Switching::serialize(Archive& archive) {
  archive.mark("switching 2");
  archive.io(last_t_);
  archive.io(impulse_);
  if (impulse_.size() != limits_) return archive.fail();
  auto count = static_cast<int>(close_together_);
  archive.io(count);
  close_together_ = count;
  std::vector<int> kept(joints_.begin(), joints_.end());
  archive.io(kept);
  if (archive.loading() && kept.size() == joints_.size())
    keep(std::vector<char>(kept.begin(), kept.end()));
}

}  // namespace cardan
