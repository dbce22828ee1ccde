#include "cardan/system/several_groups.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"
#include "cardan/math/sine_cosine.h"
#include "cardan/system/several_kernel.h"

namespace cardan {

namespace {

std::size_t sz(int k) {
  return static_cast<std::size_t>(k);
}

// Often of one number.
void put(CView from, double* to) {
  if (from.size() == 1)
    *to = from[0];
  else
    std::copy(from.begin(), from.end(), to);
}

}  // namespace

SeveralGroups::SeveralGroups(const System& system)
    : system_(system),
      forces_(system),
      possible_(system.space() == Space::planar && !system.driven() &&
                system.friction().count() == 0 && !forces_.reads_requests()),
      knows_powers_(!forces_.others() &&
                    system.states().size() == system.states().first_of_model()),
      ahead_(sz(system.body_count())),
      angle_read_(forces_.angles_read()),
      store_(1) {}

// ---- lists of a plan

void SeveralGroups::adopt(const GroupSolver& solver) {
  ready_ = possible_ && solver.closed() && !solver.many();
  if (!ready_) return;
  bodies_.assign(ahead_.size(), {});
  points_.clear();
  dyads_.clear();
  steps_.clear();
  parts_.clear();
  part_inputs_.clear();
  local_.assign(solver.inputs().size(), 0);
  columns_ = noted_ = 0;
  for (const auto& part : solver.parts()) {
    const int count = static_cast<int>(part.inputs.size());
    for (int k = 0; k < count; ++k) local_[sz(part.inputs[sz(k)])] = k;
    for (const int b : part.bodies) bodies_[sz(b)].part = static_cast<int>(parts_.size());
    parts_.push_back({static_cast<int>(part_inputs_.size()), count, part.bodies});
    part_inputs_.insert(part_inputs_.end(), part.inputs.begin(), part.inputs.end());
    columns_ = std::max(columns_, count);
  }
  for (const auto& step : solver.steps()) {
    if (step.kind != GroupSolver::Kind::dyad) {
      const PinGroup& pin = solver.pins()[sz(step.index)];
      add_body(pin.pin.body, pin.pin, {1, 0});
      bodies_[sz(pin.pin.body)].input = pin.input;
      steps_.push_back({pin.pin.body, pin.input, -1, 0, 0});
      continue;
    }
    const Dyad& of = solver.dyads()[sz(step.index)];
    add_body(of.b.body, of.b, of.l_b);
    add_body(of.c.body, of.c, of.l_c);
    steps_.push_back({-1, -1, static_cast<int>(dyads_.size()), 0, 0});
    dyads_.push_back({of.b.body,
                      of.c.body,
                      of.length_b * of.length_b,
                      of.length_c * of.length_c,
                      1 / (of.length_b * of.length_c),
                      of.offset,
                      {}});
  }
  add_springs();
  order_points();
  lay_out();
}

// Bodies come after those that they are pinned to.
void SeveralGroups::add_body(int body, const OuterPin& pin, PlaneVector line) {
  BodyOf& made = bodies_[sz(body)];
  made.input = -1;
  made.base = pin.known < 0 ? -1 : point_at(pin.known, pin.s_known);
  made.place = pin.s_known;
  made.own = pin.s;
  const double square = line.dot(line);
  made.line = line * (1 / square);
  made.centre = {-line.dot(pin.s) / square, -line.cross(pin.s) / square};
  made.mass = system_.mass().at(body, 0, 0);
  made.inertia = system_.mass().at(body, 2, 2);
  made.inertia_at_base = made.inertia + made.mass * pin.s.dot(pin.s);
  made.weight_x = forces_.weights()[sz(3 * body)];
  made.weight_y = forces_.weights()[sz(3 * body + 1)];
  made.shows_angle = angle_read_[sz(body)] != 0;
}

// The point s in the frame of a body; one that is there already is taken.
int SeveralGroups::point_at(int body, PlaneVector s) {
  const BodyOf& of = bodies_[sz(body)];
  const PlaneVector arm = s - of.own;
  const Offset at{of.line.dot(arm), of.line.cross(arm)};
  const auto found = std::find_if(points_.begin(), points_.end(), [&](const PointOf& p) {
    return p.body == body && p.arm.a == at.a && p.arm.b == at.b;
  });
  if (found != points_.end()) return static_cast<int>(found - points_.begin());
  points_.push_back({body, at, {}});
  return static_cast<int>(points_.size()) - 1;
}

void SeveralGroups::add_springs() {
  springs_.clear();
  for (const SeveralForces::Spring& spring : forces_.springs()) {
    SpringOf made{{-1, -1}, {}, spring.c, spring.law};
    for (std::size_t i = 0; i < 2; ++i) {
      made.place[i] = {spring.x[i], spring.y[i]};
      if (spring.body[i] >= 0) made.point[i] = point_at(spring.body[i], made.place[i]);
    }
    springs_.push_back(made);
  }
}

void SeveralGroups::order_points() {
  order_.clear();
  for (Step& step : steps_) {
    step.first_point = static_cast<int>(order_.size());
    for (std::size_t p = 0; p < points_.size(); ++p) {
      const int body = points_[p].body;
      const bool own = step.body >= 0
                           ? body == step.body
                           : body == dyads_[sz(step.dyad)].b || body == dyads_[sz(step.dyad)].c;
      if (own) order_.push_back(static_cast<int>(p));
    }
    step.points = static_cast<int>(order_.size()) - step.first_point;
  }
}

void SeveralGroups::lay_out() {
  int size = 0;
  const auto take = [&](int& first, std::size_t count) {
    first = size;
    size += static_cast<int>(count);
  };
  const std::size_t bodies = bodies_.size(), points = points_.size(), inputs = local_.size(),
                    columns = sz(columns_), others = forces_.others() ? bodies : 0;
  take(time_, 1);
  take(p_, inputs);
  take(rates_, inputs);
  take(d_, 2 * bodies);
  take(omega_, bodies);
  take(turning_, bodies * columns);
  take(alpha_, bodies);
  take(angle_, bodies);
  take(place_, 2 * points);
  take(moving_, 2 * points * columns);
  take(drift_, 2 * points);
  take(force_, inputs);
  take(found_, inputs);
  take(mass_, columns * columns);
  take(side_, dyads_.size());
  take(active_, sz(forces_.active_count()));
  take(powers_, 2);
  take(q_, 3 * others);
  take(rotation_, 2 * others);
  take(v_, 3 * others);
  take(Q_, 3 * others);
  find_places();
  store_.assign(sz(size), {});
  kept_ = store_;
  kept_width_ = 0;
  turned_.resize(2 * 8 * inputs);
  width_ = 8;
  active_width_ = 0;
}

void SeveralGroups::find_places() {
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const int p = static_cast<int>(k);
    points_[k].at = {place_ + 2 * p, moving_ + 2 * p * columns_, drift_ + 2 * p};
  }
  shown_angles_.clear();
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const int b = static_cast<int>(k);
    BodyOf& body = bodies_[k];
    body.now = {d_ + 2 * b, omega_ + b, alpha_ + b, turning_ + b * columns_, angle_ + b};
    if (body.base >= 0) body.at = points_[sz(body.base)].at;
    if (body.shows_angle) shown_angles_.push_back(b);
  }
  one_each_ =
      std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.count == 1; });
}

