#pragma once
// The assignment problem: to every row of a square matrix of costs one column, no column twice, so
// that the sum of the costs is least. Shortest augmenting paths with potentials u, v, which keep
// cost(i, j) - u_i - v_j >= 0, zero on what is assigned; n^3 operations.
// Jonker & Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
// problems, Computing 38 (1987) 325.
#include <vector>

#include <Eigen/Core>

namespace cardan {

// The column of every row. Costs are finite.
std::vector<int> least_assignment(const Eigen::MatrixXd& cost);

}  // namespace cardan
