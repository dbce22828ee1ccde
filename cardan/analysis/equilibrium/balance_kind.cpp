#include "cardan/analysis/equilibrium/balance_kind.h"

#include <algorithm>
#include <cmath>

#include "cardan/formulation/explicit/partition.h"
#include "cardan/math/dense.h"
#include "cardan/math/eigenvalues.h"

namespace cardan {

namespace {

constexpr double zero_stiffness = 1e-9;  // relative to the largest
constexpr double same_part = 1e-8;  // relative to the largest entry: a matrix counts as symmetric
constexpr double growing = 1e-7;    // real part relative to the largest eigenvalue

double largest_of(const Eigen::MatrixXd& A) {
  return A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
}

BalanceKind by_inertia(const BalanceNature& n) {
  if (n.negative > 0) return n.positive > 0 ? BalanceKind::saddle : BalanceKind::maximum;
  return n.zero > 0 ? BalanceKind::neutral : BalanceKind::stable;
}

Eigen::VectorXcd motion_eigenvalues(const Eigen::MatrixXd& M,
                                    const Eigen::MatrixXd& C,
                                    const Eigen::MatrixXd& H) {
  const Eigen::Index f = M.rows();
  const Eigen::LLT<Eigen::MatrixXd> mass(M);
  if (mass.info() != Eigen::Success || mass.rcond() < 1e-14) return {};
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * f, 2 * f);
  A.topRightCorner(f, f).setIdentity();
  A.bottomLeftCorner(f, f) = -mass.solve(H);
  A.bottomRightCorner(f, f) = -mass.solve(C);
  return eigen_pairs(A).values;
}

}  // namespace

const char* name_of(BalanceKind kind) {
  switch (kind) {
    case BalanceKind::stable:
      return "stable";
    case BalanceKind::saddle:
      return "saddle";
    case BalanceKind::maximum:
      return "maximum";
    case BalanceKind::neutral:
      return "neutral";
    case BalanceKind::unstable:
      return "unstable";
    case BalanceKind::unknown:
      break;
  }
  return "unknown";
}

BalanceNature nature_of(ForceBalance& at, CView q, const Eigen::VectorXd& lambda) {
  BalanceNature out;
  at.evaluate(q);
  at.linearise(q, lambda);
  const Eigen::MatrixXd Z = null_space_qr(at.jacobian());
  if (Z.cols() == 0) {  // nothing can move
    out.kind = BalanceKind::stable;
    return out;
  }
  const Eigen::MatrixXd H = Z.transpose() * (at.K() * Z), M = Z.transpose() * (at.M() * Z),
                        C = Z.transpose() * (at.C() * Z);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>((H + H.transpose()) / 2).eigenvalues();
  const double level =
      zero_stiffness * std::max(largest_of(values), at.largest_force() / at.length());
  for (const double value : values) {
    if (value > level)
      ++out.positive;
    else if (value < -level)
      ++out.negative;
    else
      ++out.zero;
  }
  const Eigen::MatrixXd loss = (C + C.transpose()) / 2;
  const double least_loss =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(loss).eigenvalues().minCoeff();
  out.by_motion = largest_of(H - H.transpose()) > same_part * std::max(largest_of(H), level) ||
                  largest_of(C - C.transpose()) > same_part * largest_of(C) ||
                  least_loss < -same_part * largest_of(loss);
  out.eigenvalues = motion_eigenvalues(M, C, H);
  out.kind = by_inertia(out);
  if (!out.by_motion) return out;
  if (out.eigenvalues.size() == 0) {
    out.kind = BalanceKind::unknown;
    return out;
  }
  const double limit = growing * out.eigenvalues.cwiseAbs().maxCoeff();
  bool grows = false, diverges = false;  // diverges: without swinging
  for (const auto& value : out.eigenvalues) {
    grows = grows || value.real() > limit;
    diverges = diverges || (value.real() > limit && std::abs(value.imag()) <= limit);
  }
  if (grows)
    out.kind = diverges && out.negative > 0 ? by_inertia(out) : BalanceKind::unstable;
  else
    out.kind = out.zero > 0 ? BalanceKind::neutral : BalanceKind::stable;
  return out;
}

}  // namespace cardan
