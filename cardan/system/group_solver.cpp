#include "cardan/system/group_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "cardan/base/trace.h"
#include "cardan/element/feature.h"
#include "cardan/math/dense.h"
#include "cardan/math/elementary.h"
#include "cardan/math/newton.h"
#include "cardan/math/rotation.h"
#include "cardan/math/small_lu.h"
#include "cardan/system/applied_forces.h"

namespace cardan {

namespace {

constexpr int newton_passes = 14;
constexpr double newton_aim = 1e-14;  // relative to the mechanism's size
constexpr double within_guard = 0.5;  // of guard and size: how far Newton's method may move a pose
constexpr double dear_reduction = 1500;  // operations a body from which S is cheaper

std::size_t sz(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

GroupSolver::GroupSolver(const System& system, const std::vector<char>& active, Workspace& work)
    : system_(system),
      equations_(system.equations()),
      work_(work),
      active_(active),
      n_v_(system.body_size()),
      reach_(body_reaches(system)),
      row_length_(sz(equations_.rows()), 1.0),
      block_of_row_(sz(equations_.rows()), -1),
      q_0_(sz(system.q_size())),
      d_(sz(system.v_size())),
      r_(d_),
      beta_(d_),
      start_(q_0_) {
  angle_read_ = AppliedForces(system).angles_read();
  for (int r = 0; r < equations_.rows(); ++r)
    if (system.unit_kind(r) == UnitKind::angle) row_length_[sz(r)] = system.length();
  mass_.resize(sz(system.body_count()));
  diagonal_.resize(d_.size());
  for (int b = 0; b < system.body_count(); ++b)
    for (int i = 0; i < n_v_; ++i)
      for (int k = 0; k < n_v_; ++k)
        if (const double m = system.mass().at(b, i, k); m != 0) {
          mass_[sz(b)].push_back({i, k, m});
          if (i == k) diagonal_[sz(b * n_v_ + i)] = m;
        }
  const auto blocks = equations_.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (int r = 0; r < blocks[b].rows; ++r)
      block_of_row_[sz(blocks[b].first_row + r)] = static_cast<int>(b);
}

void GroupSolver::activate(const std::vector<char>& active) {
  if (active != active_) throw std::logic_error("a plan of groups belongs to its equations");
}

// ---- lists of a plan

void GroupSolver::adopt(const GroupPlan& plan, double t, CView q_0) {
  std::copy(q_0.begin(), q_0.end(), q_0_.begin());
  steps_.clear();
  pins_.clear();
  dyads_.clear();
  general_.clear();
  inputs_ = plan.inputs();
  zero_rates_.assign(inputs_.size(), 0.0);
  find_parts(plan);
  int first = 0;
  for (std::size_t k = 0; k < plan.groups.size(); ++k) {
    const Group& g = plan.groups[k];
    const int group = static_cast<int>(k);
    if (!add_pin(g, group) && !add_dyad(g, group)) add_general(g, group);
    Step& step = steps_.back();
    step.part = part_of_body_[sz(g.bodies.front())];
    if (step.kind == Kind::pin) pins_.back().input = first;
    if (step.kind == Kind::general) {
      for (Input& input : general_.back().inputs) input.number += first;
      general_.back().part = step.part;
    }
    first += static_cast<int>(g.inputs.size());
  }
  closed_ = !pins_.empty() || !dyads_.empty();
  const bool all = many_ || !general_.empty();
  for (Dyad& dyad : dyads_) {
    dyad.shows_angle_b = all || angle_read_[sz(dyad.b.body)] != 0;
    dyad.shows_angle_c = all || angle_read_[sz(dyad.c.body)] != 0;
  }
  if (general_.empty()) return;
  system_.rotations(q_0, work_);
  equations_.phi_q(system_.config(t, q_0, work_), work_.packed);
  for (General& g : general_) scale(g);
}

// Bodies that depend on each other through groups, the ground left out.
void GroupSolver::find_parts(const GroupPlan& plan) {
  std::vector<int> up(sz(system_.body_count()));
  std::iota(up.begin(), up.end(), 0);
  const auto root = [&](int b) {
    while (up[sz(b)] != b) b = up[sz(b)] = up[sz(up[sz(b)])];
    return b;
  };
  for (const Group& g : plan.groups) {
    for (const int b : g.bodies) up[sz(root(b))] = root(g.bodies.front());
    for (const int r : g.rows)
      for (const auto& term : equations_.terms(equations_.blocks()[sz(block_of_row_[sz(r)])]))
        up[sz(root(term.body))] = root(g.bodies.front());
  }
  part_of_body_.assign(up.size(), -1);
  parts_.clear();
  for (int b = 0; b < system_.body_count(); ++b) {
    int& part = part_of_body_[sz(root(b))];
    if (part < 0) {
      part = static_cast<int>(parts_.size());
      parts_.emplace_back();
    }
    part_of_body_[sz(b)] = part;
    parts_[sz(part)].bodies.push_back(b);
  }
  local_input_.assign(inputs_.size(), 0);
  width_ = 0;
  double work = 0;
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    PartOf& part = parts_[sz(part_of_body_[sz(system_.layout().place_of_v(inputs_[j]).body)])];
    local_input_[j] = static_cast<int>(part.inputs.size());
    part.inputs.push_back(static_cast<int>(j));
  }
  for (PartOf& part : parts_) {
    const auto k = static_cast<double>(part.inputs.size());
    width_ = std::max(width_, static_cast<int>(part.inputs.size()));
    work += static_cast<double>(part.bodies.size()) * (12 * k + 1.5 * k * k) + k * k * k / 6;
  }
  many_ = work > dear_reduction * system_.body_count();
  one_input_ = inputs_.size() == 1 && parts_.size() == 1 && n_v_ == 3;
  N_.assign(many_ ? 0 : sz(system_.v_size() * width_), 0.0);
  if (many_) return;
  for (PartOf& part : parts_) {
    const auto k = static_cast<Eigen::Index>(part.inputs.size());
    part.mass.resize(k, k);
    part.force.resize(k);
  }
}

// The joint that an equation of a pin belongs to, if all of it is in the group.
OuterPin GroupSolver::outer_pin(int constraint, int body) const {
  const auto& info = system_.constraints()[sz(constraint)];
  OuterPin pin;
  pin.body = body;
  pin.row = info.rows[0];
  const std::size_t own = info.sides[1].body == body ? 1 : 0;
  const Side &mine = info.sides[own], &other = info.sides[1 - own];
  pin.sign = own == 1 ? 1 : -1;
  pin.known = other.body;
  pin.s = {mine.point[0], mine.point[1]};
  pin.s_known = {other.point[0], other.point[1]};
  return pin;
}

namespace {

// The pins whose equations, two each, are the rows of a group; nothing if there are others.
std::vector<int> pins_of(const System& system, const Group& g) {
  static const ElementType* const revolute = find_type(cardan::Kind::joint, "revolute");
  std::vector<int> found;
  for (std::size_t k = 0; k < g.rows.size(); k += 2) {
    const int joint = system.constraint_of(g.rows[k]);
    const auto& info = system.constraints()[sz(joint)];
    const bool whole = info.description == revolute && k + 1 < g.rows.size() &&
                       info.rows.size() == 2 && info.rows[0] == g.rows[k] &&
                       info.rows[1] == g.rows[k] + 1 && info.rows[1] == g.rows[k + 1];
    if (!whole) return {};
    found.push_back(joint);
  }
  return found;
}

}  // namespace

bool GroupSolver::add_pin(const Group& g, int group) {
  if (g.bodies.size() != 1 || g.rows.size() != 2 || g.inputs.size() != 1 ||
      system_.space() != Space::planar || !system_.layout().turns(g.inputs[0]))
    return false;
  const std::vector<int> joints = pins_of(system_, g);
  if (joints.size() != 1) return false;
  PinGroup made;
  made.pin = outer_pin(joints[0], g.bodies[0]);
  steps_.push_back({Kind::pin, static_cast<int>(pins_.size()), group, 0});
  pins_.push_back(made);
  return true;
}

bool GroupSolver::add_dyad(const Group& g, int group) {
  if (g.bodies.size() != 2 || g.rows.size() != 6 || system_.space() != Space::planar) return false;
  const std::vector<int> joints = pins_of(system_, g);
  if (joints.size() != 3) return false;
  const int b = g.bodies[0], c = g.bodies[1];
  Dyad made;
  int outer_b = -1, outer_c = -1, middle = -1;
  for (const int joint : joints) {
    const auto& sides = system_.constraints()[sz(joint)].sides;
    const bool on_b = sides[0].body == b || sides[1].body == b,
               on_c = sides[0].body == c || sides[1].body == c;
    (on_b && on_c ? middle : on_b ? outer_b : outer_c) = joint;
  }
  if (outer_b < 0 || outer_c < 0 || middle < 0) return false;
  made.b = outer_pin(outer_b, b);
  made.c = outer_pin(outer_c, c);
  const OuterPin between = outer_pin(middle, b);
  made.row = between.row;
  made.sign = between.sign;
  made.s_b = between.s;
  made.s_c = between.s_known;
  made.l_b = made.s_b - made.b.s;
  made.l_c = made.s_c - made.c.s;
  made.length_b = std::sqrt(made.l_b.dot(made.l_b));
  made.length_c = std::sqrt(made.l_c.dot(made.l_c));
  if (!(made.length_b > 0 && made.length_c > 0)) return false;
  made.inverse_b = 1 / made.l_b.dot(made.l_b);
  made.inverse_c = 1 / made.l_c.dot(made.l_c);
  made.offset =
      elementary::atan2(made.l_c.y, made.l_c.x) - elementary::atan2(made.l_b.y, made.l_b.x);
  steps_.push_back({Kind::dyad, static_cast<int>(dyads_.size()), group, 0});
  dyads_.push_back(made);
  return true;
}

void GroupSolver::add_general(const Group& g, int group) {
  General made;
  made.group = group;
  made.n = g.size();
  made.bodies = g.bodies;
  made.rows = g.rows;
  const auto column_of = [&](int body) {
    const auto found = std::find(g.bodies.begin(), g.bodies.end(), body);
    return found == g.bodies.end() ? -1 : static_cast<int>(found - g.bodies.begin()) * n_v_;
  };
  for (std::size_t i = 0; i < g.rows.size(); ++i) {
    const auto& block = equations_.blocks()[sz(block_of_row_[sz(g.rows[i])])];
    for (const auto& term : equations_.terms(block)) {
      const int column = column_of(term.body);
      const Entry entry{static_cast<int>(i),
                        term.offset + g.rows[i] - block.first_row,
                        block.rows,
                        column < 0 ? term.body : column};
      (column < 0 ? made.outside : made.inside).push_back(entry);
    }
  }
  for (std::size_t k = 0; k < g.inputs.size(); ++k) {
    const auto [body, local] = system_.layout().place_of_v(g.inputs[k]);
    made.inputs.push_back({static_cast<int>(g.rows.size() + k),
                           static_cast<int>(k),
                           g.inputs[k],
                           body,
                           column_of(body),
                           local});
  }
  made.row_scale.assign(sz(made.n), 1.0);
  made.column_scale.assign(sz(made.n), 1.0);
  made.lu.resize(sz(made.n * made.n));
  made.pivot.resize(sz(made.n));
  scratch_.resize(std::max(scratch_.size(), sz(2 * made.n)));
  steps_.push_back({Kind::general, static_cast<int>(general_.size()), group, 0});
  general_.push_back(std::move(made));
}

// Angles times the reach of their body, rows of length one in the pose of the plan.
void GroupSolver::scale(General& g) {
  const int lengths = system_.dimension();
  for (std::size_t k = 0; k < g.bodies.size(); ++k)
    for (int i = lengths; i < n_v_; ++i)
      g.column_scale[k * sz(n_v_) + sz(i)] = 1 / reach_[sz(g.bodies[k])];
  std::vector<double> inside(sz(g.n), 0.0), outside(inside);
  const auto add = [&](const Entry& e, int body, std::vector<double>& size) {
    for (int k = 0; k < n_v_; ++k) {
      const double x =
          work_.packed[sz(e.offset + k * e.stride)] / (k < lengths ? 1 : reach_[sz(body)]);
      size[sz(e.row)] += x * x;
    }
  };
  for (const Entry& e : g.inside) add(e, g.bodies[sz(e.target / n_v_)], inside);
  for (const Entry& e : g.outside) add(e, e.target, outside);
  for (std::size_t i = 0; i < g.rows.size(); ++i) {
    const double size = std::max(inside[i], outside[i]);
    g.row_scale[i] = size > 0 ? 1 / std::sqrt(size) : 1;
  }
  for (const Input& input : g.inputs)
    g.row_scale[sz(input.row)] = 1 / g.column_scale[sz(input.column + input.local)];
}

// ---- inputs of a motion

// q (-) q_0 of a body in space.
void GroupSolver::increment(int body, CView q, double* out) const {
  const double* now = q.data() + system_.layout().q(body);
  const double* zero = q_0_.data() + system_.layout().q(body);
  for (int k = 0; k < 3; ++k) out[k] = now[k] - zero[k];
  const Quaternion turn =
      quaternion_product({zero[3], -zero[4], -zero[5], -zero[6]}, {now[3], now[4], now[5], now[6]});
  Eigen::Map<Vec<3>>(out + 3) = vector_of_quaternion(turn);
}

void GroupSolver::values(CView q, View p) const {
  double d[6];
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    if (n_v_ == 3) {
      p[j] = q[sz(inputs_[j])];
      continue;
    }
    const auto [body, local] = system_.layout().place_of_v(inputs_[j]);
    increment(body, q, d);
    p[j] = d[local];
  }
}

void GroupSolver::rates(CView q, CView v, View out) const {
  double d[6];
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    out[j] = v[sz(inputs_[j])];
    const auto [body, local] = system_.layout().place_of_v(inputs_[j]);
    if (n_v_ == 3 || local < 3) continue;
    increment(body, q, d);
    const Vec<3> omega = system_.layout().rotation(v, body);
    out[j] = rotation_vector_rate(Eigen::Map<Vec<3>>(d + 3)).row(local - 3) * omega;
  }
}

