#pragma once
// How near the loops of a mechanism are to a singular pose, in a measure that does not depend on how
// many bodies there are. (The smallest eigenvalue of S = phi_q M^-1 phi_q^T does: it falls like 1/N^2
// in any chain of N links.)
//
// With the relative coordinates s of the tree's joints (topology.h) the tree's equations hold for
// every s', and the closures alone are left:
//   row r of a closure, (u, c) on the velocity of a point and on the angular velocity of its body,
//   J_rj = u . v_j + c . omega_j      v_j, omega_j: what s_j' = 1 moves there; only j on its loops
//   b_r^2 = sum_j |u|^2 |v_j|^2 + |c|^2 |omega_j|^2            what its length is at most, but for
//                                                              a factor of two
//   C = diag(1/b) J J^T diag(1/b) = L L^T,                   block by block, one block per closure
//   condition of a closure  =  4 m / trace (L_k L_k^T)^-1,      four times the harmonic mean of the
//                                                 m eigenvalues of its block after the ones before
// Coordinates on one loop alone bound its block from below however many loops are coupled to it, so
// the measure belongs to loops and their geometry: about d^2 at an angle d from a singular pose (N
// four-bars of equal bars in a row: 1.1 d^2 for N = 2, 0.39 d^2 for 10, 0.33 d^2 for 100). Zero exactly where closures lose rank. A joint of the tree whose own equations become dependent counts
// by the same mean over its rows.
#include <memory>
#include <vector>

#include "cardan/math/block_cholesky.h"
#include "cardan/system/system.h"
#include "cardan/system/topology.h"

namespace cardan {

// Places and products of J and C for the closures of a mechanism: made once.
class LoopPlan {
 public:
  LoopPlan(const Equations&, const Topology&);

 private:
  friend class LoopCondition;

  struct Entry {  // block of J: rows of a closure x coordinates of a body's branch
    int closure, body, offset;
  };

  struct Share {            // what one body of one of its elements adds to an entry
    int entry, body, term;  // term: offset of its block in phi_q
    int row, rows;          // of the closure
  };

  struct Product {  // C += a b^T, blocks of J with `rows` and `columns` rows
    int target, a, b, rows, columns, body;
  };

  void plan_shares(const Equations&, const Topology&, int closure);

  std::vector<Entry> entries_;  // by closure
  std::vector<Share> shares_;   // by closure
  std::vector<Product> products_;
  std::vector<int> first_share_;  // of a closure; one more at the end
  std::vector<int> diagonal_;     // place of a closure's block in C
  std::vector<int> first_row_;    // of a closure in J; one more at the end
  std::vector<int> equation_;     // by row of J
  std::vector<char> on_loop_;     // by body: its branch is in some entry
  std::shared_ptr<const BlockPlan> blocks_;
  int size_ = 0;  // of J
};

class LoopCondition {
 public:
  explicit LoopCondition(const System&);

  void activate(const std::vector<char>& active);  // equations that hold

  bool open() const { return open_; }  // none of them closes a loop

  struct Weakest {
    double condition = 1;
    int row = -1;
  };

  // With phi_q (packed) and the rotations of this pose in the workspace.
  Weakest measure(CView q, const Workspace&);

 private:
  template <int D> struct Row;  // (u, c) in the world

  template <int D> Weakest measured(CView q, const Workspace&);
  template <int D> Row<D> row_of(const double* block, int rows, int r, int body, const Workspace&);
  template <int D>
  double free_motions(int body, const Workspace&);  // twist_; condition of its rows
  template <int D> void add_closure(int closure, CView q, const Workspace&);
  void scale_and_factor();
  void look_at(int closure, Weakest&) const;

  const System& system_;
  const Topology& topology_;
  std::shared_ptr<const LoopPlan> plan_;
  std::vector<char> active_;
  BlockCholesky cholesky_;
  std::vector<double> twist_;  // by body: columns (v of its centre, omega), in the world
  std::vector<int> columns_;   // by body
  std::vector<double> J_, bound_;
  bool open_ = true;
};

}  // namespace cardan
