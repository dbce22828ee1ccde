#pragma once
// An ordered list of constraint pools seen as one vector of equations phi(t, q) = 0 with a packed
// Jacobian: the blocks of one element after the other, each rows x n_v, column by column. Ground
// columns are not stored. Where the mass matrix is a function of the pose (coordinates of one's own)
// it stands behind them, n_v x n_v: the packed numbers are what varies in the saddle-point matrix.
#include <span>
#include <vector>

#include "cardan/element/pool.h"
#include "cardan/math/dense.h"

namespace cardan {

class CoordinateEquations;

class Equations {
 public:
  Equations() = default;
  Equations(std::vector<const ConstraintPool*> pools,
            int bodies,
            int n_v,
            const CoordinateEquations* mass = nullptr);

  struct Term {  // one body's block of an element
    int body;
    int offset;  // into the packed Jacobian
  };

  struct Block {  // one element
    int first_row, rows;
    int first_term, term_count;
    int sides;  // bodies and the ground, which has no term
  };

  int rows() const { return rows_; }

  int bodies() const { return bodies_; }

  int body_size() const { return n_v_; }  // velocity coordinates of a body

  int packed_size() const { return packed_size_; }

  std::span<const Block> blocks() const { return blocks_; }

  std::span<const Term> terms(const Block& b) const {
    return {terms_.data() + b.first_term, static_cast<std::size_t>(b.term_count)};
  }

  // Row of equation `row` of element `element` in pool `pool` (index into the list given).
  int row(int pool, int element, int equation) const;

  int block_of(int pool, int element) const {
    return first_block_[static_cast<std::size_t>(pool)] + element;
  }

  // The pools in the order given, their first rows, and where their blocks are in the packed
  // Jacobian.
  std::span<const ConstraintPool* const> pools() const { return pools_; }

  int first_row(std::size_t pool) const { return first_row_[pool]; }

  std::span<const Slot> slots(std::size_t pool) const {
    const auto& p = *pools_[pool];
    return std::span(slots_).subspan(first_slot_[pool],
                                     static_cast<std::size_t>(p.count() * p.sides()));
  }

  bool at_velocity_level(int row) const {
    return velocity_level_[static_cast<std::size_t>(row)] != 0;
  }

  void phi(const Config&, View out) const;
  void nu(const Config&, View out) const;
  void gamma(const Motion&, View out) const;
  void phi_q(const Config&, View packed) const;

  void multiply(CView packed, CView x, View y) const;  // y = phi_q x
  void add_transposed(CView packed,
                      CView lambda,
                      double c,
                      View out) const;                // out += c phi_q^T lambda
  void scale_rows(CView factors, View packed) const;  // row r times factors[r]

  bool has_mass() const { return mass_ != nullptr; }

  int mass_offset() const { return packed_size_ - n_v_ * n_v_; }  // into packed, with has_mass()

  Eigen::MatrixXd dense(CView packed) const;

 private:
  std::vector<const ConstraintPool*> pools_;
  std::vector<int> first_row_, first_block_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> first_slot_;
  std::vector<Block> blocks_;
  std::vector<Term> terms_;
  std::vector<char> velocity_level_;
  const CoordinateEquations* mass_ = nullptr;
  int bodies_ = 0, n_v_ = 3, rows_ = 0, packed_size_ = 0;
};

}  // namespace cardan
