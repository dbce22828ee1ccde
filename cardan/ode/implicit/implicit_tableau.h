#pragma once
// Collocation Runge-Kutta methods by their nodes: c_i are the zeros of a Legendre combination on
// [0, 1], and a_ij and b_j integrate the Lagrange polynomials of the nodes to c_i and to 1.
//   Gauss     P_s               order 2 s      (2, 4, 6, 8)
//   Radau IIA P_s - P_(s-1)     order 2 s - 1  (1, 3, 5), c_s = 1: stiffly accurate
// A^-1 = T Lambda T^-1 with Lambda of 1 x 1 and 2 x 2 blocks splits the equations of the stages
// into real and complex ones of the problem's own size (Hairer & Wanner II, IV.8).
#include <vector>

#include <Eigen/Core>

namespace cardan {

struct ImplicitTableau {
  int order = 0;
  Eigen::VectorXd c, b;
  Eigen::MatrixXd A;

  int stages() const { return static_cast<int>(c.size()); }
};

ImplicitTableau gauss_tableau(int stages);
ImplicitTableau radau_tableau(int stages);

struct StageTransform {
  struct Block {
    int first = 0;          // stage
    double re = 0, im = 0;  // eigenvalue of A^-1; im = 0: one stage, otherwise this and the next
  };

  std::vector<Block> blocks;
  Eigen::MatrixXd A_inverse, T, T_inverse;
  Eigen::VectorXd end;  // y_(n+1) = y_n + sum end_i z_i, end = b A^-1
};

StageTransform transform_stages(const ImplicitTableau&);

// Weights of the values at nodes 0, c_1, ..., c_s for the polynomial through them at theta; out has
// s + 1 entries, the first for theta = 0.
void collocation_weights(const Eigen::VectorXd& c, double theta, Eigen::VectorXd& out);

}  // namespace cardan
