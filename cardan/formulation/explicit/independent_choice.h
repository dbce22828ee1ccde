#pragma once
// Which velocities are independent in a pose: as many columns of phi_q as there are active rows
// become dependent, such that their square block can be solved well.
//
// Columns that stand in one row alone, and are no small entry of it by their weight, serve without elimination;
// their rows go, and more such columns come up. Trees and chains fall apart in this way, at a cost
// that follows their size. What is left goes to elimination with full pivoting (partition.h). Small
// mechanisms take that road at once.
#include <vector>

#include <Eigen/SparseCore>

namespace cardan {

// weights: of columns, for large mechanisms; what an entry times its weight is compares.
std::vector<int> independent_velocities(const Eigen::SparseMatrix<double>& phi_q,
                                        const std::vector<int>& active_rows,
                                        const std::vector<double>& weights);

}  // namespace cardan
