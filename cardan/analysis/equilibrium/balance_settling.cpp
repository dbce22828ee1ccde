// The balance in which a damped motion comes to rest. In independent coordinates with velocities x',
//   M_r x'' + (C_r + alpha M_r) x' + g = 0,   M_r = Z^T M Z,  C_r = Z^T (M G - Q_v) Z,
// with the damping alpha = 2 omega that is critical for the present motion, by Rayleigh's quotient
//   omega^2 = |x'.K_r x'|/(x'.M_r x'),   K_r = Z^T K Z.
// Steps are those of the implicit Euler method, linearised with exact derivatives:
//   (M_r/h + alpha M_r + C_r + h K_r) x'_1 = M_r x'_0/h - g,
// whose symmetric part must be positive definite; otherwise, and where the pose does not close or forces differ
// from what was expected, h is halved. Steps that succeed get longer, so that the last ones are those
// of Newton's method. The velocity is carried from pose to pose by M_r x'_0 = Z^T M v_0, which adds no
// kinetic energy. It ends when forces and velocity are small against the largest there were.
// Reference: Papadrakakis, Comput. Methods Appl. Mech. Eng. 25 (1981) 35-48 (adaptive damping).
#include <algorithm>
#include <cmath>

#include "cardan/analysis/equilibrium/balance_search.h"
#include "cardan/analysis/equilibrium/influence.h"
#include "cardan/base/trace.h"
#include "cardan/math/dense.h"

namespace cardan {

namespace {

constexpr double step_reach = 0.05;    // of the mechanism's size in one step
constexpr double most_surprise = 0.5;  // force not foreseen, relative to the change foreseen
constexpr double longest_growth = 3;   // of the step, where the forces were foreseen

}  // namespace

FoundBalance settled_balance(ForceBalance& at, CView start, const SearchLimits& limits) {
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  FoundBalance out;
  out.q.assign(start.begin(), start.end());
  at.evaluate(out.q);
  Influence influence;
  Vector full = Vector::Zero(at.coordinates());  // velocity of all coordinates
  double h = 0, fastest = 0;
  std::vector<double> trial;
  Vector y;
  const double size = at.length();
  for (; out.iterations < limits.max_iterations; ++out.iterations) {
    influence.set(at);
    const Matrix& Z = influence.Z();
    const Vector g = influence.force(at);
    out.lambda = influence.multipliers(at);
    out.force_left = g.size() > 0 ? g.cwiseAbs().maxCoeff() : 0;
    const double speed = full.size() > 0 ? full.cwiseAbs().maxCoeff() : 0;
    fastest = std::max(fastest, speed);
    trace("  settling {:>5}: force left {:.3e} N, speed {:.3e} m/s, step {:.2e} s",
          out.iterations,
          out.force_left,
          speed,
          h);
    if (out.force_left <= at.small_force(limits.tolerance) &&
        (g.size() == 0 || speed * h <= 1e-9 * size || speed <= 1e-6 * fastest)) {
      out.converged = true;
      return out;
    }
    at.linearise(out.q, out.lambda);
    const Matrix K = Z.transpose() * (at.K() * Z);
    const Matrix M = Z.transpose() * (at.M() * Z), C = Z.transpose() * (at.C() * Z);
    const Eigen::LDLT<Matrix> mass(M + 1e-14 * M.trace() * Matrix::Identity(M.rows(), M.cols()));
    Vector x = mass.solve(Z.transpose() * (at.M() * full));
    if (!x.allFinite() || full.isZero(0)) x.setZero(g.size());
    const Vector direction = x.isZero(0) ? Vector(mass.solve(-g)) : x;
    const double inertia = direction.dot(M * direction);
    const double omega =
        inertia > 0 ? std::sqrt(std::abs(direction.dot(K * direction)) / inertia) : 0;
    if (h == 0)
      h = 0.1 / std::max(omega, std::sqrt(g.norm() / (std::max(M.trace(), 1e-300) * size)));
    bool taken = false;
    for (int k = 0; k < 80 && !taken; ++k) {
      const Matrix A = M / h + 2 * omega * M + C + h * K;
      const Eigen::LLT<Matrix> definite((A + A.transpose()) / 2);
      if (definite.info() != Eigen::Success) {
        h /= 2;
        continue;
      }
      const Vector next = A.partialPivLu().solve(M * x / h - g);
      const double way = h * (Z * next).cwiseAbs().maxCoeff();
      if (!next.allFinite() || way > step_reach * size) {
        h *= next.allFinite() ? std::max(0.1, 0.9 * step_reach * size / way) : 0.25;
        continue;
      }
      if (!influence.move(at, out.q, h * next, trial, y)) {
        h /= 4;
        continue;
      }
      Influence there = influence;
      there.follow(at);
      const Vector change = h * (K * next), expected = g + change;
      const double surprise = (there.force(at) - expected).norm();
      if (surprise > most_surprise * std::max(change.norm(), out.force_left) &&
          surprise > at.small_force(limits.tolerance)) {
        h /= 2;
        continue;
      }
      taken = true;
      full = Z * next;
      h *= surprise < 0.2 * most_surprise * std::max(change.norm(), out.force_left) ? longest_growth
                                                                                    : 1;
    }
    if (!taken) {
      at.evaluate(out.q);
      out.converged = out.force_left <= at.small_force(1e3 * limits.tolerance);
      return out;
    }
    out.q = trial;
  }
  return out;
}

}  // namespace cardan
