#pragma once
// Assembles S = phi_q W^-1 phi_q^T + shift I for block-diagonal weights W, by a list of block
// products made once.
#include <memory>
#include <vector>

#include "cardan/math/block_cholesky.h"
#include "cardan/system/elimination_plan.h"
#include "cardan/system/equations.h"
#include "cardan/system/mass.h"

namespace cardan {

// Length of every row of the Jacobian, its columns weighed by W^-1/2.
std::vector<double> row_norms(const Equations&, const MassMatrix& weights, CView packed);

// Places and products of S for a list of equations: made once, shared by all matrices of them.
class SchurPlan {
 public:
  explicit SchurPlan(const Equations&);

  // The elimination joint by joint (joint_schur.h). joint: by block of the equations, what it belongs
  // to.
  void plan_elimination(const Equations&, const std::vector<int>& joint);

  const EliminationPlan& elimination() const { return *elimination_; }

 private:
  friend class SchurMatrix;

  struct Product {  // target += a b^T, a: rows x n_v, b: columns x n_v in the weighted Jacobian
    int target, a, b, rows, columns;
  };

  struct Incidence {  // one body's part of an element
    int block, offset;
  };

  void plan_product(Incidence i, Incidence j, const std::vector<int>& sizes, bool different);

  std::shared_ptr<const BlockPlan> blocks_;
  std::shared_ptr<const EliminationPlan> elimination_;
  std::vector<Product> products_;
  std::vector<int> diagonal_;  // place of every row's diagonal entry
};

class SchurMatrix {
 public:
  SchurMatrix(std::shared_ptr<const SchurPlan>, const Equations&, const MassMatrix& weights);
  SchurMatrix(const Equations&, const MassMatrix& weights);  // with a plan of its own

  void activate(const std::vector<char>& active);

  BlockCholesky::Pivots factor(CView packed, double shift, double tolerance);
  void solve(View x) const;  // rows that are not active get 0

  bool skipped(int row) const { return any_skipped_ && cholesky_.skipped(row); }

 private:
  std::shared_ptr<const SchurPlan> plan_;
  const Equations& equations_;
  const MassMatrix& weights_;
  BlockCholesky cholesky_;
  std::vector<char> active_;
  bool any_skipped_ = false, all_active_ = true;
  std::vector<double> weighted_;
};

}  // namespace cardan
