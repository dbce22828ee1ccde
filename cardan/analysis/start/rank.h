#pragma once
// Rank of a set of equations in a pose, and the sets of equations that depend on each other.
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

// phi_q at q with columns weighed by the metric and rows scaled to unit length (rows not wanted are
// 0).
Eigen::MatrixXd scaled_jacobian(
    const System&, const Equations&, double t, CView q, const std::vector<char>& wanted);

struct RankAnalysis {
  int rank = 0;
  std::vector<int> dependent;          // rows left out
  std::vector<std::vector<int>> sets;  // the minimal set of each, itself first
  double smallest = 1;                 // singular value of the independent rows
};

// Dependent sets are searched for when `with_sets`. Large systems are analysed by sparse
// elimination.
RankAnalysis analyse_rank(const System&,
                          const Equations&,
                          double t,
                          CView q,
                          const std::vector<char>& wanted,
                          bool with_sets);

}  // namespace cardan