void GroupSolver::accelerations(CView q, CView v, CView a, View out) const {
  double d[6];
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    out[j] = a[sz(inputs_[j])];
    const auto [body, local] = system_.layout().place_of_v(inputs_[j]);
    if (n_v_ == 3 || local < 3) continue;
    increment(body, q, d);
    const Vec<3> turn = Eigen::Map<Vec<3>>(d + 3), omega = system_.layout().rotation(v, body),
                 alpha = system_.layout().rotation(a, body);
    const Mat<3, 3> L = rotation_vector_rate(turn);
    out[j] = L.row(local - 3) * alpha + rotation_vector_bend(turn, L * omega, omega)[local - 3];
  }
}

double GroupSolver::rotation(CView q) const {
  double largest = 0, d[6];
  for (const int k : inputs_) {
    const auto [body, local] = system_.layout().place_of_v(k);
    if (n_v_ == 3 || local < 3) continue;
    increment(body, q, d);
    largest = std::max(largest, Eigen::Map<Vec<3>>(d + 3).norm());
  }
  return largest;
}

// ---- positions

void GroupSolver::note_guard(double guard, int group) {
  if (guard >= guard_) return;
  guard_ = guard;
  weakest_ = group;
}

// The matrix of a group from the packed Jacobian, and its factor.
void GroupSolver::fill(General& g, CView q) {
  std::fill(g.lu.begin(), g.lu.end(), 0.0);
  for (const Entry& e : g.inside) {
    const double* from = work_.packed.data() + e.offset;
    double* to = g.lu.data() + e.row * g.n + e.target;
    const double* column = g.column_scale.data() + e.target;
    const double row = g.row_scale[sz(e.row)];
    for (int k = 0; k < n_v_; ++k) to[k] += row * column[k] * from[k * e.stride];
  }
  for (const Input& input : g.inputs) {
    double* to = g.lu.data() + input.row * g.n + input.column;
    if (n_v_ == 3 || input.local < 3) {
      to[input.local] = 1;
      continue;
    }
    double d[6];
    increment(input.body, q, d);
    const Mat<3, 3> L = rotation_vector_rate(Eigen::Map<Vec<3>>(d + 3));
    for (int k = 0; k < 3; ++k)
      to[3 + k] = g.row_scale[sz(input.row)] * L(input.local - 3, k) *
                  g.column_scale[sz(input.column + 3 + k)];
  }
  g.guard = factor_small(g.n, g.lu.data(), g.pivot.data());
}

