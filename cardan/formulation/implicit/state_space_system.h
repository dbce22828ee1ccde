#pragma once
// The sparse form of Newton's step in independent coordinates (state_space_motion.h), one matrix
// for (x, dv, da, dlambda), x the change of the increment d:
//   P x = 0,                                             x_v - beta h^2 da_v = b_d      (Newmark)
//   phi_q dv + (phi_q v)_q T x = 0,                      dv_v - gamma h da_v = b_v
//   phi_q da - gamma_v dv + ((phi_q a)_q - gamma_q) T x = 0
//   M da + (phi_q^T - Q_lambda) dlambda - Q_v dv - Q_z dz
//                               + ((phi_q^T lambda)_q + (M a)_q - Q_q) T x = (0, b)
// with P = phi_q T. For the I - c f_y of other formulas, with d' = T^-1 v = r(d, v),
//   x_v - c (r_v dv + r_d x)_v = b_d,   dv_v - c da_v = b_v,
//   dz - c (z_q T x + z_v dv + z_lambda dlambda + z_z dz) = b_z,
// and dz is a further unknown. The pattern is made once for a choice of independent coordinates.
#include <memory>
#include <vector>

#include "cardan/formulation/implicit/entry_matrix.h"
#include "cardan/formulation/motion_equations.h"

namespace cardan {

class StateSpaceSystem {
 public:
  using Matrix = MotionEquations::Matrix;
  using Turns = std::vector<double>[3];  // T of all bodies, column by column
  enum class For { newmark, formulas };

  StateSpaceSystem(For, std::vector<int> rows, std::vector<int> independent, int size, int states);

  // Copies what is needed of the linearised equations, bend = (phi_q v)_q.
  void take(const MotionEquations&,
            const Matrix& bend,
            const std::vector<int>& turning,
            const Turns& T,
            bool neglect);

  // r_v and r_d at (d, v), for formulas.
  void take_rates(const MotionEquations&, const std::vector<int>& turning, CView d, CView v);

  // beta h^2 and gamma h; of formulas c alone counts, as gamma_h. False: singular.
  [[nodiscard]] bool factor(double beta_h2, double gamma_h);

  // Empty right sides are zero.
  void solve(CView b_d, CView b_v, CView b, CView b_z = {});

  // Of the last solve.
  CView x() const { return part(0); }

  CView dv() const { return part(1); }

  CView da() const { return part(2); }

  CView dz() const { return CView(solution_).last(static_cast<std::size_t>(states_)); }

  void rate(View out) const;  // r_v dv + r_d x

 private:
  void make_pattern();

  CView part(std::size_t k) const {
    const auto n = static_cast<std::size_t>(n_);
    return CView(solution_).subspan(k * n, n);
  }

  For for_;
  std::vector<int> rows_, independent_;
  int n_, m_, states_;

  enum Source {
    P,
    Phi,
    Bend,
    G,
    Gamma_v,
    M,
    Q_v,
    W,
    Q_lambda,
    Q_z,
    Z_q,
    Z_v,
    Z_lambda,
    Z_z,
    R_v,
    R_d,
    matrices,
    one = matrices,
    beta,
    gamma,
    sources
  };

  Matrix matrix_[matrices], scratch_, scaled_[matrices];
  EntryMatrix all_;
  std::vector<double> solution_;
};

}  // namespace cardan
