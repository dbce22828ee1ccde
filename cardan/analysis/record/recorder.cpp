#include "cardan/analysis/record/recorder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "cardan/math/elementary.h"
#include "cardan/model/own_equations.h"
#include "cardan/results/run_reader.h"

namespace cardan {

namespace {

constexpr double open_share = 1e-6;  // of the largest: what counts as changed

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

// Origin of the user's frame from the mass centre's motion: q, v, a of (x, y, angle).
struct Frame {
  std::array<double, 3> q, v, a;
};

Frame user_frame(const System& system, const State& state, int body, double cs, double sn) {
  const auto& c = system.bodies()[at(body)].centre;
  const Layout& layout = system.layout();
  const double* q = state.q.data() + layout.q(body);
  const double* v = state.v.data() + layout.v(body);
  const double* a = state.a.data() + layout.v(body);
  const double x = -(cs * c[0] - sn * c[1]), y = -(sn * c[0] + cs * c[1]);
  return {{q[0] + x, q[1] + y, q[2]},
          {v[0] - v[2] * y, v[1] + v[2] * x, v[2]},
          {a[0] - a[2] * y - v[2] * v[2] * x, a[1] + a[2] * x - v[2] * v[2] * y, a[2]}};
}

}  // namespace

Recorder::Recorder(const System& system,
                   const std::vector<std::string>& patterns,
                   bool redundant,
                   Extent extent,
                   const Wishes& wishes)
    : system_(system),
      extent_(extent),
      request_motion_(system),
      contacts_(system),
      work_(system.workspace()),
      lengths_(system),
      wishes_(wishes) {
  // Friction is that of the reactions it was computed with.
  if (redundant) shared_.emplace(system);
  splits_ = redundant && system.friction().count() == 0;
  find_rows();
  find_relations();
  for (std::size_t c = 0; c < system.constraints().size(); ++c)
    if (system.constraints()[c].kind == Kind::driver) drivers_.push_back(static_cast<int>(c));
  lean_ = !patterns.empty() && !redundant && extent == Extent::all && system.results().empty();
  if (!lean_ || !choose_while_naming(patterns)) {
    name_channels();
    choose(patterns);
  }
  full_.resize(count_);
  position_rows_.resize(at(system.joint_rows()));
  velocity_rows_ = position_rows_;
  residual_.resize(at(system.equations().rows()));
  coordinate_.resize(at(system.coordinate_equations().rows()));
  coordinate_rate_ = coordinate_;
  coordinate_packed_.resize(at(system.coordinate_equations().packed_size()));
}

void Recorder::find_rows() {
  const Equations& equations = system_.equations();
  block_of_row_.resize(at(equations.rows()));
  for (std::size_t b = 0; b < equations.blocks().size(); ++b)
    for (int r = 0; r < equations.blocks()[b].rows; ++r)
      block_of_row_[at(equations.blocks()[b].first_row + r)] = static_cast<int>(b);
  limit_of_row_.assign(at(equations.rows() - system_.joint_rows()), -1);
  for (std::size_t k = 0; k < system_.limits().size(); ++k)
    limit_of_row_[at(system_.limits()[k].row - system_.joint_rows())] = static_cast<int>(k);
}

void Recorder::choose(const std::vector<std::string>& patterns) {
  fault_ = results_.prepare(system_, all_channels_);
  if (!patterns.empty() && !fault_) {
    const std::vector<std::string> here = patterns_here(patterns);
    if (here.empty())  // all of them are of driven motions
      for (int k = 0; k < static_cast<int>(all_channels_.size()); ++k)
        if (all_channels_[at(k)].quantity == "residual") chosen_.push_back(k);
    if (auto selected = select_channels(all_channels_, here); !selected)
      fault_ = selected.why().front();
    else if (!here.empty())
      chosen_ = selected.value();
  }
  if (extent_ == Extent::motion) keep_motion();
  for (const int k : chosen_) channels_.push_back(all_channels_[at(k)]);
}

// False: a pattern fits nothing, and all names are needed to say what it could mean.
bool Recorder::choose_while_naming(const std::vector<std::string>& patterns) {
  patterns_ = &patterns;
  fits_.assign(patterns.size(), 0);
  name_channels();
  patterns_ = nullptr;
  if (std::find(fits_.begin(), fits_.end(), 0) == fits_.end()) return true;
  lean_ = false;
  shows_relations_ = shows_contacts_ = shows_acceleration_ = true;
  all_channels_.clear();
  chosen_.clear();
  shown_bodies_.clear();
  joints_.clear();
  forces_.clear();
  count_ = 0;
  return false;
}

// Without those that fit only channels of driven motions, where this is none.
std::vector<std::string> Recorder::patterns_here(const std::vector<std::string>& patterns) const {
  if (extent_ != Extent::all) return patterns;
  std::vector<Channel> elsewhere;
  name_request_motion(elsewhere);
  std::vector<std::string> here;
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> one{pattern};
    if (select_channels(all_channels_, one) || !select_channels(elsewhere, one))
      here.push_back(pattern);
  }
  return here;
}

