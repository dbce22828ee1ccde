#include "cardan/math/friction_cones.h"

#include <cmath>
#include <numbers>

#include "cardan/math/complementarity.h"
#include "cardan/math/elementary.h"

namespace cardan {

namespace {

using Index = Eigen::Index;
using Pair2 = Eigen::Vector2d;

constexpr int most_steps = 60, most_sweeps = 2000;
constexpr std::size_t most_for_polygons = 16;
constexpr double aim = 1e-14,
                 small_enough = 1e-9;  // of the largest impulse; the second at round-off

class Cones {
 public:
  Cones(const Eigen::MatrixXd& A,
        const Eigen::VectorXd& b,
        Index normals,
        const std::vector<FrictionCone>& cones)
      : A_(A), b_(b), normals_(normals), cones_(cones), c_(b.size()) {
    for (Index i = 0; i < normals_; ++i) c_[i] = A_(i, i) > 0 ? 1 / A_(i, i) : 1;
    for (const auto& k : cones_) {
      const double mean = 0.5 * (A_(k.tangent, k.tangent) + A_(k.tangent + 1, k.tangent + 1));
      c_.segment<2>(k.tangent).setConstant(mean > 0 ? 1 / mean : 1);
    }
  }

  // Cone with flat sides: directions at equal angles, the first against the sliding.
  bool polygon(int directions, Eigen::VectorXd& z) const {
    const Index m = cones(), n = normals_, per = directions, size = n + m * per + m;
    Eigen::MatrixXd D = Eigen::MatrixXd::Zero(b_.size(), n + m * per);
    D.topLeftCorner(n, n).setIdentity();
    for (Index k = 0; k < m; ++k) {
      const auto& cone = cone_at(k);
      const Pair2 slide = b_.segment<2>(cone.tangent);
      const double first = slide.norm() > 0 ? elementary::atan2(-slide.y(), -slide.x()) : 0;
      for (Index i = 0; i < per; ++i) {
        const double angle =
            first + 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(per);
        D(cone.tangent, n + k * per + i) = elementary::cos(angle);
        D(cone.tangent + 1, n + k * per + i) = elementary::sin(angle);
      }
    }
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd q = Eigen::VectorXd::Zero(size), x;
    const Index inner = n + m * per;
    M.topLeftCorner(inner, inner) = D.transpose() * A_ * D;
    q.head(inner) = D.transpose() * b_;
    for (Index k = 0; k < m; ++k) {
      M(inner + k, cone_at(k).normal) = cone_at(k).mu;
      M.block(inner + k, n + k * per, 1, per).setConstant(-1);
      M.block(n + k * per, inner + k, per, 1).setConstant(1);
    }
    if (!solve_complementarity(M, q, x)) return false;
    z = D * x.head(inner);
    return true;
  }

  // One contact after the other, each projected onto its own cone.
  void sweep(Eigen::VectorXd& z, double closeness) const {
    for (int pass = 0; pass < most_sweeps; ++pass) {
      double change = 0;
      for (Index i = 0; i < normals_; ++i) {
        const double next = std::max(0.0, z[i] - c_[i] * (A_.row(i).dot(z) + b_[i]));
        change = std::max(change, std::abs(next - z[i]));
        z[i] = next;
      }
      for (const auto& k : cones_) {
        const Pair2 w = A_.middleRows<2>(k.tangent) * z + b_.segment<2>(k.tangent);
        Pair2 next = z.segment<2>(k.tangent) - c_[k.tangent] * w;
        const double most = k.mu * z[k.normal], size = next.norm();
        if (size > most) next *= most / size;
        change = std::max(change, (next - z.segment<2>(k.tangent)).cwiseAbs().maxCoeff());
        z.segment<2>(k.tangent) = next;
      }
      if (!(change > closeness * z.cwiseAbs().maxCoeff())) return;
    }
  }

