#pragma once
// The elimination of S = phi_q M^-1 phi_q^T joint by joint, made once for a mechanism: which equations
// stand together, in which order they are eliminated, and every block operation with its place.
// Nothing in it depends on numbers.
//
// A node is the equations of one joint that tie the same bodies. With W the Jacobian times M^-1/2,
// S_ik = sum over common bodies of W_i W_k^T. Column k of the elimination, in the order found here:
//   D_k  = S_kk - sum_j B_kj D_j^-1 B_kj^T          j: columns before k that are coupled to it
//   B_ik = S_ik - sum_j B_ij (B_kj D_j^-1)^T        i: columns behind k that are coupled to it
// Every block is written once. The order is that of least degree, among equals first in first out: a
// chain is eaten from both ends, so that two independent sequences of operations run side by side.
// Where nodes get many neighbours the order is AMD's.
#include <vector>

#include "cardan/system/equations.h"

namespace cardan {

class EliminationPlan {
 public:
  // joint: by block of the equations, what it belongs to.
  EliminationPlan(const Equations&, const std::vector<int>& joint);

  struct Member {  // a block of the equations in a node
    int block, row;
  };

  struct Incidence {   // a node at a body
    int body, weight;  // where its block of W begins, rows x n_v
  };

  struct Row {  // B_kj of a column before
    int block, pivot, start, size;
    int product;  // where B_kj D_j^-1 is put
  };

  struct Pair {  // incidences of i and k at the same body
    int i, k;
  };

  struct Update {
    int block, product, inner;  // B_ij; B_kj D_j^-1; size of j
  };

  struct Panel {  // B_ik of a column behind
    int block, start, size;
    int first_pair, pair_count, first_update, update_count;
  };

  struct Column {
    int size, start, pivot;  // equations; the first in the order of elimination; D_k^-1
    int first_incidence, incidence_count, first_member, member_count;
    int first_row, row_count, first_panel, panel_count;
  };

  const std::vector<Column>& columns() const { return columns_; }

  const std::vector<Member>& members() const { return members_; }

  const std::vector<Incidence>& incidences() const { return incidences_; }

  const std::vector<Row>& rows() const { return rows_; }

  const std::vector<Panel>& panels() const { return panels_; }

  const std::vector<Pair>& pairs() const { return pairs_; }

  const std::vector<Update>& updates() const { return updates_; }

  // The equation that is eliminated s-th.
  const std::vector<int>& equation() const { return equation_; }

  int weight_size() const { return weight_size_; }

  int block_size() const { return block_size_; }

  int pivot_size() const { return pivot_size_; }

  int product_size() const { return product_size_; }  // of one column, the largest

 private:
  struct Node {
    int size = 0;
    std::vector<Member> members{};
    std::vector<int> bodies{};
  };

  using Lists = std::vector<std::vector<int>>;

  static std::vector<Node> nodes_of(const Equations&, const std::vector<int>& joint);
  void lay_out(const Equations&, const std::vector<Node>&, const std::vector<int>& order);
  void plan_blocks(const Lists& below);
  void plan_pairs(int bodies);
  void plan_updates();
  int panel_at(int i, int k) const;

  std::vector<Column> columns_;
  std::vector<Member> members_;
  std::vector<Incidence> incidences_;
  std::vector<Row> rows_;
  std::vector<Panel> panels_;
  std::vector<int> panel_column_;  // the column i of each
  std::vector<Pair> pairs_;
  std::vector<Update> updates_;
  std::vector<int> equation_;
  int weight_size_ = 0, block_size_ = 0, pivot_size_ = 0, product_size_ = 0;
};

}  // namespace cardan