void GroupSolver::factor_general(CView q) {
  for (General& g : general_) {
    fill(g, q);
    note_guard(g.guard, g.group);
  }
}

double GroupSolver::input_gap(CView p, CView q) const {
  double worst = 0, d[6];
  for (const General& g : general_)
    for (const Input& input : g.inputs) {
      double now = 0;
      if (n_v_ == 3) {
        now = q[sz(input.coordinate)];
      } else {
        increment(input.body, q, d);
        now = d[input.local];
      }
      worst = std::max(worst, std::abs(p[sz(input.number)] - now));
    }
  return worst;
}

double GroupSolver::worst_row() const {
  double worst = 0;
  for (std::size_t r = 0; r < row_length_.size(); ++r)
    if (active_[r] != 0) {
      const double size = std::abs(work_.phi[r]) * row_length_[r];
      if (!(size <= worst)) worst = size;  // keeps a NaN
    }
  return worst;
}

// One step of Newton's method for a group, with the moves of bodies before it.
void GroupSolver::correct(General& g, CView p, View q) {
  double* b = scratch_.data();
  for (std::size_t i = 0; i < g.rows.size(); ++i) b[i] = -work_.phi[sz(g.rows[i])];
  for (const Entry& e : g.outside) {
    const double* from = work_.packed.data() + e.offset;
    const double* d = d_.data() + e.target * n_v_;
    for (int k = 0; k < n_v_; ++k) b[e.row] -= from[k * e.stride] * d[k];
  }
  double away[6];
  for (const Input& input : g.inputs) {
    if (n_v_ == 3) {
      b[input.row] = p[sz(input.number)] - q[sz(input.coordinate)];
    } else {
      increment(input.body, q, away);
      b[input.row] = p[sz(input.number)] - away[input.local];
    }
  }
  for (int i = 0; i < g.n; ++i) b[i] *= g.row_scale[sz(i)];
  solve_small(g.n, g.lu.data(), g.pivot.data(), b);
  for (std::size_t k = 0; k < g.bodies.size(); ++k) {
    double* d = d_.data() + g.bodies[k] * n_v_;
    for (int i = 0; i < n_v_; ++i) {
      const std::size_t column = k * sz(n_v_) + sz(i);
      d[i] = g.column_scale[column] * b[column];
    }
    double* pose = q.data() + system_.layout().q(g.bodies[k]);
    add_increment(system_.dimension(), pose, d, pose);
    if (closed_) {
      const auto [sine, cosine] = elementary::sine_cosine(pose[2]);
      work_.rotation[sz(2 * g.bodies[k])] = cosine;
      work_.rotation[sz(2 * g.bodies[k] + 1)] = sine;
    }
  }
}

