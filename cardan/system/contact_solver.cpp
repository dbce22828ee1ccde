#include "cardan/system/contact_solver.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/complementarity.h"
#include "cardan/math/friction_cones.h"

namespace cardan {

namespace {

constexpr double dependent_share =
    1e-10;                              // of a limit's own response: the rest follows from others
constexpr double energy_noise = 1e-12;  // of the kinetic energy: a gain that is round-off

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

using Index = Eigen::Index;

}  // namespace

ContactSolver::ContactSolver(const System& system, const std::vector<char>& joints)
    : system_(system),
      motion_(system, joints),
      gaps_(system.limits().size()),
      rates_(at(system.equations().rows())) {}

const std::vector<ContactSolver::Gap>& ContactSolver::gaps(double t, CView q, CView v) {
  Workspace& w = motion_.work();
  system_.rotations(q, w);
  const Config here = system_.config(t, q, w);
  system_.equations().phi(here, w.phi);
  system_.equations().phi_q(here, w.packed);
  system_.equations().multiply(w.packed, v, rates_);
  for (std::size_t k = 0; k < gaps_.size(); ++k) {
    const auto& limit = system_.limits()[k];
    gaps_[k] = {limit.sign * w.phi[at(limit.row)], limit.sign * rates_[at(limit.row)]};
  }
  return gaps_;
}

double ContactSolver::normal_force(int limit, CView lambda) const {
  const auto& info = system_.limits()[at(limit)];
  return -info.sign * lambda[at(info.row)];
}

const FrictionLaw& ContactSolver::law_of(int limit) const {
  const auto& contact = system_.contacts()[at(system_.limits()[at(limit)].contact)];
  return system_.friction().element(contact.friction).law;
}

bool ContactSolver::respond(const State& state, const std::vector<int>& closed, Responses& out) {
  const auto n = static_cast<Index>(system_.v_size()), count = static_cast<Index>(closed.size());
  if (motion_.linearise(state.t, state.q) != Eval::ok) return false;
  out.v = state.v;
  if (motion_.project_velocities(state.t, state.q, out.v) != Eval::ok) out.v = state.v;
  Workspace& w = motion_.work();
  std::vector<double> unit(at(system_.equations().rows()), 0.0), zero = unit, mu = unit;
  out.ways = system_.dimension() - 1;
  out.G.setZero(n, count);
  out.WG.setZero(n, count);
  out.B.setZero(n, count * out.ways);
  out.WB.setZero(n, count * out.ways);
  const auto column = [&](Eigen::MatrixXd& m, Index k) {
    return View(m.col(k).data(), at(system_.v_size()));
  };
  const auto size = static_cast<Index>(system_.body_size());
  std::vector<double> d(at(2 * system_.body_size() * out.ways)), s(at(out.ways));
  const Motion here = system_.motion(state.t, state.q, state.v, w);
  for (Index k = 0; k < count; ++k) {
    const auto& limit = system_.limits()[at(closed[static_cast<std::size_t>(k)])];
    unit[at(limit.row)] = limit.sign;
    system_.equations().add_transposed(w.packed, unit, 1, column(out.G, k));
    unit[at(limit.row)] = 0;
    motion_.solve(column(out.G, k), zero, column(out.WG, k), mu);
    const int friction = system_.contacts()[at(limit.contact)].friction;
    if (friction < 0) continue;
    const auto first = static_cast<Index>(out.rubbing.size()) * out.ways;
    out.rubbing.push_back(static_cast<int>(k));
    system_.friction().tangents(friction, here, d, s);
    for (Index c = 0; c < out.ways; ++c) {
      for (Index i = 0; i < 2; ++i)
        if (const int body = system_.friction().element(friction).body[at(static_cast<int>(i))];
            body >= 0)
          out.B.col(first + c).segment(system_.layout().v(body), size) +=
              Eigen::Map<Eigen::VectorXd>(d.data() + (2 * c + i) * size, size);
      motion_.solve(column(out.B, first + c), zero, column(out.WB, first + c), mu);
    }
  }
  const auto rubbing = static_cast<Index>(out.rubbing.size()) * out.ways;
  out.B.conservativeResize(n, rubbing);
  out.WB.conservativeResize(n, rubbing);
  return true;
}

// z = (p, r+, r-, slack): the cone |r| <= mu p in two directions.
bool ContactSolver::planar_impulses(const std::vector<int>& closed,
                                    const Responses& x,
                                    const Eigen::MatrixXd& A,
                                    const Eigen::VectorXd& b,
                                    Impulses& out) const {
  const Index n = x.G.cols(), m = x.B.cols();
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n + 3 * m, n + 3 * m);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n + 3 * m), z;
  M.topLeftCorner(n + m, n + m) = A;
  M.block(0, n + m, n + m, m) = -A.rightCols(m);
  M.block(n + m, 0, m, n + m) = -A.bottomRows(m);
  M.block(n + m, n + m, m, m) = A.bottomRightCorner(m, m);
  for (Index k = 0; k < m; ++k) {
    const int list = x.rubbing[static_cast<std::size_t>(k)];
    M(n + k, n + 2 * m + k) = M(n + m + k, n + 2 * m + k) = 1;
    M(n + 2 * m + k, list) = law_of(closed[at(list)]).kinetic;
    M(n + 2 * m + k, n + k) = M(n + 2 * m + k, n + m + k) = -1;
  }
  q.head(n + m) = b;
  q.segment(n + m, m) = -b.tail(m);
  if (!solve_complementarity(M, q, z)) return false;
  out = {z.head(n), z.segment(n, m) - z.segment(n + m, m)};
  return true;
}