// Residuals are always among them, so that there is something to keep.
void Recorder::keep_motion() {
  static constexpr std::string_view forces[] = {"reaction",
                                                "reaction size",
                                                "drive",
                                                "drive power",
                                                "force",
                                                "friction",
                                                "contact",
                                                "energy",
                                                "state"};
  std::vector<int> kept;
  const auto add = [&](int k) {
    const auto& quantity = all_channels_[at(k)].quantity;
    if (std::find(std::begin(forces), std::end(forces), quantity) == std::end(forces) &&
        !results_.reads_forces(k))
      kept.push_back(k);
  };
  for (const int k : chosen_) add(k);
  if (kept.empty())
    for (int k = 0; k < static_cast<int>(all_channels_.size()); ++k)
      if (chosen_.empty() || all_channels_[at(k)].quantity == "residual") add(k);
  chosen_ = kept;
}

void Recorder::add_channel(const std::string& name,
                           const std::string& unit,
                           const std::string& element,
                           const std::string& quantity) {
  if (is_shown(name)) all_channels_.push_back({name, unit, element, quantity});
}

// The next channel, by its name.
bool Recorder::is_shown(const std::string& name) {
  const auto place = static_cast<int>(count_++);
  if (!lean_) return true;
  bool shown = false;
  for (std::size_t k = 0; k < fits_.size(); ++k)
    if (fits_pattern(name, (*patterns_)[k])) fits_[k] = 1, shown = true;
  if (shown) chosen_.push_back(place);
  return shown;
}

void Recorder::keep_fitting(std::size_t from) {
  std::size_t kept = from;
  for (std::size_t k = from; k < all_channels_.size(); ++k) {
    if (!is_shown(all_channels_[k].name)) continue;
    if (kept != k) all_channels_[kept] = std::move(all_channels_[k]);
    ++kept;
  }
  all_channels_.resize(kept);
}

// Coordinates of one's own and the multipliers of their constraints.
void Recorder::name_coordinates() {
  const OwnEquations& own = *system_.own();
  for (const auto& c : own.coordinates) {
    const std::string e = "coordinate " + c.name, unit = c.unit.empty() ? "1" : c.unit;
    add_channel(c.name, c.unit, e, "position");
    add_channel(c.name + ".rate", unit + "/s", e, "velocity");
    add_channel(c.name + ".acceleration", unit + "/s^2", e, "acceleration");
  }
  for (const auto& c : own.constraints)
    add_channel(c.name + ".lambda", c.multiplier_unit, "constraint " + c.name, "reaction");
}

double* Recorder::put_coordinates(const State& state, double* out) const {
  for (std::size_t k = 0; k < state.q.size(); ++k)
    for (const double x : {state.q[k], state.v[k], state.a[k]}) *out++ = x;
  for (const auto& constraint : system_.constraints())
    *out++ = state.lambda[at(constraint.rows.front())];
  return out;
}

void Recorder::name_body(const std::string& name) {
  const std::string e = "body " + name, n = name + ".";
  add_channel(n + "x", "m", e, "position"), add_channel(n + "y", "m", e, "position"),
      add_channel(n + "angle", "rad", e, "position");
  add_channel(n + "vx", "m/s", e, "velocity"), add_channel(n + "vy", "m/s", e, "velocity"),
      add_channel(n + "omega", "rad/s", e, "velocity");
  add_channel(n + "ax", "m/s^2", e, "acceleration"),
      add_channel(n + "ay", "m/s^2", e, "acceleration"),
      add_channel(n + "alpha", "rad/s^2", e, "acceleration");
}

void Recorder::name_bodies() {
  const bool planar = system_.space() == Space::planar;
  for (int b = 0; b < system_.body_count(); ++b) {
    const std::string& name = system_.bodies()[at(b)].name;
    if (shows([&] { planar ? name_body(name) : name_spatial_body(name); }))
      shown_bodies_.push_back(b);
  }
}