bool GroupSolver::march(CView p, View q) {
  const PlanePoses at{q.data(), work_.rotation.data()};
  const auto moved = [&](int body, const double(&before)[3]) {
    for (int k = 0; k < 3; ++k) d_[sz(3 * body + k)] = q[sz(3 * body + k)] - before[k];
  };
  const bool mixed = !general_.empty();
  double before[2][3];
  const auto keep = [&](int k, int body) {
    if (mixed) std::copy_n(q.data() + 3 * body, 3, before[k]);
  };
  for (const Step& step : steps_) {
    if (step.kind == Kind::general) {
      correct(general_[sz(step.index)], p, q);
    } else if (step.kind == Kind::pin) {
      PinGroup& pin = pins_[sz(step.index)];
      keep(0, pin.pin.body);
      pin.position(p[sz(pin.input)], at);
      if (mixed) moved(pin.pin.body, before[0]);
    } else {
      Dyad& dyad = dyads_[sz(step.index)];
      keep(0, dyad.b.body);
      keep(1, dyad.c.body);
      if (!dyad.position(at)) return note_guard(0, step.group), false;
      note_guard(dyad.guard(), step.group);
      if (!mixed) continue;
      moved(dyad.b.body, before[0]);
      moved(dyad.c.body, before[1]);
    }
  }
  return true;
}