void SeveralGroups::expect(double t_last, double H) {
  t_last_ = t_last;
  H_ = H;
  for (DyadOf& dyad : dyads_) {
    const Ahead &b = ahead_[sz(dyad.b)], &c = ahead_[sz(dyad.c)];
    dyad.ahead = {c.value - b.value + dyad.offset,
                  c.v - b.v,
                  c.a - b.a,
                  c.c0 - b.c0,
                  c.c1 - b.c1,
                  c.c2 - b.c2};
  }
}

// ---- the passes for every processor

struct KernelCalls {
  CARDAN_EVERY_PROCESSOR static void march_1(SeveralGroups& g, double* guards) {
    if (g.one_each_)
      SeveralKernel<1, true>(g).march(guards);
    else
      SeveralKernel<1, false>(g).march(guards);
  }

  CARDAN_EVERY_PROCESSOR static void march_4(SeveralGroups& g, double* guards) {
    if (g.one_each_)
      SeveralKernel<4, true>(g).march(guards);
    else
      SeveralKernel<4, false>(g).march(guards);
  }

  CARDAN_EVERY_PROCESSOR static void march_8(SeveralGroups& g, double* guards) {
    if (g.one_each_)
      SeveralKernel<8, true>(g).march(guards);
    else
      SeveralKernel<8, false>(g).march(guards);
  }

