#pragma once
// Sparse Cholesky factorization S = L L^T of a symmetric positive (semi)definite matrix of small
// blocks. The order (AMD), the fill and the whole schedule of block operations are made once, as a
// BlockPlan that any number of factors share; factor() only runs through it.
//
//   for every block column k:   L_kk = chol(S_kk);  L_ik = S_ik L_kk^-T;  S_ij -= L_ik L_jk^T   (i
//   >= j > k)
//
// A scalar pivot below `tolerance` times its original diagonal entry marks an equation that depends
// on the earlier ones: it is skipped (its unknown becomes 0) and reported. Reference: Davis, Direct
// Methods for Sparse Linear Systems, ch. 4.
#include <memory>
#include <utility>
#include <vector>

#include "cardan/math/types.h"

namespace cardan {

// Order, fill and schedule of one pattern; nothing in it depends on values.
class BlockPlan {
 public:
  // sizes of the diagonal blocks; couplings: pairs of different blocks, any order, repetitions
  // allowed.
  BlockPlan(std::vector<int> sizes, const std::vector<std::pair<int, int>>& couplings);

  struct Place {              // where to add block (i, j) before factor()
    int offset = 0;           // into the values, column-major
    int stride = 0;           // rows of the stored block
    bool transposed = false;  // stored as (j, i)
  };

  Place place(int i,
              int j) const;  // i == j: the whole diagonal block (only its lower triangle is read)

  std::size_t fill() const { return static_cast<std::size_t>(value_count_); }

 private:
  friend class BlockCholesky;

  struct Panel {  // block (i, k) below the diagonal
    int row_start, rows, offset;
  };

  struct Column {
    int start, size, offset;  // first scalar (eliminated order), size, diagonal block
    int first_panel, panel_count;
    int first_update, update_count;
  };

  struct Update {  // target -= a b^T with a: rows x k, b: columns x k
    int target, a, b, rows, columns;
  };

  void lay_out(const std::vector<std::vector<int>>& below);
  void schedule();
  std::size_t panel_at(int row, int column) const;

  std::vector<int> sizes_, start_, order_,
      position_;                // caller's blocks; order_[k] = block eliminated k-th
  std::vector<int> scalar_of_;  // eliminated scalar -> caller's scalar
  std::vector<Column> columns_;
  std::vector<Panel> panels_;
  std::vector<int> panel_block_;  // eliminated block index of each panel
  std::vector<Update> updates_;
  int value_count_ = 0;
};

class BlockCholesky {
 public:
  BlockCholesky() = default;
  explicit BlockCholesky(std::shared_ptr<const BlockPlan>);

  // With a plan of its own.
  void analyze(std::vector<int> sizes, const std::vector<std::pair<int, int>>& couplings);

  using Place = BlockPlan::Place;

  Place place(int i, int j) const { return plan_->place(i, j); }

  View values() { return values_; }

  CView values() const { return values_; }

  void clear();

  struct Pivots {
    int skipped = 0;   // dependent equations
    int worst = -1;    // scalar index (in the caller's order) of the smallest ratio
    double ratio = 1;  // smallest pivot / original diagonal
  };

  Pivots factor(double tolerance);
  bool skipped(int scalar) const;  // was this unknown skipped by the last factor()
  void solve(View x) const;        // x <- S^-1 x, caller's order

  std::size_t fill() const { return values_.size(); }

 private:
  using Column = BlockPlan::Column;
  using Panel = BlockPlan::Panel;
  using Update = BlockPlan::Update;

  void forward(const Column&, double* w) const;
  void backward(const Column&, double* w) const;
  void factor_diagonal(const Column&, double tolerance, Pivots&);

  std::shared_ptr<const BlockPlan> plan_;
  std::vector<double> values_, inverse_diagonal_, diagonal_;
  mutable std::vector<double> work_;
};

}  // namespace cardan