Eval GroupSolver::positions(double t, CView p, View q) {
  guard_ = 1;
  weakest_ = -1;
  if (general_.empty()) return march(p, q) ? Eval::ok : Eval::retry;
  const double reach = q.empty() ? 0 : as_vector(CView(q)).cwiseAbs().maxCoeff();
  const double aim =
      newton_aim * system_.length() + 4 * std::numeric_limits<double>::epsilon() * reach;
  std::copy(q.begin(), q.end(), start_.begin());
  const auto residual = [&](int pass) {
    system_.rotations(q, work_);
    equations_.phi(system_.config(t, q, work_), work_.phi);
    const double gap = std::max(worst_row(), input_gap(p, q));
    trace("    groups, Newton {:>2}: largest gap {:.3e}", pass, gap);
    // Closed groups are marched through once at least.
    return pass == 0 && closed_ ? NewtonResidual{gap, -1, -1} : NewtonResidual{gap, aim, 1e4 * aim};
  };
  const auto correct = [&](int pass, double gap, double before) {
    if (pass + 1 == newton_passes) return Eval::retry;
    if (pass == 0 || gap > 0.01 * before) {
      guard_ = 1;
      equations_.phi_q(system_.config(t, q, work_), work_.packed);
      factor_general(q);
      if (!(guard_ > 0)) return Eval::retry;
    }
    if (!march(p, q)) return Eval::retry;
    if (n_v_ == 6) system_.update_windings(q);
    return Eval::ok;
  };
  if (const Eval e = newton_to_round_off(newton_passes, residual, correct); e != Eval::ok) return e;
  system_.difference(q, start_, d_);
  return system_.largest_move(d_) <= within_guard * guard_ * system_.length() ? Eval::ok
                                                                              : Eval::retry;
}