  // F and its generalized Jacobian.
  void residual(const Eigen::VectorXd& z, Eigen::VectorXd& F, Eigen::MatrixXd* J) const {
    const Eigen::VectorXd w = A_ * z + b_;
    if (J != nullptr) J->setZero(z.size(), z.size());
    for (Index i = 0; i < normals_; ++i) {
      const bool pushes = z[i] - c_[i] * w[i] > 0;
      F[i] = pushes ? c_[i] * w[i] : z[i];
      if (J == nullptr) continue;
      if (pushes)
        J->row(i) = c_[i] * A_.row(i);
      else
        (*J)(i, i) = 1;
    }
    for (const auto& k : cones_) {
      const double c = c_[k.tangent], y = z[k.normal] - c_[k.normal] * w[k.normal];
      const double most = k.mu * std::max(0.0, y);
      const Pair2 trial = z.segment<2>(k.tangent) - c * w.segment<2>(k.tangent);
      const double size = trial.norm();
      if (size <= most) {  // sticks
        F.segment<2>(k.tangent) = c * w.segment<2>(k.tangent);
        if (J != nullptr) J->middleRows<2>(k.tangent) = c * A_.middleRows<2>(k.tangent);
        continue;
      }
      const Pair2 u = trial / size;
      F.segment<2>(k.tangent) = z.segment<2>(k.tangent) - most * u;
      if (J == nullptr) continue;
      J->block<2, 2>(k.tangent, k.tangent).setIdentity();
      if (!(y > 0)) continue;
      const Eigen::Matrix2d turn =
          (Eigen::Matrix2d::Identity() - u * u.transpose()) * (most / size);
      J->block<2, 2>(k.tangent, k.tangent) -= turn;
      J->middleRows<2>(k.tangent) +=
          c * turn * A_.middleRows<2>(k.tangent) + (k.mu * c_[k.normal]) * u * A_.row(k.normal);
      J->block<2, 1>(k.tangent, k.normal) -= k.mu * u;
    }
  }

  bool newton(Eigen::VectorXd& z) const {
    Eigen::VectorXd F(z.size()), trial_F(z.size()), trial;
    Eigen::MatrixXd J;
    const double scale = (c_.cwiseProduct(b_)).cwiseAbs().maxCoeff();
    residual(z, F, &J);
    for (int step = 0; step < most_steps; ++step) {
      const double size = F.norm(), impulse = std::max(scale, z.cwiseAbs().maxCoeff());
      if (!std::isfinite(size)) return false;
      if (size <= aim * impulse) return true;
      const Eigen::VectorXd change = J.completeOrthogonalDecomposition().solve(F);
      double share = 1;
      bool better = false;
      for (int cut = 0; cut < 12 && !better; ++cut, share *= 0.5) {
        trial = z - share * change;
        residual(trial, trial_F, nullptr);
        better = trial_F.norm() < size;
      }
      if (!better) return size <= small_enough * impulse;
      z = trial;
      residual(z, F, &J);
    }
    return F.norm() <= small_enough * std::max(scale, z.cwiseAbs().maxCoeff());
  }

 private:
  Index cones() const { return static_cast<Index>(cones_.size()); }

  const FrictionCone& cone_at(Index k) const { return cones_[static_cast<std::size_t>(k)]; }

  const Eigen::MatrixXd& A_;
  const Eigen::VectorXd& b_;
  Index normals_;
  const std::vector<FrictionCone>& cones_;
  Eigen::VectorXd c_;
};

}  // namespace

bool solve_friction_cones(const Eigen::MatrixXd& A,
                          const Eigen::VectorXd& b,
                          Index normals,
                          const std::vector<FrictionCone>& cones,
                          Eigen::VectorXd& z) {
  if (cones.empty()) return solve_complementarity(A, b, z);
  const Cones problem(A, b, normals, cones);
  z = Eigen::VectorXd::Zero(b.size());
  if (!A.allFinite() || !b.allFinite()) return false;
  if (b.head(normals).minCoeff() >= 0) return true;
  Eigen::VectorXd swept = z;
  for (const double closeness : {1e-4, 1e-6, 1e-8}) {
    problem.sweep(swept, closeness);
    z = swept;
    if (problem.newton(z)) return true;
  }
  if (cones.size() > most_for_polygons) return false;
  for (const int directions : {8, 32})
    if (problem.polygon(directions, z) && problem.newton(z)) return true;
  return false;
}

}  // namespace cardan
