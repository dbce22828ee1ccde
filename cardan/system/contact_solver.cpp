#include "cardan/system/contact_solver.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/complementarity.h"

namespace cardan {

namespace {

constexpr double dependent_share =
    1e-10;  // of a limit's own response: the rest follows from others
constexpr double energy_noise = 1e-12;

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

bool ContactSolver::respond(const State& state, const std::vector<int>& closed, Responses& out) {
  const auto n = static_cast<Index>(system_.v_size()), count = static_cast<Index>(closed.size());
  if (motion_.linearise(state.t, state.q) != Eval::ok) return false;
  Workspace& w = motion_.work();
  std::vector<double> unit(at(system_.equations().rows()), 0.0), zero = unit, mu = unit;
  out.G.setZero(n, count);
  out.WG.setZero(n, count);
  out.B.setZero(n, count);
  out.WB.setZero(n, count);
  const auto column = [&](Eigen::MatrixXd& m, Index k) {
    return View(m.col(k).data(), at(system_.v_size()));
  };
  std::vector<double> d(at(2 * system_.body_size()));
  const Motion here = system_.motion(state.t, state.q, state.v, w);
  for (Index k = 0; k < count; ++k) {
    const auto& limit = system_.limits()[at(closed[static_cast<std::size_t>(k)])];
    unit[at(limit.row)] = limit.sign;
    system_.equations().add_transposed(w.packed, unit, 1, column(out.G, k));
    unit[at(limit.row)] = 0;
    motion_.solve(column(out.G, k), zero, column(out.WG, k), mu);
    const int friction = system_.contacts()[at(limit.contact)].friction;
    if (friction < 0) continue;
    const auto b = static_cast<Index>(out.rubbing.size());
    out.rubbing.push_back(static_cast<int>(k));
    out.speed.push_back(system_.friction().tangent(friction, here, d));
    const auto size = static_cast<Index>(system_.body_size());
    for (Index s = 0; s < 2; ++s)
      if (const int body = system_.friction().element(friction).body[at(static_cast<int>(s))];
          body >= 0)
        out.B.col(b).segment(body * size, size) +=
            Eigen::Map<Eigen::VectorXd>(d.data() + s * size, size);
    motion_.solve(column(out.B, b), zero, column(out.WB, b), mu);
  }
  const auto rubbing = static_cast<Index>(out.rubbing.size());
  out.B.conservativeResize(n, rubbing);
  out.WB.conservativeResize(n, rubbing);
  return true;
}

// z = (p, r+, r-, slack): the cone |r| <= mu p in two directions.
bool ContactSolver::apply(State& state,
                          const std::vector<int>& closed,
                          const Responses& x,
                          const Eigen::VectorXd& e,
                          Impact& out) {
  const Index n = x.G.cols(), m = x.B.cols();
  const Eigen::VectorXd before = as_vector(CView(state.v));
  const Eigen::VectorXd g = x.G.transpose() * before, s = x.B.transpose() * before;
  const Eigen::MatrixXd nn = x.G.transpose() * x.WG, nt = x.G.transpose() * x.WB,
                        tn = x.B.transpose() * x.WG, tt = x.B.transpose() * x.WB;
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n + 3 * m, n + 3 * m);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n + 3 * m), z;
  M.topLeftCorner(n, n) = nn;
  M.block(0, n, n, m) = nt;
  M.block(0, n + m, n, m) = -nt;
  M.block(n, 0, m, n) = tn;
  M.block(n, n, m, m) = tt;
  M.block(n, n + m, m, m) = -tt;
  M.block(n + m, 0, m, n) = -tn;
  M.block(n + m, n, m, m) = -tt;
  M.block(n + m, n + m, m, m) = tt;
  for (Index k = 0; k < m; ++k) {
    const int list = x.rubbing[static_cast<std::size_t>(k)];
    const auto& contact = system_.contacts()[at(system_.limits()[at(closed[at(list)])].contact)];
    M(n + k, n + 2 * m + k) = M(n + m + k, n + 2 * m + k) = 1;
    M(n + 2 * m + k, list) = system_.friction().element(contact.friction).law.kinetic;
    M(n + 2 * m + k, n + k) = M(n + 2 * m + k, n + m + k) = -1;
  }
  for (Index k = 0; k < n; ++k) q[k] = g[k] + e[k] * std::min(g[k], 0.0);
  q.segment(n, m) = s;
  q.segment(n + m, m) = -s;
  if (!solve_complementarity(M, q, z)) return false;
  const Eigen::VectorXd p = z.head(n), r = z.segment(n, m) - z.segment(n + m, m);
  const Eigen::VectorXd change = x.WG * p + x.WB * r;
  const Eigen::VectorXd g_after = g + x.G.transpose() * change,
                        s_after = s + x.B.transpose() * change;
  out.lost = -0.5 * (p.dot(g + g_after) + r.dot(s + s_after));
  const double kinetic = system_.mass().energy(state.v);
  if (out.lost < -energy_noise * kinetic) return false;
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

bool ContactSolver::hold(State& state, const std::vector<int>& closed) {
  for (const int k : closed) state.mode[at(k)] = open_limit;
  if (closed.empty()) return true;
  motion_.work().mode = state.mode;
  std::vector<double> a(state.a.size()), lambda(state.lambda.size());
  if (motion_.accelerations(state.t, state.q, state.v, a, lambda) != Eval::ok) return false;
  const std::vector<double> gamma = motion_.work().gamma;
  Responses x;
  if (!respond(state, closed, x)) return false;
  const auto n = static_cast<Index>(closed.size());
  Eigen::MatrixXd W = x.WG;  // acceleration per unit of normal force, with its friction
  for (std::size_t k = 0; k < x.rubbing.size(); ++k) {
    const auto& contact =
        system_.contacts()[at(system_.limits()[at(closed[at(x.rubbing[k])])].contact)];
    W.col(x.rubbing[k]) -=
        system_.friction().element(contact.friction).law.coefficient(x.speed[k]) *
        x.WB.col(static_cast<Index>(k));
  }
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