void GroupSolver::show_angles(View q) const {
  for (const Dyad& dyad : dyads_) dyad.show_angles({q.data(), work_.rotation.data()});
}

// ---- linear equations

Eval GroupSolver::linearise(double t, CView q) {
  if (!general_.empty()) {
    guard_ = 1;
    weakest_ = -1;
    for (const Step& step : steps_)
      if (step.kind == Kind::dyad) note_guard(dyads_[sz(step.index)].guard(), step.group);
    equations_.phi_q(system_.config(t, q, work_), work_.packed);
    factor_general(q);
    if (!(guard_ > 0)) return Eval::retry;
  }
  if (many_) return Eval::ok;
  columns();
  return reduce_mass() ? Eval::ok : Eval::retry;
}

SaddleSolver::Health GroupSolver::factor(CView) {
  throw std::logic_error("groups are factored where their positions are known: linearise()");
}

// out: the velocities of a group's bodies, x those before it (numbers `stride` apart); scratch_ has
// the right sides of the inputs.
void GroupSolver::solve_general(
    const General& g, const double* g_rows, const double* x, int stride, double* out) {
  double* b = scratch_.data();
  for (std::size_t i = 0; i < g.rows.size(); ++i)
    b[i] = g_rows != nullptr ? g_rows[g.rows[i]] : 0.0;
  for (const Entry& e : g.outside) {
    const double* from = work_.packed.data() + e.offset;
    const double* xb = x + e.target * n_v_ * stride;
    for (int k = 0; k < n_v_; ++k) b[e.row] -= from[k * e.stride] * xb[k * stride];
  }
  for (int i = 0; i < g.n; ++i) b[i] *= g.row_scale[sz(i)];
  solve_small(g.n, g.lu.data(), g.pivot.data(), b);
  for (std::size_t k = 0; k < g.bodies.size(); ++k)
    for (int i = 0; i < n_v_; ++i) {
      const std::size_t column = k * sz(n_v_) + sz(i);
      out[(g.bodies[k] * n_v_ + i) * stride] = g.column_scale[column] * b[column];
    }
}

