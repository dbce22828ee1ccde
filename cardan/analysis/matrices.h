#pragma once
// The equations of a mechanism in numbers, at one state:
//   [ M      phi_q^T ] [ a      ]   [ Q     ]
//   [ phi_q  0       ] [ lambda ] = [ gamma ],      phi = 0,   phi_q v = nu,
// and reduced to independent velocities, index v; the others, index u, follow. Elimination with full pivoting
// among the columns of the dependent ones makes phi_q dq = 0 to
//   U du + R dv = 0,      U triangular with ones on its diagonal,
// so that du = H dv, H = -U^-1 R, and with X = (H, 1), a = X a_v + (alpha, 0), phi_u alpha = gamma,
//   M^v a_v = Q^v,      M^v = X^T M X,   Q^v = X^T (Q - M (alpha, 0)).
// Reference: Haug (1989), 7.2.7 to 7.2.16.
#include <string>
#include <vector>

#include <Eigen/Core>

#include "cardan/analysis/start/mobility.h"
#include "cardan/base/result.h"
#include "cardan/system/system.h"

namespace cardan {

struct NamedMatrix {
  std::string name, meaning;
  Eigen::MatrixXd values;
  const std::vector<std::string>*rows = nullptr, *columns = nullptr;  // of MechanismMatrices
};

struct MechanismMatrices {
  double t = 0;
  std::vector<std::string> coordinates;  // of v: "angle of 'crank'"
  std::vector<std::string> positions;    // of q
  std::vector<std::string> equations;    // "joint 'crank pin', x"
  std::vector<std::string> unknowns;     // coordinates, then equations
  std::vector<std::string> one;          // heading of a single column
  std::vector<std::string> free;         // columns of the null space
  std::vector<std::string> independent;  // coordinates v
  std::vector<std::string> dependent;    // coordinates u, in the order of the pivots
  std::vector<std::string> eliminated;   // rows of U and R: equations they began as
  std::vector<char> active;              // equations in use; the others are redundant
  int rank = 0;
  double condition = 0;  // of the saddle-point matrix with the active equations
  std::vector<NamedMatrix> list;

  const NamedMatrix* find(std::string_view name) const;
};

// The state has a and lambda. Refused where the matrices would not fit: limit.elements. Independent
// velocities may be chosen; those from which the others do not follow are refused. In a singular pose
// nothing is reduced.
Result<std::unique_ptr<MechanismMatrices>> matrices_of(const System&,
                                                       const Mobility&,
                                                       const State&,
                                                       std::vector<int> independent = {});

}  // namespace cardan
