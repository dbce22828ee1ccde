#pragma once
// Independent coordinates v of a pose and what the others u do with them, from phi_q = [J_u J_v]:
//   dq = Z dv,   Z = [-J_u^-1 J_v; 1],   the influence coefficients.
// The force on the independent coordinates and the multipliers that balance the others are
//   g = Z^T b,   J_u^T lambda = -b_u.
// The coordinates are chosen by elimination with full pivoting and kept while the coefficients stay
// small. Reference: Wehage & Haug, J. Mech. Des. 104 (1982).
#include <vector>

#include "cardan/analysis/equilibrium/force_balance.h"
#include "cardan/math/dense.h"

namespace cardan {

class Influence {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  // In the pose evaluated last. Whether other coordinates are independent than before.
  bool set(const ForceBalance&);

  void follow(const ForceBalance&);  // the same coordinates in that pose

  const std::vector<int>& independent() const { return independent_; }

  const Matrix& Z() const { return Z_; }

  Vector force(const ForceBalance& at) const { return Z_.transpose() * at.b(); }

  Vector multipliers(const ForceBalance&) const;

  // The pose where the independent coordinates have moved by p and the others close the mechanism;
  // y: the step there, of all coordinates. False: it does not close.
  bool move(ForceBalance&, CView q, const Vector& p, std::vector<double>& to, Vector& y) const;

 private:
  void split(const Matrix& J);

  std::vector<int> independent_, dependent_;
  Eigen::PartialPivLU<Matrix> J_u_;
  Matrix Z_;
};

}  // namespace cardan