Recorder::JointPlan Recorder::plan_of(int constraint, std::size_t first) const {
  const Equations& equations = system_.equations();
  const auto& info = system_.constraints()[at(constraint)];
  JointPlan plan{constraint, first, {}};
  for (int e = 0; e < 2; ++e) {
    plan.ends[e].side = info.sides[at(e)];
    int last = -1;
    for (const int row : info.rows) {
      const int b = block_of_row_[at(row)];
      if (b == last) continue;
      last = b;
      for (const auto& term : equations.terms(equations.blocks()[at(b)]))
        if (term.body == plan.ends[e].side.body) plan.ends[e].reactions.push_back({b, term.offset});
    }
  }
  return plan;
}

void Recorder::name_joints() {
  const bool planar = system_.space() == Space::planar;
  for (std::size_t c = 0; c < system_.constraints().size(); ++c) {
    const auto& info = system_.constraints()[c];
    if (info.kind != Kind::joint || info.sides.size() != 2) continue;
    const std::size_t first = count_;
    if (shows([&] { planar ? name_joint(info) : name_spatial_joint(info); }))
      joints_.push_back(plan_of(static_cast<int>(c), first));
  }
  joints_end_ = count_;
}

void Recorder::name_joint(const System::ConstraintInfo& info) {
  for (const char* end : {".first.", ".second."}) {
    const std::string e = "joint " + info.name, n = info.name + end;
    add_channel(n + "fx", "N", e, "reaction"), add_channel(n + "fy", "N", e, "reaction"),
        add_channel(n + "torque", "N*m", e, "reaction");
    add_channel(n + "along", "N", e, "reaction"), add_channel(n + "across", "N", e, "reaction");
    add_channel(n + "force", "N", e, "reaction size");
  }
}

void Recorder::name_drivers() {
  for (const int c : drivers_) {
    const auto& info = system_.constraints()[at(c)];
    const bool turns = unit_kind_of(*info.description->measure) == UnitKind::angle;
    add_channel(info.name + (turns ? ".torque" : ".force"),
                turns ? "N*m" : "N",
                "driver " + info.name,
                "drive");
    add_channel(info.name + ".power", "W", "driver " + info.name, "drive power");
  }
}

void Recorder::name_forces() {
  for (std::size_t k = 0; k < system_.forces().size(); ++k) {
    const auto& force = system_.forces()[k];
    const ForcePool& pool = system_.force_set().pool(force.pool);
    const std::size_t first = count_;
    const auto name = [&] {
      for (std::size_t i = 0; i < pool.outputs().size(); ++i)
        add_channel(force.name + "." + std::string(pool.outputs()[i]),
                    std::string(pool.output_units()[i]),
                    "force " + force.name,
                    "force");
    };
    if (shows(name)) forces_.push_back({static_cast<int>(k), first});
  }
  forces_end_ = count_;
}

void Recorder::name_channels() {
  if (system_.own() != nullptr) {
    name_coordinates();
    joints_end_ = count_;
  } else {
    name_bodies();
    name_joints();
  }
  shows_relations_ = shows([&] { name_relations(); });
  relations_end_ = count_;
  name_drivers();
  name_resultants();
  name_forces();
  shows_contacts_ = shows([&] {
    const std::size_t from = all_channels_.size();
    contacts_.name(all_channels_);
    keep_fitting(from);
  });
  contacts_end_ = count_;
  for (const auto& request : std::span(system_.requests()).subspan(own_size())) {
    static constexpr const char* kinds[] = {"request", "state", "input"};
    const std::string kind = kinds[static_cast<std::size_t>(request.source)];
    add_channel(request.name, request.unit, kind + " " + request.name, kind);
  }
  if (extent_ != Extent::all) {
    shown_motion_ = request_motion_of();
    const std::size_t from = all_channels_.size();
    name_request_motion(all_channels_);
    keep_fitting(from);
  }
  for (const char* kind : {"kinetic", "potential", "dissipated", "applied", "drivers", "balance"})
    add_channel(std::string("energy.") + kind, "J", "", "energy");
  const bool own = system_.own() != nullptr;  // residuals of formulas have many units
  add_channel("residual.position", own ? "" : "m", "", "residual"),
      add_channel("residual.velocity", own ? "1/s" : "m/s", "", "residual");
  shows_acceleration_ =
      shows([&] { add_channel("residual.acceleration", own ? "1/s^2" : "m/s^2", "", "residual"); });
  add_channel("step.size", "s", "", "step"), add_channel("step.order", "", "", "step");
  name_wishes();
}

