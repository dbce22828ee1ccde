#pragma once
// Linear solves with I - c f_y of the index-1 equations of motion, y = (q, v, z), without f_y: with
// the derivatives of a linearisation, K = Q_q - (phi_q^T lambda)_q, G = gamma_q - (phi_q a)_q and
// theta the tangent part of dq,
//   theta = F (b_q + c dv)                                          F below
//   M dv + (phi_q^T - Q_lambda) mu - c (K theta + Q_v dv + Q_z dz) = M b_v       mu = c dlambda
//   phi_q dv                       - c (G theta + gamma_v dv)      = phi_q b_v
//   dz                             - c (z_q theta + z_v dv + z_z dz) - z_lambda mu = b_z
// Putting theta into the others leaves one sparse matrix for (dv, mu, dz), of the pattern of the
// saddle-point matrix and the couplings between bodies, factored for each c, real or complex. The
// three energies stand apart: nothing depends on them. In the plane theta' = dv and F = 1; in space
// theta' = dv + theta x omega / 2 for the rotation of a body, so F = (1 + c omega~/2)^-1.
// With feedback of violations, gamma - k_1 (phi_q v - nu) - k_0 phi stands for gamma.
#include <complex>
#include <span>

#include "cardan/math/sparse_lu.h"
#include "cardan/system/linearisation.h"

namespace cardan {

struct ConstraintFeedback {
  double velocity = 0, position = 0;  // k_1, k_0
};

class ShiftedMatrix {
 public:
  ShiftedMatrix(const System&, const std::vector<char>& active);

  void reserve(int shifts);

  // The derivatives at a state; no factor is left.
  void linearise(double t,
                 CView q,
                 CView v,
                 CView a,
                 CView lambda,
                 const Workspace& of,
                 const ConstraintFeedback& = {});

  // c of number k. Pivots are chosen at the first c after linearise. False: singular.
  [[nodiscard]] bool factor(int k, std::complex<double> c);

  // (q, v, z) <- (I - c_k f_y)^-1 (q, v, z), q a tangent increment; T is complex where c_k is.
  template <class T> void solve(int k, T* q, T* v, T* z);

  // d with phi_q d = g but for terms with c, by the factor of a real c_k: a change of positions or velocities along
  // which stiff forces change as little as they may. Equations that are not active are not read.
  void meet(int k, CView g, View d);

  std::complex<double> shift(int k) const { return factors_[static_cast<std::size_t>(k)].c; }

  const Linearisation& linearisation() const { return at_; }

 private:
  template <class T> struct Part {
    std::unique_ptr<SparseLu<T>> lu;
    std::vector<T> values, x, theta, z;
    std::vector<Eigen::Matrix<T, 3, 3>> F;  // of each body in space
  };

  struct Factor {
    std::complex<double> c = 0;
    bool fresh = true;  // no pivots are chosen
    Part<double> real;
    Part<std::complex<double>> complex;
  };

  void make_pattern();
  template <class T> static Part<T>& part(Factor&);
  template <class T> bool factor_as(Part<T>&, T c, bool fresh);
  template <class T> void find_turns(Part<T>&, T c) const;  // F
  template <class T> void fill_motion(Part<T>&, T c) const;
  template <class T> void fill_multipliers(Part<T>&, T c) const;
  template <class T> void turn(const Part<T>&, T* q) const;  // q <- F q

  const System& system_;
  std::vector<char> active_;
  Linearisation at_;
  int n_, m_, energies_, states_;    // of v, of equations, of z before and in the matrix
  std::vector<int> columns_, rows_;  // the pattern
  std::vector<int> multiplier_;      // where entries of phi_q stand in columns of multipliers
  std::vector<int> friction_;        // and those of Q_lambda
  std::vector<int> diagonal_;        // and the diagonal of the multipliers
  std::vector<int> state_, force_;   // and z_z, Q_z; -1: an energy's
  std::vector<int> state_diagonal_;
  std::unique_ptr<SparseOrder> order_;
  SparseMatrix K_, G_q_, G_v_, rate_q_;
  std::vector<double> v_;
  std::vector<Factor> factors_;
};

}  // namespace cardan
