#pragma once
// Newton's systems of the direct formulations (dae_formulation.h) for implicit integrators: solves
// with W = D - c f_y, c real or complex, without f_y. With the derivatives of a linearisation,
// K = Q_q - (phi_q^T lambda)_q - (M a)_q, the tangent part theta of dq and scaled unknowns
//   theta^ = theta / c,   a^ = c da,   lambda^ = c dlambda,   eta^ = c deta,
// the rows are
//   F theta^ - dv + B dmu                                          = b_q / c     F = 1 + c u~/2
//   dv - a^ + B eta^                                               = b_v
//   M a^ + (phi_q^T - Q_lambda) lambda^ - c (c K theta^ + Q_v dv + Q_z dz) = b_a
//   phi_q theta^                                                   = -b_phi / c^2
//   phi_q dv + c (phi_q v)_q theta^                                = -b_nu / c
//   phi_q a^ - c gamma_v dv + c^2 ((phi_q a)_q - gamma_q) theta^   = -b_gamma
//   dz - c (c z_q theta^ + z_v dv + z_z dz) - z_lambda lambda^     = b_z
// b with the residuals times c where an equation has no derivative. As c goes to 0 the matrix goes
// to one that depends on the pose alone: it stays well conditioned for all step sizes. Without the
// equation of accelerations (index 2) there is no eta and a^ = dv - b_v is eliminated.
// u = v - B mu is the velocity of rotations, u~ x = u x x; F = 1 in the plane. How B moves with q is
// left out: mu is of the size of the integration error.
#include <complex>
#include <memory>
#include <span>

#include "cardan/formulation/implicit/block_matrix.h"
#include "cardan/formulation/motion_equations.h"
#include "cardan/ode/archive.h"

namespace cardan {

struct DaeKind {
  std::string_view name;
  bool accelerations = false;  // phi_q a = gamma is one of the equations; eta is its multiplier
  bool carried = true;  // mu and eta are unknowns with a past, or else belong to a correction alone
  // B: unit vectors of dependent coordinates, or else weights times phi_q^T.
  bool dependent = false;
  bool split = false;  // lambda follows from the dependent equations of motion
};

// Where things stand in y = (q, v, a, lambda, mu, eta, z).
struct DaeLayout {
  DaeLayout(const MotionEquations&, const DaeKind&);

  std::size_t q, v, lambda, z;  // how many
  std::size_t at_v, at_a, at_lambda, at_mu, at_eta, at_z, size;
};

class DaeNewton {
 public:
  // The equations have been linearised once. dependent: a coordinate for each equation, -1 for
  // those left out; empty where the kind needs none.
  DaeNewton(MotionEquations&, const DaeKind&, const std::vector<int>& dependent);

  void reserve(int shifts);

  // The weighted normals that keep positions and velocities on the constraints, B x into out; with
  // phi_q of the last evaluation.
  void add_normals(CView x, double factor, View out) const;

  // The derivatives at y; no factor is left. unit: its pose with quaternions of length one;
  // multipliers: lambda.
  void linearise(double t, CView unit, CView y, CView multipliers);
  [[nodiscard]] bool factor(int k, std::complex<double> c);
  void solve(int k, View re, View im);  // (re + i im) <- W_k^-1 (re + i im); im may be empty

  // Pivots: chosen once, and on loading chosen again in the same place.
  void serialize(Archive&);

  // W_k with scaled unknowns, for tests.
  Eigen::SparseMatrix<double> matrix(int k) const;

 private:
  enum Group { theta, speed, mu, lambda, state, acceleration, eta };

  template <class T> struct Part {
    Part(const BlockMatrix& m, const DaeLayout& at)
        : factor(m), b(at.size), y(at.size), unit(at.q), multipliers(at.lambda) {}

    BlockFactor<T> factor;
    std::vector<T> b;
    // Where pivots were chosen; they are kept from there on.
    bool chosen = false;
    double t = 0, re = 0, im = 0;
    std::vector<double> y, unit, multipliers;
  };

  struct Factor {
    std::complex<double> c = 0;
    std::unique_ptr<Part<double>> real;
    std::unique_ptr<Part<std::complex<double>>> complex;
  };

  template <class T> bool factor_as(Part<T>&, T c);
  template <class T> void serialize_pivots(Archive&, Part<T>&);
  void declare();
  void turn_pattern();
  template <class T> void fill(BlockFactor<T>&, T c) const;
  template <class T> void solve_as(Part<T>&, T c, View re, View im);

  MotionEquations& equations_;
  DaeKind kind_;
  DaeLayout at_;
  std::vector<int> dependent_;
  std::vector<char> on_positions_;  // equations that have a phi
  std::vector<double> weight_;      // of velocities in B
  mutable std::vector<double> sum_;
  MotionEquations::Matrix K_, bend_, phi_q_v_q_, normals_, turn_;
  std::vector<int> turning_;  // the first coordinates of rotations in space
  double t_ = 0;              // of the last linearisation
  std::vector<double> y_, multipliers_;
  std::vector<double> q_, u_, rate_, tangent_re_, tangent_im_, off_;
  std::unique_ptr<BlockMatrix> matrix_;
  std::vector<Factor> factors_;

  struct Terms {
    int theta_theta, theta_turn, theta_v, theta_mu;
    int v_v, v_a, v_eta;                                     // dv - a^ + B eta^
    int a_M, a_Q_v, a_K, a_phi, a_friction, a_z;             // equations of motion
    int phi, nu_v, nu_theta, gamma_a, gamma_v, gamma_theta;  // constraints
    int z_z, z_identity, z_theta, z_v, z_lambda;             // states
  } terms_{};
};

}  // namespace cardan
