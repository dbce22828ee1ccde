#pragma once
// What a balance of forces is. Motions x that the constraints allow are Z x, and
//   M_r x'' + C_r x' + H x = 0,   M_r = Z^T M Z,  C_r = Z^T (M G - Q_v) Z,  H = Z^T K Z.
// Where H is symmetric, C_r has no gyroscopic part (C_r = C_r^T) and feeds no energy in, the inertia of
// H decides: stable (all eigenvalues positive), maximum (all negative), saddle (both), neutral (zero ones,
// none negative). Otherwise the eigenvalues of the motion decide: stable, neutral (none with a positive
// real part; some zero), or unstable. Where a motion grows without swinging and H has negative
// eigenvalues too, the name is that of its inertia.
#include <string>
#include <vector>

#include "cardan/analysis/equilibrium/force_balance.h"

namespace cardan {

enum class BalanceKind { stable, saddle, maximum, neutral, unstable, unknown };

const char* name_of(BalanceKind);

struct BalanceNature {
  BalanceKind kind = BalanceKind::unknown;
  int positive = 0, negative = 0, zero = 0;  // eigenvalues of the symmetric part of H
  bool by_motion = false;                    // the eigenvalues of the motion decided
  Eigen::VectorXcd eigenvalues;              // of the motion, 1/s; none where M_r is singular
};

BalanceNature nature_of(ForceBalance&, CView q, const Eigen::VectorXd& lambda);

}  // namespace cardan