// phi_q x = g with x of the inputs (in space: L x) as given.
void GroupSolver::forward(const double* g, CView rates, View x) {
  for (const Step& step : steps_) {
    if (step.kind == Kind::pin) {
      const PinGroup& pin = pins_[sz(step.index)];
      pin.forward(g, rates[sz(pin.input)], x.data(), 1);
    } else if (step.kind == Kind::dyad) {
      dyads_[sz(step.index)].forward(g, x.data(), 1);
    } else {
      const General& group = general_[sz(step.index)];
      for (const Input& input : group.inputs) scratch_[sz(input.row)] = rates[sz(input.number)];
      solve_general(group, g, x.data(), 1, x.data());
    }
  }
}

void GroupSolver::columns() {
  for (const Step& step : steps_) {
    const int count = static_cast<int>(parts_[sz(step.part)].inputs.size());
    for (int k = 0; k < count; ++k) {
      double* x = N_.data() + k;
      if (step.kind == Kind::pin) {
        const PinGroup& pin = pins_[sz(step.index)];
        pin.forward(nullptr, local_input_[sz(pin.input)] == k ? 1 : 0, x, width_);
      } else if (step.kind == Kind::dyad) {
        dyads_[sz(step.index)].forward(nullptr, x, width_);
      } else {
        const General& g = general_[sz(step.index)];
        for (const Input& input : g.inputs)
          scratch_[sz(input.row)] = local_input_[sz(input.number)] == k ? 1 : 0;
        solve_general(g, nullptr, x, width_, x);
      }
    }
  }
}

// N^T M N = C C^T of every part.
bool GroupSolver::reduce_mass() {
  if (one_input_) {
    double sum = 0;
    for (std::size_t i = 0; i < diagonal_.size(); ++i) sum += diagonal_[i] * N_[i] * N_[i];
    reduced_mass_ = sum;
    return sum > 0;
  }
  for (PartOf& part : parts_) {
    const auto count = part.mass.rows();
    if (count == 0) continue;
    part.mass.setZero();
    for (const int b : part.bodies) {
      const double* N = N_.data() + b * n_v_ * width_;
      for (const MassEntry& m : mass_[sz(b)])
        for (Eigen::Index k = 0; k < count; ++k) {
          const double scaled = m.value * N[m.row * width_ + k];
          for (Eigen::Index l = 0; l <= k; ++l)
            part.mass(k, l) += scaled * N[m.column * width_ + l];
        }
    }
    if (count == 1) {
      if (!(part.mass(0, 0) > 0)) return false;
      part.mass(0, 0) = std::sqrt(part.mass(0, 0));
      continue;
    }
    for (Eigen::Index k = 0; k < count; ++k)
      for (Eigen::Index l = 0; l <= k; ++l) {
        double sum = part.mass(k, l);
        for (Eigen::Index i = 0; i < l; ++i) sum -= part.mass(k, i) * part.mass(l, i);
        if (k > l) {
          part.mass(k, l) = sum / part.mass(l, l);
        } else {
          if (!(sum > 0)) return false;
          part.mass(k, k) = std::sqrt(sum);
        }
      }
  }
  return true;
}

// r = Q - M a
void GroupSolver::inertia_left(CView Q, CView a) {
  if (n_v_ == 3) {
    for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = Q[i] - diagonal_[i] * a[i];
    return;
  }
  std::copy(Q.begin(), Q.end(), r_.begin());
  for (std::size_t b = 0; b < mass_.size(); ++b) {
    const std::size_t first = b * sz(n_v_);
    for (const MassEntry& m : mass_[b]) r_[first + sz(m.row)] -= m.value * a[first + sz(m.column)];
  }
}

void GroupSolver::velocities(double t, CView q, CView rates, View v) {
  if (system_.driven() || many_) {
    const double* g = nullptr;
    if (system_.driven()) {
      equations_.nu(system_.config(t, q, work_), work_.nu);
      g = work_.nu.data();
    }
    forward(g, rates, v);
    return;
  }
  if (one_input_) {
    for (std::size_t i = 0; i < N_.size(); ++i) v[i] = rates[0] * N_[i];
    return;
  }
  for (const PartOf& part : parts_)
    for (const int b : part.bodies)
      for (int i = b * n_v_; i < (b + 1) * n_v_; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < part.inputs.size(); ++k)
          sum += N_[sz(i * width_) + k] * rates[sz(part.inputs[k])];
        v[sz(i)] = sum;
      }
}