bool ContactSolver::spatial_impulses(const std::vector<int>& closed,
                                     const Responses& x,
                                     const Eigen::MatrixXd& A,
                                     const Eigen::VectorXd& b,
                                     Impulses& out) const {
  std::vector<FrictionCone> cones;
  for (std::size_t k = 0; k < x.rubbing.size(); ++k)
    cones.push_back({x.rubbing[k],
                     x.G.cols() + 2 * static_cast<Index>(k),
                     law_of(closed[at(x.rubbing[k])]).kinetic});
  Eigen::VectorXd z;
  if (!solve_friction_cones(A, b, x.G.cols(), cones, z)) return false;
  out = {z.head(x.G.cols()), z.tail(x.B.cols())};
  return true;
}

bool ContactSolver::apply(State& state,
                          const std::vector<int>& closed,
                          const Responses& x,
                          const Eigen::VectorXd& e,
                          Impact& out) {
  const Index n = x.G.cols(), m = x.B.cols();
  const Eigen::VectorXd before = as_vector(CView(state.v));
  const Eigen::VectorXd g = x.G.transpose() * before, s = x.B.transpose() * before;
  Eigen::MatrixXd A(n + m, n + m);
  A << x.G.transpose() * x.WG, x.G.transpose() * x.WB, x.B.transpose() * x.WG,
      x.B.transpose() * x.WB;
  Eigen::VectorXd b(n + m);  // what drift violates joints by no contact can hold
  b << x.G.transpose() * as_vector(CView(x.v)), x.B.transpose() * as_vector(CView(x.v));
  const Eigen::VectorXd rates = b;
  for (Index k = 0; k < n; ++k) b[k] += e[k] * std::min(b[k], 0.0);
  Impulses found;
  if (!(x.ways == 1 ? planar_impulses(closed, x, A, b, found)
                    : spatial_impulses(closed, x, A, b, found)))
    return false;
  const auto& [p, r] = found;
  const Eigen::VectorXd change = x.WG * p + x.WB * r;
  const Eigen::VectorXd g_after = g + x.G.transpose() * change,
                        s_after = s + x.B.transpose() * change;
  out.lost = -0.5 * (p.dot(g + g_after) + r.dot(s + s_after));
  const double kinetic = system_.mass().energy(state.v);
  // What drift adds to the rates is no gain of the impact.
  Eigen::VectorXd impulses(n + m);
  impulses << p, r;
  const double lost = -0.5 * impulses.dot(2 * rates + A * impulses);
  if (lost < -energy_noise * kinetic) return false;
  as_vector(View(state.v)) += change;
  out.drivers = system_.mass().energy(state.v) - kinetic + out.lost;
  out.hits.clear();
  for (Index k = 0; k < n; ++k)
    out.hits.push_back({closed[static_cast<std::size_t>(k)], g[k], g_after[k], p[k], e[k] > 0});
  return true;
}

