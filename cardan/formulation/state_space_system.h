#pragma once
// The sparse form of Newton's step for Psi(s) = 0 (state_space_motion.h), one matrix for
// (x, dv, da, dlambda), x the change of the increment d:
//   P x = 0,                                             x_v - beta h^2 da_v = b_d
//   phi_q dv + (phi_q v)_q T x = 0,                      dv_v - gamma h da_v = b_v
//   phi_q da - gamma_v dv + ((phi_q a)_q - gamma_q) T x = 0
//   M da + phi_q^T dlambda - Q_v dv + ((phi_q^T lambda)_q + (M a)_q - Q_q) T x = (0, b)
// with P = phi_q T. Its pattern is made once for a choice of independent coordinates.
#include <memory>
#include <vector>

#include "cardan/formulation/motion_equations.h"
#include "cardan/math/sparse_lu.h"

namespace cardan {

class StateSpaceSystem {
 public:
  using Matrix = MotionEquations::Matrix;

  StateSpaceSystem(std::vector<int> rows, std::vector<int> independent, int size);

  // Copies what is needed of the linearised equations, with the turns T of state_space_motion.h.
  void take(const MotionEquations&,
            const Matrix& bend,
            const std::vector<int>& turning,
            const std::vector<double> (&T)[3],
            bool neglect);

  [[nodiscard]] bool factor(double beta_h2, double gamma_h);

  void solve(CView b_d, CView b_v, CView b, View da_v);

 private:
  struct Entry {
    int source, index, row, column;
    double factor;
  };

  void make_pattern();

  std::vector<int> rows_, independent_;
  int n_, m_;

  enum Source { P, Phi, Bend, G, Gamma_v, M, Q_v, W, one, beta, gamma, sources };

  Matrix matrix_[W + 1], scratch_;
  std::vector<Entry> entries_;
  std::vector<int> place_;
  std::vector<double> values_, x_;
  std::unique_ptr<SparseOrder> order_;
  std::unique_ptr<SparseLu<double>> lu_;
};

}  // namespace cardan