bool Recorder::is_request(const std::string& name) const {
  return std::any_of(system_.requests().begin(), system_.requests().end(), [&](const auto& r) {
    return r.name == name;
  });
}

// Rates and accelerations that have no name of another request.
void Recorder::name_request_motion(std::vector<Channel>& to) const {
  for (const auto& [k, acceleration] : request_motion_of()) {
    const auto& request = system_.requests()[k];
    const std::string e = "request " + request.name,
                      unit = request.unit.empty() ? "1" : request.unit;
    if (acceleration)
      to.push_back({request.name + ".acceleration", unit + "/s^2", e, "acceleration"});
    else
      to.push_back({request.name + ".rate", unit + "/s", e, "velocity"});
  }
}

std::vector<std::pair<std::size_t, bool>> Recorder::request_motion_of() const {
  std::vector<std::pair<std::size_t, bool>> list;
  for (std::size_t k = own_size(); k < system_.requests().size(); ++k) {
    const auto& request = system_.requests()[k];
    if (request.source != System::RequestInfo::Source::computed) continue;
    if (request_motion_.has_rate(k) && !is_request(request.name + ".rate"))
      list.emplace_back(k, false);
    if (request_motion_.has_acceleration(k) && !is_request(request.name + ".acceleration"))
      list.emplace_back(k, true);
  }
  return list;
}

// With the requests of the last evaluate().
double* Recorder::put_driven(double* out) const {
  for (const auto& [k, acceleration] : shown_motion_)
    *out++ = acceleration ? request_motion_.acceleration(k) : request_motion_.rate(k);
  return out;
}

bool Recorder::holds(int row, const State& state) const {
  if (row < system_.joint_rows()) return true;
  const int limit = limit_of_row_[at(row - system_.joint_rows())];
  return limit >= 0 && at(limit) < state.mode.size() && state.mode[at(limit)] == 1;
}

void Recorder::evaluate(const State& state) {
  const Equations& equations = system_.equations();
  system_.use(state, work_);
  system_.rotations(state.q, work_);
  const Config here = system_.config(state.t, state.q, work_);
  const auto scaled = [&](CView residual, std::size_t r) {
    return residual[r] *
           (system_.unit_kind(static_cast<int>(r)) == UnitKind::angle ? system_.length() : 1.0);
  };
  const auto position = [&](CView residual, std::size_t r) {
    return lengths_.length(static_cast<int>(r), residual[r]);
  };
  const auto largest = [&](CView residual, auto&& measured) {
    double worst = 0;
    for (std::size_t r = 0; r < residual.size(); ++r) {
      if (!holds(static_cast<int>(r), state)) continue;
      const double size = std::abs(measured(residual, r));
      if (!(size <= worst)) worst = size;
    }
    return worst;
  };
  equations.phi(here, work_.phi);
  equations.phi_q(here, work_.packed);
  equations.nu(here, work_.nu);
  position_ = largest(work_.phi, position);
  for (std::size_t r = 0; r < position_rows_.size(); ++r)
    position_rows_[r] = position(work_.phi, r);
  equations.multiply(work_.packed, state.v, residual_);
  for (std::size_t r = 0; r < residual_.size(); ++r) residual_[r] -= work_.nu[r];
  velocity_ = largest(residual_, scaled);
  for (std::size_t r = 0; r < velocity_rows_.size(); ++r) velocity_rows_[r] = scaled(residual_, r);
  if (shows_acceleration_) {
    equations.gamma(system_.motion(state.t, state.q, state.v, work_), work_.gamma);
    equations.multiply(work_.packed, state.a, residual_);
    for (std::size_t r = 0; r < residual_.size(); ++r) residual_[r] -= work_.gamma[r];
    acceleration_ = largest(residual_, scaled);
  }
  energy_ = energy_of(system_, state, work_);
  system_.evaluate_requests(state.t, state.q, state.v, work_);
  if (extent_ != Extent::all) request_motion_.evaluate(state, work_);
}

void Recorder::record(const State& state, const StepInfo& step, View row) {
  evaluate(state);
  contacts_.use_impulses(step.impulses);
  if (splits_) {
    shown_ = state;
    shared_->share(work_.packed, shown_.lambda);
  }
  const State& shown = splits_ ? shown_ : state;
  double* out = full_.data();
  put_bodies(shown, out);
  put_joints(shown, out);
  out = put_forces(shown, out);
  put_system(shown, step, out);
  results_.put(state.t, full_);
  if (chosen_.empty()) {
    std::copy(full_.begin(), full_.end(), row.begin());
  } else {
    for (std::size_t k = 0; k < chosen_.size(); ++k) row[k] = full_[at(chosen_[k])];
  }
}