ContactSolver::Impact ContactSolver::impact(State& state, const std::vector<int>& closed) {
  Impact out;
  Responses x;
  if (!respond(state, closed, x)) {
    out.ok = false;
    return out;
  }
  const Eigen::VectorXd g = x.G.transpose() * as_vector(CView(state.v));
  Eigen::VectorXd e(g.size());
  for (Index k = 0; k < e.size(); ++k) {
    const auto& contact =
        system_.contacts()[at(system_.limits()[at(closed[static_cast<std::size_t>(k)])].contact)];
    e[k] = -contact.restitution * g[k] > contact.rest_speed ? contact.restitution : 0;
  }
  if (apply(state, closed, x, e, out)) return out;
  out.restitution_given_up = true;
  e.setZero();
  out.ok = apply(state, closed, x, e, out);
  return out;
}

// Acceleration per unit of normal force, with the friction of the present sliding.
Eigen::MatrixXd ContactSolver::with_friction(const State& state,
                                             const std::vector<int>& closed,
                                             const Responses& x) const {
  Eigen::MatrixXd W = x.WG;
  const Eigen::VectorXd s = x.B.transpose() * as_vector(CView(state.v));
  for (std::size_t k = 0; k < x.rubbing.size(); ++k) {
    const auto first = static_cast<Index>(k) * x.ways;
    const double share =
        law_of(closed[at(x.rubbing[k])]).per_speed(s.segment(first, x.ways).norm());
    W.col(x.rubbing[k]) -= share * x.WB.middleCols(first, x.ways) * s.segment(first, x.ways);
  }
  return W;
}

bool ContactSolver::hold(State& state, const std::vector<int>& closed) {
  for (const int k : closed) state.mode[at(k)] = open_limit;
  if (closed.empty()) return true;
  system_.use(state, motion_.work());
  std::vector<double> a(state.a.size()), lambda(state.lambda.size());
  if (motion_.accelerations(state.t, state.q, state.v, a, lambda) != Eval::ok) return false;
  const std::vector<double> gamma = motion_.work().gamma;
  Responses x;
  if (!respond(state, closed, x)) return false;
  const auto n = static_cast<Index>(closed.size());
  const Eigen::MatrixXd W = with_friction(state, closed, x);
  const Eigen::MatrixXd M = x.G.transpose() * W, own = x.G.transpose() * x.WG;
  Eigen::VectorXd q = x.G.transpose() * as_vector(CView(a)), z;
  for (Index k = 0; k < n; ++k) {
    const auto& limit = system_.limits()[at(closed[static_cast<std::size_t>(k)])];
    q[k] -= limit.sign * gamma[at(limit.row)];
  }
  if (!solve_complementarity(M, q, z)) return false;
  const Eigen::VectorXd w = M * z + q;
  const double force = z.cwiseAbs().maxCoeff(),
               rise = std::max(w.cwiseAbs().maxCoeff(), q.cwiseAbs().maxCoeff());
  std::vector<Index> held;
  for (Index k = 0; k < n; ++k)
    if (z[k] > 1e-12 * force && w[k] <= 1e-9 * rise) held.push_back(k);
  for (const Index k : held) state.mode[at(closed[static_cast<std::size_t>(k)])] = kept_limit;
  for (Index k = 0; k < n; ++k) {  // closed, carrying nothing, and unable to open
    if (std::find(held.begin(), held.end(), k) != held.end() || w[k] > 1e-9 * rise) continue;
    const auto h = static_cast<Index>(held.size());
    Eigen::MatrixXd S(h, h);
    Eigen::VectorXd c(h);
    for (Index i = 0; i < h; ++i) {
      c[i] = own(held[static_cast<std::size_t>(i)], k);
      for (Index j = 0; j < h; ++j)
        S(i, j) = own(held[static_cast<std::size_t>(i)], held[static_cast<std::size_t>(j)]);
    }
    const double rest = h == 0 ? own(k, k) : own(k, k) - c.dot(S.ldlt().solve(c));
    if (rest <= dependent_share * own(k, k))
      state.mode[at(closed[static_cast<std::size_t>(k)])] = resting_limit;
  }
  return true;
}

}  // namespace cardan