  CARDAN_EVERY_PROCESSOR static void forces_1(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<1, true>(g).forces();
    else
      SeveralKernel<1, false>(g).forces();
  }

  CARDAN_EVERY_PROCESSOR static void forces_4(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<4, true>(g).forces();
    else
      SeveralKernel<4, false>(g).forces();
  }

  CARDAN_EVERY_PROCESSOR static void forces_8(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<8, true>(g).forces();
    else
      SeveralKernel<8, false>(g).forces();
  }

  CARDAN_EVERY_PROCESSOR static void show_1(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<1, true>(g).show();
    else
      SeveralKernel<1, false>(g).show();
  }

  CARDAN_EVERY_PROCESSOR static void show_4(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<4, true>(g).show();
    else
      SeveralKernel<4, false>(g).show();
  }

  CARDAN_EVERY_PROCESSOR static void show_8(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<8, true>(g).show();
    else
      SeveralKernel<8, false>(g).show();
  }

  CARDAN_EVERY_PROCESSOR static void add_others_1(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<1, true>(g).add_others();
    else
      SeveralKernel<1, false>(g).add_others();
  }

  CARDAN_EVERY_PROCESSOR static void add_others_4(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<4, true>(g).add_others();
    else
      SeveralKernel<4, false>(g).add_others();
  }

  CARDAN_EVERY_PROCESSOR static void add_others_8(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<8, true>(g).add_others();
    else
      SeveralKernel<8, false>(g).add_others();
  }

  CARDAN_EVERY_PROCESSOR static void accelerations_1(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<1, true>(g).accelerations();
    else
      SeveralKernel<1, false>(g).accelerations();
  }

  CARDAN_EVERY_PROCESSOR static void accelerations_4(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<4, true>(g).accelerations();
    else
      SeveralKernel<4, false>(g).accelerations();
  }

  CARDAN_EVERY_PROCESSOR static void accelerations_8(SeveralGroups& g) {
    if (g.one_each_)
      SeveralKernel<8, true>(g).accelerations();
    else
      SeveralKernel<8, false>(g).accelerations();
  }

  template <class Call> static Call of(int width, Call one, Call four, Call eight) {
    return width == 8 ? eight : width == 4 ? four : one;
  }
};

// ---- around them

// d of the bodies on pins: cosine and sine.
void SeveralGroups::turn_inputs(int width, CView p) {
  const auto w = sz(width);
  if (p.size() == 1) {
    const auto [sine, cosine] = elementary::sine_cosine(p[0]);
    turned_[0] = cosine;
    turned_[1] = sine;
  } else {
    cosines_and_sines(p.data(), 1, p.size(), turned_.data());
  }
  for (const Step& step : steps_) {
    if (step.body < 0) continue;
    const double* from = turned_.data() + 2 * sz(step.input) * w;
    double* to = numbers() + sz(d_ + 2 * step.body) * w;
    for (std::size_t l = 0; l < w; ++l) {
      to[l] = from[2 * l];
      to[w + l] = from[2 * l + 1];
    }
  }
}

// Angles that forces read: of bodies on pins the inputs, else the nearest to those expected, which stand there.
void SeveralGroups::show_angles(int width) {
  const auto list = [&](int first) {
    return numbers() + sz(first * width);
  };
  for (const int b : shown_angles_) {
    const BodyOf& body = bodies_[sz(b)];
    double* shown = list(body.now.angle);
    if (body.input >= 0) {
      std::copy_n(list(p_ + body.input), width, shown);
      continue;
    }
    const double *x = list(body.now.d), *y = x + width;
    for (int l = 0; l < width; ++l) {
      const PlaneVector d{x[l], y[l]};
      const double angle = elementary::atan2(body.line.cross(d), body.line.dot(d));
      shown[l] = angle + Dyad::one_turn * std::round((shown[l] - angle) / Dyad::one_turn);
    }
  }
}

