#pragma once
// The equations of a mechanism in numbers, at one state:
//   [ M      phi_q^T ] [ a      ]   [ Q     ]
//   [ phi_q  0       ] [ lambda ] = [ gamma ],      phi = 0,   phi_q v = nu.
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
  std::vector<std::string> independent;  // a natural choice of independent coordinates
  std::vector<char> active;              // equations in use; the others are redundant
  int rank = 0;
  double condition = 0;  // of the saddle-point matrix with the active equations
  std::vector<NamedMatrix> list;

  const NamedMatrix* find(std::string_view name) const;
};

// The state has a and lambda. Refused where the matrices would not fit: limit.elements.
Result<std::unique_ptr<MechanismMatrices>> matrices_of(const System&,
                                                       const Mobility&,
                                                       const State&);

}  // namespace cardan
