#pragma once
// Newmark's family on the index-3 equations of motion. With auxiliary accelerations A (and rates Z of
// first-order states, which follow the same formula as velocities),
//   M a_(n+1) + phi_q^T lambda_(n+1) = Q(t_(n+1), q_(n+1), v_(n+1), lambda_(n+1), z_(n+1))
//   phi(t_(n+1), q_(n+1)) = 0                                 phi_q v = nu where there is no phi
//   q_(n+1) = q_n (+) d,   d = h v_n + h^2 ((1/2 - beta) A_n + beta A_(n+1))
//   v_(n+1) = v_n + h ((1 - gamma) A_n + gamma A_(n+1))
//   (1 - alpha_m) A_(n+1) + alpha_m A_n = (1 - alpha_f) a_(n+1) + alpha_f a_n
// Newton's method for a and lambda; with c_1 = c gamma h, c_2 = c beta h^2, c = (1 - alpha_f) /
// (1 - alpha_m), K = Q_q - (phi_q^T lambda)_q and T = T(d) the tangent increment at q_(n+1) of a
// change of d,
//   [M - c_1 Q_v - c_2 K T    phi_q^T - Q_lambda] [da     ]     [equations of motion]
//   [phi_q T                  0                 ] [dlambda] = - [phi / c_2          ]
// whose condition does not depend on h: unknowns and constraints are scaled with it (Bottasso,
// Bauchau & Cardona 2007).
//
// Constraints of velocities hold to order 2 with numerical damping. Without it (rho = 1, alpha = 0,
// gamma = 1/2) the index-3 equations are weakly unstable, and when the step changes, a violation e
// of them needs accelerations of e / h: in both cases velocities and accelerations are put onto
// their constraints after every step. Multipliers then keep order 2 when the next step begins with
// the normal part of its error e_d = h^3 (C_q a' - w x w'/12) of d taken out of the velocities,
// v_n - N e_d / h (w: rotations in space; Arnold, Bruls & Cardona, Numer. Math. 129 (2015)).
//
// Local errors, A_n being a at t_n + (alpha_m - alpha_f) h up to h^2:
//   q: C_q h^3 a' - h^3 w x w'/12 (w: rotations in space),   C_q = beta + (alpha_m - alpha_f)/2 - 1/6
//   v: C_v h^3 a'',  C_v = c_0 + gamma (1/2 + alpha_m - alpha_f) - 1/6,
//      c_0 = (1 - alpha_f)/2 - (1 - alpha_m)(1/2 + alpha_m - alpha_f)
// with a' and a'' by differences of the last accelerations; local_share.h says what they may be. When the step changes by r, A_n - a_n is
// multiplied by r. Interpolant: the cubic through positions and velocities at both ends.
// References: Arnold & Bruls, Multibody Syst. Dyn. 18 (2007); Bruls, Cardona & Arnold, Mech. Mach.
// Theory 48 (2012), rotations; Cardona & Geradin, Comput. Struct. 33 (1989), instability.
#include "cardan/formulation/implicit/block_matrix.h"
#include "cardan/formulation/motion_equations.h"
#include "cardan/ode/basic_method.h"
#include "cardan/ode/newton.h"
#include "cardan/ode/second_order/generalized_alpha.h"

namespace cardan {

class AlphaNewton {  // the iteration matrix
 public:
  explicit AlphaNewton(MotionEquations&);  // which have been linearised once

  struct Place {  // a state reached with the increment d, and the shifts of a factor there
    double t = 0, c_1 = 0, c_2 = 0;
    std::vector<double> q, v, a, lambda, z, d;

    void serialize(Archive&);
  };

  // The derivatives at a state reached with the increment d.
  void linearise(double t, CView q, CView v, CView a, CView lambda, CView z, CView d);
  [[nodiscard]] bool factor(double c_1, double c_2);  // pivots are chosen once, and kept
  void serialize(Archive&);                           // pivots

  // In: what is missing in the equations of motion, of the constraints (phi / c_2, (phi_q v - nu) /
  // c_1) and of rates. Out: the corrections of a, lambda and rates.
  void solve(View motion, View constraints, View rates);

  Eigen::SparseMatrix<double> matrix() const;

 private:
  using Matrix = MotionEquations::Matrix;

  enum Group { accelerations, multipliers, rates };

  void turn_columns(Matrix&) const;  // A <- A T

  MotionEquations& equations_;
  std::size_t n_, m_, s_;
  Matrix K_, phi_q_T_, phi_q_v_q_, rows_, z_q_;
  std::vector<int> turning_;
  std::vector<double> T_[3];  // columns of T below each other
  BlockMatrix matrix_;
  std::unique_ptr<BlockFactor<double>> factor_;
  Place here_, pivots_;  // of the last linearisation; where pivots were chosen
  bool chosen_ = false;

  struct {
    int M, Q_v, K, reactions, friction, Q_z, rows, identity, z_v, z_q, z_z, z_lambda;
  } terms_{};
};

class AlphaMethod final : public BasicMethod {
 public:
  AlphaMethod(OdeProblem&, MotionEquations&, const Traits&, const AlphaParameters&);

  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Eval interpolate(double t, View y) override;
  void serialize(Archive&) override;

  // Whether velocities and accelerations are put onto their constraints after every step.
  bool consistent() const { return consistent_; }

  std::string trouble() const override;

 private:
  View q(Eigen::VectorXd& y) const { return view(y).first(n_q_); }

  View v(Eigen::VectorXd& y) const { return view(y).subspan(n_q_, n_v_); }

  View z(Eigen::VectorXd& y) const { return view(y).subspan(n_q_ + n_v_); }

  void find_auxiliary();
  void finish_quadratures(double h);
  void advance(double h);
  Eval residual(double t, double h);
  Eval linearize(double h, bool fresh);
  Attempt::Kind iterate(double h);
  double size(double h);  // of a correction
  double position_round_off(double h) const;
  bool at_round_off(double h);
  double round_off_size(double h) const;
  void estimate(double h);
  void take_bend_of_rotations(CView v, CView a, double h3, std::vector<double>& d);
  void find_normal();

  MotionEquations& equations_;
  AlphaParameters par_;
  double c_;  // A_(n+1) = c_ a_(n+1) + known
  std::size_t n_q_, n_v_, n_z_, m_;
  bool consistent_;  // velocities and accelerations are put onto their constraints
  std::unique_ptr<AlphaNewton> newton_;
  Convergence convergence_;
  // Accelerations above, rates of states below.
  Eigen::VectorXd a_, a_new_, a_old_, A_, A_from_, A_new_, correction_, bend_;
  std::vector<double> lambda_, lambda_new_, constraints_, d_, rate_;
  // Velocities a step begins with; what they are off by, divided by h^2.
  std::vector<double> v_from_, normal_;
  std::vector<double> missing_, open_;  // before the last correction
  double h_last_ = 0;                   // of the last accepted step; 0: none

  struct Place {                         // where the derivatives were taken
    double t = 0, h = 0, h_factors = 0;  // h = 0: nowhere
    Eigen::VectorXd y, a;
    std::vector<double> lambda, d;
  } jacobian_;

  bool renew_ = true;
  bool only_noise_left_ = false;  // the last iteration ended at round-off, not at its goal
};

}  // namespace cardan