double* Recorder::put_bodies(const State& state, double* out) const {
  if (system_.own() != nullptr) return put_coordinates(state, out);
  if (system_.space() == Space::spatial) return put_spatial_bodies(state, out);
  for (const int b : shown_bodies_) {
    const double* turn = work_.rotation.data() + 2 * std::ptrdiff_t{b};
    const Frame f = user_frame(system_, state, b, turn[0], turn[1]);
    double* of_body = out + 9 * std::ptrdiff_t{b};
    for (const auto* part : {&f.q, &f.v, &f.a})
      of_body = std::copy(part->begin(), part->end(), of_body);
  }
  return out + 9 * std::ptrdiff_t{system_.body_count()};
}

Vec<2> Recorder::arm(const Side& side) const {
  if (side.body < 0) return {side.point[0], side.point[1]};
  const double c = work_.rotation[at(2 * side.body)], s = work_.rotation[at(2 * side.body + 1)];
  return {c * side.point[0] - s * side.point[1], s * side.point[0] + c * side.point[1]};
}

Vec<2> Recorder::place(const Side& side, const State& state) const {
  Vec<2> p = arm(side);
  if (side.body >= 0) p += Vec<2>(state.q.data() + system_.layout().q(side.body));
  return p;
}

Vec<3> Recorder::body_wrench(const JointEnd& end, const State& state) const {
  Vec<3> sum = Vec<3>::Zero();
  for (const Reaction& r : end.reactions) {
    const auto& block = system_.equations().blocks()[at(r.block)];
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < block.rows; ++k)
        sum[c] -=
            work_.packed[at(r.offset + c * block.rows + k)] * state.lambda[at(block.first_row + k)];
  }
  const Vec<2> s = arm(end.side);
  sum[2] -= s.x() * sum[1] - s.y() * sum[0];  // from the mass centre to the joint's point
  return sum;
}

Vec<3> Recorder::wrench(const JointPlan& joint, int end, const State& state) const {
  if (joint.ends[end].side.body >= 0) return body_wrench(joint.ends[end], state);
  const Vec<3> other = body_wrench(joint.ends[1 - end], state);  // the ground gets the opposite
  const Vec<2> d = place(joint.ends[1 - end].side, state) - place(joint.ends[end].side, state);
  return {-other[0], -other[1], -(other[2] + d.x() * other[1] - d.y() * other[0])};
}

// row: of all channels.
double* Recorder::put_joints(const State& state, double* row) {
  if (system_.space() == Space::spatial) put_spatial_joints(state, row);
  for (const auto& joint : joints_) {
    if (system_.space() == Space::spatial) break;
    Side axis = joint.ends[0].side;
    axis.point = axis.axis;
    const Vec<2> u = arm(axis).normalized();
    double* out = row + joint.first;
    for (int e = 0; e < 2; ++e) {
      const Vec<3> w = wrench(joint, e, state);
      const double values[] = {w[0],
                               w[1],
                               w[2],
                               w[0] * u.x() + w[1] * u.y(),
                               -w[0] * u.y() + w[1] * u.x(),
                               elementary::hypot(w[0], w[1])};
      out = std::copy(std::begin(values), std::end(values), out);
    }
  }
  if (shows_relations_) put_relations(state, row + joints_end_);
  double* out = row + relations_end_;
  for (const int driver : drivers_) {
    const auto r = at(system_.constraints()[at(driver)].rows.front());
    *out++ = -state.lambda[r];
    *out++ = -state.lambda[r] * work_.nu[r];
  }
  return put_resultants(state, out);
}

// All that joints do to a body, which is determined where the single reactions are not: every
// combination of reactions that is determined is a combination of these.
void Recorder::name_resultants() {
  if (!shared_) return;
  const bool planar = system_.space() == Space::planar;
  const auto add = [&](const std::string& name, const std::string& element) {
    for (const char* k : {"fx", "fy"}) add_channel(name + ".joints." + k, "N", element, "reaction");
    if (planar) return add_channel(name + ".joints.torque", "N*m", element, "reaction");
    add_channel(name + ".joints.fz", "N", element, "reaction");
    for (const char* k : {"mx", "my", "mz"})
      add_channel(name + ".joints." + k, "N*m", element, "reaction");
  };
  for (const auto& body : system_.bodies()) add(body.name, "body " + body.name);
  add("ground", "ground");
}