bool SeveralGroups::accelerations(
    int width, CView t, CView p, CView rates, Workspace& work, View out) {
  const auto w = sz(width);
  const auto list = [&](int first) {
    return numbers() + sz(first) * w;
  };
  using Calls = KernelCalls;
  width_ = width;
  put(t, list(time_));
  put(p, list(p_));
  put(rates, list(rates_));
  turn_inputs(width, p);
  sides_known_ = width > 1 && noted_ == width && std::equal(t.begin(), t.end(), noted_time_);
  noted_ = 0;
  double guards[8];
  Calls::of(width, Calls::march_1, Calls::march_4, Calls::march_8)(*this, guards);
  guard_ = 1;
  for (std::size_t l = 0; l < w; ++l)
    if (!(guards[l] >= guard_)) guard_ = guards[l];
  if (!(guard_ > 0)) return false;
  noted_ = width;
  put(t, noted_time_);
  show_angles(width);
  if (forces_.active_changes() || active_width_ != width) {
    forces_.evaluate_active(width, list(time_), list(active_));
    active_width_ = width;
  }
  Calls::of(width, Calls::forces_1, Calls::forces_4, Calls::forces_8)(*this);
  if (forces_.others()) {
    Calls::of(width, Calls::show_1, Calls::show_4, Calls::show_8)(*this);
    forces_.evaluate_others(
        width, {list(time_), list(q_), list(rotation_), list(v_)}, work, list(Q_));
    Calls::of(width, Calls::add_others_1, Calls::add_others_4, Calls::add_others_8)(*this);
  }
  Calls::of(width, Calls::accelerations_1, Calls::accelerations_4, Calls::accelerations_8)(*this);
  put({list(found_), out.size()}, out.data());
  return true;
}

void SeveralGroups::note(int state, double t, const GroupSolver& solver, CView q) {
  if (state == 0) noted_ = 0;
  if (noted_ != state) return;
  noted_ = state + 1;
  noted_time_[state] = t;
  for (std::size_t k = 0; k < dyads_.size(); ++k) {
    const DyadOf& to = dyads_[k];
    numbers()[sz((side_ + static_cast<int>(k)) * width_ + state)] = solver.dyads()[k].h * to.sines;
    for (const int b : {to.b, to.c})
      numbers()[sz((angle_ + b) * width_ + state)] = q[sz(3 * b + 2)];
  }
}

void SeveralGroups::keep() {
  store_.swap(kept_);
  kept_width_ = width_;
  active_width_ = 0;
}

void SeveralGroups::use_kept() {
  store_.swap(kept_);
  width_ = kept_width_;
  kept_width_ = active_width_ = noted_ = 0;
}

void SeveralGroups::motion(int state, View q, View rotation, View v, View a) const {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const BodyOf& body = bodies_[k];
    const Part& part = parts_[sz(body.part)];
    const PlaneVector d = pair(body.now.d, state), e = arm(body, body.centre, state);
    PlaneVector centre = body.place, moves, drifts;
    double omega = number(body.now.omega, state), alpha = number(body.now.alpha, state);
    if (body.base >= 0) {
      centre = pair(body.at.place, state);
      drifts = pair(body.at.drift, state);
    }
    for (int j = 0; j < part.count; ++j) {
      const int input = part_inputs_[sz(part.first + j)];
      const double rate = number(rates_ + input, state), bend = number(found_ + input, state);
      alpha += number(body.now.turning + j, state) * bend;
      if (body.base < 0) continue;
      const PlaneVector column = pair(body.at.moving + 2 * j, state);
      moves = moves + column * rate;
      drifts = drifts + column * bend;
    }
    centre = centre + e;
    moves = moves + e.perp() * omega;
    drifts = drifts + e.perp() * alpha - e * (omega * omega);
    q[3 * k] = centre.x;
    q[3 * k + 1] = centre.y;
    q[3 * k + 2] = number(body.now.angle, state);
    rotation[2 * k] = body.line.dot(d);
    rotation[2 * k + 1] = body.line.cross(d);
    v[3 * k] = moves.x;
    v[3 * k + 1] = moves.y;
    v[3 * k + 2] = omega;
    if (a.empty()) continue;
    a[3 * k] = drifts.x;
    a[3 * k + 1] = drifts.y;
    a[3 * k + 2] = alpha;
  }
}

void SeveralGroups::columns(int b, int state, View out) const {
  const BodyOf& body = bodies_[sz(b)];
  const PlaneVector across = arm(body, body.centre, state).perp();
  const auto count = sz(parts_[sz(body.part)].count);
  for (std::size_t j = 0; j < count; ++j) {
    const int k = static_cast<int>(j);
    const double turning = number(body.now.turning + k, state);
    PlaneVector moves = across * turning;
    if (body.base >= 0) moves = moves + pair(body.at.moving + 2 * k, state);
    out[j] = moves.x;
    out[count + j] = moves.y;
    out[2 * count + j] = turning;
  }
}

}  // namespace cardan
