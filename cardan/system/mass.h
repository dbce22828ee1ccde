#pragma once
// The constant, block-diagonal mass matrix: diag(m, m, J) of a planar body, blkdiag(m I, J) of a
// spatial one, about the mass centre. M = C C^T body by body; C^-1 weighs Jacobian blocks so that S
// = phi_q M^-1 phi_q^T is a sum of products.
#include <vector>

#include "cardan/math/types.h"

namespace cardan {

class MassMatrix {
 public:
  MassMatrix() = default;

  explicit MassMatrix(int n_v) : n_v_(n_v) {}

  void add_planar(double mass, double inertia);
  void add_spatial(double mass, const Mat<3, 3>& inertia);
  void add_diagonal(CView entries);  // all of the body's; not beside others of another kind

  int size() const { return static_cast<int>(dense_.size()) / n_v_; }

  bool regular() const { return regular_; }  // every body has mass and inertia

  void multiply(CView v, View out) const;
  double energy(CView v) const;  // v^T M v / 2
  void solve(View x) const;      // x <- M^-1 x, regular only
  // The block (rows x n_v, column-major) times C^-T of its body.
  void weigh(int body, int rows, const double* block, double* out) const;

  // Entry of body b's block, for the saddle-point matrix.
  double at(int body, int row, int column) const {
    return dense_[static_cast<std::size_t>((body * n_v_ + column) * n_v_ + row)];
  }

  // Largest inertia ratio m l^2 / J with length l: how ill-conditioned S may become.
  double worst_ratio(double length) const;

 private:
  void append(const Eigen::MatrixXd& block);
  int n_v_ = 3;
  bool regular_ = true, diagonal_ = false;  // diagonal_: of add_diagonal
  std::vector<double> dense_, inverse_;     // blocks n_v x n_v: M and C^-1, column-major
  std::vector<double> planar_inverse_;      // of a diagonal: 1/m, 1/m, 1/J of planar bodies
};

}  // namespace cardan
