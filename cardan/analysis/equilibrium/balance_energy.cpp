// The least total potential energy E in independent coordinates (influence.h), by a Newton method
// with a trust region and the exact second derivatives
//   H = Z^T (K + K^T)/2 Z,
// where K contains the multipliers that balance the dependent coordinates, so that H is the second
// derivative of E along the mechanism's own motion. A step is the least of
//   g.p + p.H p/2   with |p| <= radius:   p = -(H + sigma)^-1 g,  sigma >= 0, H + sigma >= 0.
// Where forces balance but H has a negative eigenvalue, it goes on along that eigenvector.
// References: Conn, Gould & Toint, Trust-Region Methods (2000); Haug, Computer Aided Kinematics and
// Dynamics of Mechanical Systems (1989), section on equilibrium by minimum total potential energy.
#include <algorithm>
#include <cmath>

#include "cardan/analysis/equilibrium/balance_search.h"
#include "cardan/analysis/equilibrium/influence.h"
#include "cardan/base/trace.h"
#include "cardan/math/dense.h"

namespace cardan {

namespace {

constexpr double first_radius = 0.1, largest_radius = 0.5;  // of the mechanism's size
constexpr double no_energy = 1e-11;  // relative change that round-off of energies hides
constexpr double no_curvature =
    1e-10;  // relative to the largest: a negative eigenvalue beyond it is no round-off

// The step of the model within a radius.
Eigen::VectorXd trusted_step(const Eigen::VectorXd& g,
                             const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>& H,
                             double radius) {
  const Eigen::VectorXd along = H.eigenvectors().transpose() * g;
  const double least = H.eigenvalues()[0];
  const auto step = [&](double sigma) {
    Eigen::VectorXd p(along.size());
    for (Eigen::Index k = 0; k < p.size(); ++k) {
      const double curvature = H.eigenvalues()[k] + sigma;
      p[k] = curvature > 0 ? -along[k] / curvature : 0;
    }
    return p;
  };
  Eigen::VectorXd p = step(0);
  if (!(least > 0) || p.norm() > radius) {
    double low = std::max(0.0, -least), high = low + g.norm() / radius + 1e-300;
    for (int k = 0; k < 200 && high - low > 1e-14 * high; ++k) {
      const double middle = (low + high) / 2;
      (step(middle).norm() > radius ? low : high) = middle;
    }
    p = step(high);
    if (least < 0 && p.norm() < 0.9 * radius) {  // the force has no part along the steepest valley
      const double rest = std::sqrt(radius * radius - p.squaredNorm());
      p[0] += along[0] > 0 ? -rest : rest;
    }
  }
  return H.eigenvectors() * p;
}

}  // namespace

double energy_change(ForceBalance& at, CView from, const Eigen::VectorXd& y, CView to) {
  return at.energy(to) - at.energy(from) - at.applied_work(from, y);
}

FoundBalance least_energy(ForceBalance& at, CView start, const SearchLimits& limits) {
  FoundBalance out;
  out.q.assign(start.begin(), start.end());
  at.evaluate(out.q);
  Influence influence;
  std::vector<double> trial;
  Eigen::VectorXd y;
  double radius = first_radius * at.length();
  const double size = at.length();
  for (; out.iterations < limits.max_iterations; ++out.iterations) {
    influence.set(at);
    const Eigen::VectorXd g = influence.force(at);
    out.lambda = influence.multipliers(at);
    out.force_left = g.size() > 0 ? g.cwiseAbs().maxCoeff() : 0;
    trace("  least energy {:>4}: force left {:.3e} N, radius {:.2e} m",
          out.iterations,
          out.force_left,
          radius);
    if (g.size() == 0) {
      out.converged = true;
      return out;
    }
    at.linearise(out.q, out.lambda);
    const Eigen::MatrixXd full = influence.Z().transpose() * (at.K() * influence.Z());
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> H((full + full.transpose()) / 2);
    const double stiffest = H.eigenvalues().cwiseAbs().maxCoeff();
    const bool valley = H.eigenvalues()[0] < -no_curvature * stiffest;
    const bool balanced = out.force_left <= at.small_force(limits.tolerance);
    if (balanced && !valley) {
      out.converged = true;
      return out;
    }
    if (balanced) radius = std::max(radius, 0.01 * size);
    bool moved = false;
    for (int k = 0; k < 60 && !moved && radius > 1e-15 * size; ++k) {
      Eigen::VectorXd p = trusted_step(g, H, radius);
      if (balanced)
        p = H.eigenvectors().col(0) * (g.dot(H.eigenvectors().col(0)) > 0 ? -radius : radius);
      const double longest = (influence.Z() * p).cwiseAbs().maxCoeff();
      if (longest > largest_radius * size) {
        radius = std::min(radius, p.norm()) * 0.9 * largest_radius * size / longest;
        continue;
      }
      const double expected = g.dot(p) + p.dot(full * p) / 2;
      if (!influence.move(at, out.q, p, trial, y)) {
        radius = std::min(radius, p.norm()) / 4;
        continue;
      }
      Influence there = influence;
      there.follow(at);
      const double left = there.force(at).cwiseAbs().maxCoeff();
      const double hidden = no_energy * (std::abs(at.energy(trial)) + at.largest_force() * longest);
      if (std::abs(expected) <= hidden) {  // energies cannot tell: forces do
        moved = balanced || left < out.force_left;
        if (!moved) break;
        continue;
      }
      const double ratio = energy_change(at, out.q, y, trial) / expected;
      moved = ratio > 1e-4;
      if (ratio > 0.75 && p.norm() > 0.9 * radius)
        radius = std::min(2 * radius, largest_radius * size);
      if (!(ratio > 0.25)) radius = std::min(radius, p.norm()) / 4;
    }
    if (!moved) {
      at.evaluate(out.q);
      out.converged = out.force_left <= at.small_force(1e3 * limits.tolerance) && !valley;
      return out;
    }
    out.q = trial;
    at.evaluate(out.q);
  }
  return out;
}

}  // namespace cardan