void GroupSolver::gamma(double t, CView q, CView v, View out) const {
  if (!general_.empty()) {
    equations_.gamma(system_.motion(t, q, v, work_), out);
    return;
  }
  for (const PinGroup& pin : pins_) pin.gamma(v.data(), out.data());
  for (const Dyad& dyad : dyads_) dyad.gamma(v.data(), out.data());
}

bool GroupSolver::accelerations_of(CView Q, CView gamma_rows, View a) {
  forward(gamma_rows.data(), zero_rates_, a);
  inertia_left(Q, a);
  if (one_input_) {
    double sum = 0;
    for (std::size_t i = 0; i < N_.size(); ++i) sum += N_[i] * r_[i];
    const double along = sum / reduced_mass_;
    for (std::size_t i = 0; i < N_.size(); ++i) a[i] += along * N_[i];
    return std::isfinite(along);
  }
  for (PartOf& part : parts_) {
    const auto count = part.mass.rows();
    if (count == 0) continue;
    part.force.setZero();
    for (const int b : part.bodies)
      for (int i = b * n_v_; i < (b + 1) * n_v_; ++i)
        for (Eigen::Index k = 0; k < count; ++k)
          part.force[k] += N_[sz(i * width_) + static_cast<std::size_t>(k)] * r_[sz(i)];
    for (Eigen::Index k = 0; k < count; ++k) {
      double sum = part.force[k];
      for (Eigen::Index i = 0; i < k; ++i) sum -= part.mass(k, i) * part.force[i];
      part.force[k] = sum / part.mass(k, k);
    }
    for (Eigen::Index k = count - 1; k >= 0; --k) {
      double sum = part.force[k];
      for (Eigen::Index i = k + 1; i < count; ++i) sum -= part.mass(i, k) * part.force[i];
      part.force[k] = sum / part.mass(k, k);
    }
    for (const int b : part.bodies)
      for (int i = b * n_v_; i < (b + 1) * n_v_; ++i)
        for (Eigen::Index k = 0; k < count; ++k)
          a[sz(i)] += N_[sz(i * width_) + static_cast<std::size_t>(k)] * part.force[k];
  }
  return as_vector(CView(a)).allFinite();
}

void GroupSolver::multipliers(CView Q, CView a, View lambda) {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  inertia_left(Q, a);
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (step->kind == Kind::pin) {
      pins_[sz(step->index)].reverse(r_.data(), lambda.data());
    } else if (step->kind == Kind::dyad) {
      dyads_[sz(step->index)].reverse(r_.data(), lambda.data());
    } else {
      const General& g = general_[sz(step->index)];
      double* b = scratch_.data();
      for (std::size_t k = 0; k < g.bodies.size(); ++k)
        for (int i = 0; i < n_v_; ++i) {
          const std::size_t column = k * sz(n_v_) + sz(i);
          b[column] = g.column_scale[column] * r_[sz(g.bodies[k] * n_v_ + i)];
        }
      solve_small_transposed(g.n, g.lu.data(), g.pivot.data(), b);
      for (std::size_t i = 0; i < g.rows.size(); ++i) lambda[sz(g.rows[i])] = g.row_scale[i] * b[i];
      for (const Entry& e : g.outside) {
        const double* from = work_.packed.data() + e.offset;
        const double carried = lambda[sz(g.rows[sz(e.row)])];
        for (int k = 0; k < n_v_; ++k) r_[sz(e.target * n_v_ + k)] -= from[k * e.stride] * carried;
      }
    }
  }
}

void GroupSolver::solve(CView f, CView g, View a, View lambda) {
  residual_ = accelerations_of(f, g, a) ? 0 : std::numeric_limits<double>::infinity();
  multipliers(f, a, lambda);
}

}  // namespace cardan
