#include "cardan/analysis/sensitivity/parameter_slopes.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseLU>
#include <fmt/format.h>

#include "cardan/analysis/causes.h"

namespace cardan {

namespace {

constexpr double small_angle = 1e-3;        // rad, and lengths in sizes of the mechanism
constexpr int most_friction_passes = 200;   // each gains about one over the friction coefficient
constexpr double friction_settled = 1e-13;  // last correction, relative to the multipliers
constexpr double contradiction = 1e-7;      // of the largest change of a gap, and of the size per p
constexpr double singular_response = 1e11;  // to a unit force, in units of the stiffness

std::size_t slot(int k) {
  return static_cast<std::size_t>(k);
}

// Rows of velocities alone (rolling) say nothing about positions.
std::vector<char> position_rows(const System& system, std::vector<char> active) {
  for (int r = 0; r < system.equations().rows(); ++r)
    if (system.equations().at_velocity_level(r)) active[slot(r)] = 0;
  return active;
}

double largest_of(CView x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

void add(CView from, double factor, View to) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * from[k];
}

void add_product(const SparseMatrix& A, CView x, double factor, View y) {
  if (A.cols() > 0 && A.rows() > 0) as_vector(y) += factor * (A * as_vector(x));
}

}  // namespace

std::optional<Diagnostic> rolling_slopes(const System& system, const std::vector<char>& active) {
  for (int r = 0; r < system.equations().rows(); ++r) {
    if (active[slot(r)] == 0 || !system.equations().at_velocity_level(r)) continue;
    Diagnostic d = fault_at("model.not-available", "sensitivities of a mechanism that rolls");
    d.element = system.constraints()[slot(system.constraint_of(r))].words();
    d.expected = "joints that determine positions";
    return d;
  }
  return {};
}

Diagnostic no_slopes(double t) {
  Diagnostic d = fault_at("numeric.singular", "sensitivities do not exist or are infinite here", t);
  d.hint = "at dead centres and lock-ups positions change without bound with a parameter";
  return d;
}

Diagnostic contradicts(const System& system, const ParameterStep& step, int row, double t) {
  Diagnostic d = fault_at("assembly.conflict",
                          fmt::format("sensitivity: any change of '{}' contradicts a redundant "
                                      "equation: the joints would not close",
                                      step.parameter.name),
                          t);
  d.element = system.constraints()[slot(system.constraint_of(row))].words();
  d.expected = "a parameter that redundant joints allow to change";
  return d;
}

Diagnostic not_isolated(double t) {
  Diagnostic d = fault_at("numeric.singular", "sensitivities of an equilibrium that is neutral", t);
  d.expected = "an equilibrium that stands alone";
  return d;
}

StateSlope::StateSlope(const System& system)
    : theta(slot(system.v_size())),
      v(theta),
      a(theta),
      lambda(slot(system.equations().rows())),
      z(slot(system.states().size())) {}

void move_along(
    const System& system, const State& state, const StateSlope& slope, double epsilon, State& out) {
  out = state;
  std::vector<double> d = slope.theta;
  for (double& x : d) x *= epsilon;
  system.advance(state.q, d, out.q);
  add(slope.v, epsilon, out.v);
  add(slope.a, epsilon, out.a);
  add(slope.lambda, epsilon, out.lambda);
  add(slope.z, epsilon, out.z);
}

// Accelerations enter results linearly: any move of theirs will do.
double small_move(const System& system, const State& state, const StateSlope& slope) {
  const auto size = [&](int k) {
    return system.layout().turns(k) ? 1.0 : system.length();
  };
  double speed = 1;  // 1/s
  for (int k = 0; k < system.v_size(); ++k)
    speed = std::max(speed, std::abs(state.v[slot(k)]) / size(k));
  double move = 0;  // for epsilon = 1
  for (int k = 0; k < system.v_size(); ++k)
    move = std::max({move,
                     std::abs(slope.theta[slot(k)]) / size(k),
                     std::abs(slope.v[slot(k)]) / (size(k) * speed)});
  for (std::size_t k = 0; k < slope.z.size(); ++k)
    move = std::max(move, std::abs(slope.z[k]) / (1 + std::abs(state.z[k])));
  move = std::max(move, largest_of(slope.lambda) / (1 + largest_of(state.lambda)));
  return move > 0 ? small_angle / move : small_angle;
}

ParameterSlopes::ParameterSlopes(const System& system,
                                 const std::vector<char>& active,
                                 const ParameterSteps& steps)
    : system_(system),
      steps_(steps),
      active_(active),
      of_positions_(position_rows(system, active)),
      at_(system, active),
      motion_(system, active),
      phi_q_v_q_(at_.phi_q()),
      residuals_(steps.size()),
      f_(slot(system.v_size())),
      g_(slot(system.equations().rows())),
      x_(f_),
      mu_(g_),
      zero_(f_) {
  if (of_positions_ != active_) positions_.emplace(system, of_positions_);
  for (std::size_t p = 0; p < steps.size(); ++p) {
    auto& probes = probes_.emplace_back();
    for (std::size_t k = 0; k < steps[p].systems.size(); ++k) {
      const System& varied = *steps[p].systems[k];
      probes.push_back(
          {&varied, steps[p].weights[k], varied.workspace(), FrictionSolver(varied), f_, g_, {}});
      probes.back().z_dot.resize(slot(system.states().size()));
    }
    ResidualSlope& r = residuals_[p];
    r.phi = r.velocity = r.acceleration = g_;
    r.force = f_;
    r.z_dot.resize(slot(system.states().size()));
  }
}

void ParameterSlopes::find_residual(int p, const State& s, Friction with) {
  ResidualSlope& r = residuals_[slot(p)];
  for (auto* list : {&r.phi, &r.velocity, &r.acceleration, &r.force, &r.z_dot})
    std::fill(list->begin(), list->end(), 0.0);
  for (Probe& probe : probes_[slot(p)]) {
    const System& system = *probe.system;
    const Equations& equations = system.equations();
    Workspace& w = probe.work;
    const double c = probe.weight;
    system.use(s, w);
    system.rotations(s.q, w);
    const Config here = system.config(s.t, s.q, w);
    const Motion motion = system.motion(s.t, s.q, s.v, w);
    equations.phi(here, w.phi);
    equations.phi_q(here, w.packed);
    equations.nu(here, w.nu);
    equations.gamma(motion, w.gamma);
    add(w.phi, c, r.phi);
    equations.multiply(w.packed, s.v, probe.rows);
    add(probe.rows, c, r.velocity);
    add(w.nu, -c, r.velocity);
    equations.multiply(w.packed, s.a, probe.rows);
    add(probe.rows, c, r.acceleration);
    add(w.gamma, -c, r.acceleration);
    system.evaluate_forces(s.t, s.q, s.v, w);
    system.state_rates(s.t, s.q, s.v, s.lambda, w, probe.z_dot);
    add(probe.z_dot, c, r.z_dot);
    if (with == Friction::included && probe.friction.any()) {
      probe.friction.prepare(s.t, s.q, s.v, w);
      probe.friction.add(s.lambda, w.Q);
    }
    system.multiply_mass(s.t, s.q, s.a, probe.force);
    equations.add_transposed(w.packed, s.lambda, 1, probe.force);
    add(probe.force, c, r.force);
    add(w.Q, -c, r.force);
  }
}

bool ParameterSlopes::evaluate(const State& s, Friction with) {
  for (int p = 0; p < count(); ++p) find_residual(p, s, with);
  at_.evaluate(s);
  at_.phi_q_v_q(s.v, phi_q_v_q_);
  system_.use(s, motion_.work());
  if (motion_.linearise(s.t, s.q) != Eval::ok) return false;
  return !positions_ || positions_->linearise(s.t, s.q) == Eval::ok;
}

void ParameterSlopes::close_positions(int p, View theta) {
  std::fill(g_.begin(), g_.end(), 0.0);
  add(residual(p).phi, -1, g_);
  add_product(at_.phi_q(), theta, -1, g_);
  (positions_ ? *positions_ : motion_).solve(zero_, g_, x_, mu_);
  add(x_, 1, theta);
}

void ParameterSlopes::close_velocities(int p, CView theta, View v) {
  std::fill(g_.begin(), g_.end(), 0.0);
  add(residual(p).velocity, -1, g_);
  add_product(phi_q_v_q_, theta, -1, g_);
  add_product(at_.phi_q(), v, -1, g_);
  motion_.solve(zero_, g_, x_, mu_);
  add(x_, 1, v);
}

void ParameterSlopes::sides(int p, const StateSlope& s) {
  const ResidualSlope& r = residual(p);
  std::fill(f_.begin(), f_.end(), 0.0);
  add(r.force, -1, f_);
  add_product(at_.Q_q(), s.theta, 1, f_);
  if (system_.own() != nullptr) add_product(at_.M_a_q(), s.theta, -1, f_);
  add_product(at_.phi_qT_lambda_q(), s.theta, -1, f_);
  add_product(at_.Q_v(), s.v, 1, f_);
  add_product(at_.Q_z(), s.z, 1, f_);
  std::fill(g_.begin(), g_.end(), 0.0);
  add(r.acceleration, -1, g_);
  add_product(at_.gamma_q(), s.theta, 1, g_);
  add_product(at_.phi_q_a_q(), s.theta, -1, g_);
  add_product(at_.gamma_v(), s.v, 1, g_);
}

void ParameterSlopes::react(int p, StateSlope& s) {
  if (at_.Q_lambda().nonZeros() > 0) return;
  sides(p, s);
  std::fill(g_.begin(), g_.end(), 0.0);
  add_product(at_.phi_q(), s.a, 1, g_);
  motion_.solve(f_, g_, x_, mu_);
  if (as_vector(CView(mu_)).allFinite()) s.lambda = mu_;
}

bool ParameterSlopes::accelerate(int p, StateSlope& s) {
  sides(p, s);
  motion_.solve(f_, g_, s.a, s.lambda);
  if (at_.Q_lambda().nonZeros() == 0) return true;
  std::vector<double> before;
  for (int pass = 0; pass < most_friction_passes; ++pass) {
    before = s.lambda;
    x_ = f_;
    add_product(at_.Q_lambda(), s.lambda, 1, x_);
    motion_.solve(x_, g_, s.a, s.lambda);
    add(s.lambda, -1, before);
    if (largest_of(before) <= friction_settled * largest_of(s.lambda)) return true;
  }
  return false;
}

void ParameterSlopes::rate_states(int p, const StateSlope& s, View z_dot) const {
  const ResidualSlope& r = residual(p);
  std::copy(r.z_dot.begin(), r.z_dot.end(), z_dot.begin());
  add_product(at_.z_q(), s.theta, 1, z_dot);
  add_product(at_.z_v(), s.v, 1, z_dot);
  add_product(at_.z_lambda(), s.lambda, 1, z_dot);
  add_product(at_.z_z(), s.z, 1, z_dot);
}

double ParameterSlopes::gap_size(int p, CView moved) const {
  return std::max({largest_of(moved),
                   largest_of(residual(p).phi),
                   system_.length() / size_of(steps_[slot(p)])});
}

double ParameterSlopes::open(int p, CView theta) const {
  std::vector<double> moved(slot(system_.equations().rows()));
  add_product(at_.phi_q(), theta, 1, moved);
  const double size = gap_size(p, moved);
  double most = 0;
  for (int r = 0; r < system_.joint_rows(); ++r)
    if (of_positions_[slot(r)] != 0)
      most = std::max(most, std::abs(moved[slot(r)] + residual(p).phi[slot(r)]));
  return most / size;
}

int ParameterSlopes::violated(int p, CView theta) const {
  std::vector<double> moved(slot(system_.equations().rows()));
  add_product(at_.phi_q(), theta, 1, moved);
  const double size = gap_size(p, moved);
  for (int r = 0; r < system_.joint_rows(); ++r)
    if (active_[slot(r)] == 0 && !system_.equations().at_velocity_level(r) &&
        std::abs(moved[slot(r)] + residual(p).phi[slot(r)]) > contradiction * size)
      return r;
  return -1;
}

std::optional<Diagnostic> ParameterSlopes::driven(const State& state,
                                                  bool forces,
                                                  std::vector<StateSlope>& out) {
  out.assign(slot(count()), StateSlope(system_));
  if (!evaluate(state)) return no_slopes(state.t);
  for (int p = 0; p < count(); ++p) {
    StateSlope& s = out[slot(p)];
    close_positions(p, s.theta);
    if (const int row = violated(p, s.theta); row >= 0)
      return contradicts(system_, steps_[slot(p)], row, state.t);
    close_velocities(p, s.theta, s.v);
    if (!accelerate(p, s)) return no_slopes(state.t);
    if (!forces) std::fill(s.lambda.begin(), s.lambda.end(), 0.0);
  }
  return {};
}

std::optional<Diagnostic> ParameterSlopes::at_rest(const State& state,
                                                   std::vector<StateSlope>& out) {
  out.assign(slot(count()), StateSlope(system_));
  for (int p = 0; p < count(); ++p) find_residual(p, state, Friction::left_out);
  at_.evaluate(state);
  const int n = system_.v_size(), m = system_.equations().rows();
  using Entry = Eigen::Triplet<double>;
  std::vector<Entry> entries;
  const auto put = [&](const SparseMatrix& A, double factor) {
    for (int c = 0; c < A.outerSize(); ++c)
      for (SparseMatrix::InnerIterator i(A, c); i; ++i)
        entries.emplace_back(static_cast<int>(i.row()), c, factor * i.value());
  };
  put(at_.phi_qT_lambda_q(), 1);
  put(at_.Q_q(), -1);
  // Equations are scaled like the stiffness of the forces, so that pivots can be compared.
  double stiffness = 0;
  for (const Entry& e : entries) stiffness = std::max(stiffness, std::abs(e.value()));
  const double scale = stiffness > 0 ? stiffness : 1;
  for (int c = 0; c < n; ++c)
    for (SparseMatrix::InnerIterator i(at_.phi_q(), c); i; ++i) {
      const auto r = static_cast<int>(i.row());
      if (active_[slot(r)] == 0) continue;
      entries.emplace_back(n + r, c, scale * i.value());
      entries.emplace_back(c, n + r, scale * i.value());
    }
  for (int r = 0; r < m; ++r)
    if (active_[slot(r)] == 0) entries.emplace_back(n + r, n + r, scale);
  SparseMatrix A(n + m, n + m);
  A.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<SparseMatrix> lu(A);
  if (lu.info() != Eigen::Success) return not_isolated(state.t);
  const Eigen::VectorXd test = lu.solve(Eigen::VectorXd::Constant(n + m, scale));
  if (!(test.cwiseAbs().maxCoeff() < singular_response)) return not_isolated(state.t);
  for (int p = 0; p < count(); ++p) {
    const ResidualSlope& r = residual(p);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(n + m);
    for (int k = 0; k < n; ++k) b[k] = -r.force[slot(k)];
    for (int k = 0; k < m; ++k)
      if (active_[slot(k)] != 0) b[n + k] = -scale * r.phi[slot(k)];
    Eigen::VectorXd x = lu.solve(b);
    x += lu.solve(b - A * x);
    if (!x.allFinite() || (b - A * x).norm() > 1e-8 * b.norm()) return not_isolated(state.t);
    StateSlope& s = out[slot(p)];
    for (int k = 0; k < n; ++k) s.theta[slot(k)] = x[k];
    if (const int row = violated(p, s.theta); row >= 0)
      return contradicts(system_, steps_[slot(p)], row, state.t);
    for (int k = 0; k < m; ++k) s.lambda[slot(k)] = scale * x[n + k];
  }
  return {};
}

}  // namespace cardan