// About the mass centre of the body, and about the origin of the ground.
double* Recorder::put_resultants(const State& state, double* out) const {
  if (!shared_) return out;
  if (system_.space() == Space::spatial) return put_spatial_resultants(state, out);
  const int bodies = system_.body_count();
  std::fill_n(out, 3 * (bodies + 1), 0.0);
  for (const auto& joint : joints_)
    for (int e = 0; e < 2; ++e) {
      const Side& side = joint.ends[e].side;
      const Vec<3> w = wrench(joint, e, state);
      const Vec<2> s = arm(side);
      double* sum = out + 3 * std::ptrdiff_t{side.body < 0 ? bodies : side.body};
      sum[0] += w[0];
      sum[1] += w[1];
      sum[2] += w[2] + s.x() * w[1] - s.y() * w[0];
    }
  add_relation_resultants(state, out);
  return out + 3 * (bodies + 1);
}

std::vector<char> Recorder::not_unique(const State& state) {
  std::vector<char> open(all_channels_.size(), 0);
  if (!shared_) return open;
  evaluate(state);
  State probe = state;
  std::vector<double> values(all_channels_.size(), 0.0);
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t r = 0; r < probe.lambda.size(); ++r)
      probe.lambda[r] = elementary::sin(1.7 * static_cast<double>(r + 1) + 0.9 * pass) + 1.3;
    std::vector<double> determined = probe.lambda;
    shared_->share(work_.packed, determined);
    for (std::size_t r = 0; r < determined.size(); ++r) probe.lambda[r] -= determined[r];
    put_bodies(probe, values.data());
    put_joints(probe, values.data());
    double largest = 0;
    const auto reaction = [&](std::size_t k) {
      const std::string& quantity = all_channels_[k].quantity;
      return quantity.starts_with("reaction") || quantity.starts_with("drive");
    };
    for (std::size_t k = 0; k < values.size(); ++k)
      if (reaction(k)) largest = std::max(largest, std::abs(values[k]));
    for (std::size_t k = 0; k < values.size(); ++k)
      if (reaction(k) && std::abs(values[k]) > open_share * largest) open[k] = 1;
  }
  return open;
}

// row: of all channels.
double* Recorder::put_forces(const State& state, double* row) const {
  const Motion here = system_.motion(state.t, state.q, state.v, work_);
  const Inputs inputs = system_.inputs(work_);
  for (const auto& plan : forces_) {
    const auto& force = system_.forces()[at(plan.force)];
    const ForcePool& pool = system_.force_set().pool(force.pool);
    pool.output(here, inputs, force.element, View(row + plan.first, pool.outputs().size()));
  }
  if (shows_contacts_) contacts_.put(state, work_, row + forces_end_);
  double* out = std::copy(work_.request_value.begin() + static_cast<std::ptrdiff_t>(own_size()),
                          work_.request_value.end(),
                          row + contacts_end_);
  return extent_ != Extent::all ? put_driven(out) : out;
}

double* Recorder::put_system(const State& state, const StepInfo& step, double* out) const {
  for (const double x : {energy_.kinetic,
                         energy_.potential,
                         energy_.dissipated,
                         energy_.applied,
                         energy_.drivers,
                         energy_.balance(),
                         position_,
                         velocity_,
                         acceleration_,
                         step.h,
                         static_cast<double>(step.order)})
    *out++ = x;
  return put_wishes(state, step, out);
}

std::vector<BodyState> Recorder::body_states(const State& state) const {
  if (system_.space() == Space::spatial) return spatial_body_states(state);
  std::vector<BodyState> list;
  for (std::size_t k = 0; k < own_size(); ++k)
    list.push_back({system_.requests()[k].name, {state.q[k]}, {state.v[k]}, {state.a[k]}});
  for (int b = 0; b < system_.body_count(); ++b) {
    const double angle = state.q[at(system_.layout().q(b) + 2)];
    const Frame f = user_frame(system_, state, b, elementary::cos(angle), elementary::sin(angle));
    list.push_back({system_.bodies()[at(b)].name,
                    {f.q.begin(), f.q.end()},
                    {f.v.begin(), f.v.end()},
                    {f.a.begin(), f.a.end()}});
  }
  return list;
}

}  // namespace cardan
