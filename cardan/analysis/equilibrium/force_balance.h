#pragma once
// The balance of forces as equations of the pose alone. A mechanism is at rest, or every group of
// connected bodies moves like one rigid body with a constant twist (w, c),
//   r' = c + w x r,   omega = w,   r'' = w x r',   omega' = 0,
// so that v and a follow from q, and the equations of motion become
//   b(q) + phi_q^T lambda = 0,   phi(t, q) = 0,   b = M a(q) - Q(t, q, v(q)),
// with the derivative along increments of q
//   K = M a_q - Q_q - Q_v v_q + (phi_q^T lambda)_q.
// Where the forces have a potential V, b is the gradient of E = V - T(v(q)), and
//   K - K^T = (b + phi_q^T lambda)~   in the rotation of each body in space, otherwise K = K^T.
// Seen by somebody who moves with the twist, small motions x follow
//   M x'' + (M G - Q_v) x' + K x + phi_q^T dlambda = 0,   phi_q x = 0,
// with G x' = 2 w x r' of shifts and omega x theta' of turns. Friction is not part of Q here: between
// bodies at rest relative to each other it has no direction.
//
// Everything is scaled: turns and angles are multiplied by the mechanism's size, so that steps and
// gaps are lengths, and b and lambda forces. Equations: docs/theory/equilibrium.md.
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "cardan/analysis/start/mobility.h"
#include "cardan/system/linearisation.h"

namespace cardan {

class ForceBalance {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  ForceBalance(const System&, const Mobility&, const State&);

  const System& system() const { return system_; }

  int coordinates() const { return n_; }

  int equations() const { return static_cast<int>(rows_.size()); }  // active ones

  int freedoms() const { return n_ - equations(); }

  double length() const { return length_; }

  // ---- the motion
  // Finds the twists in a pose from the rates of the drivers; the largest rate, as a velocity, that
  // they leave open.
  double find_twists(CView q);

  bool moves() const { return moves_; }

  std::vector<double> velocities(CView q) const;     // not scaled, as in a State
  std::vector<double> accelerations(CView q) const;  // likewise
  // The pose after a time, and from then on equations at that time.
  std::vector<double> carried(CView q, double duration) const;

  double time() const { return t_; }

  void set_time(double t) { t_ = t; }

  // ---- in a pose
  void evaluate(CView q);

  const Vector& b() const { return b_; }

  const Vector& phi() const { return phi_; }

  Matrix jacobian() const;                        // phi_q
  Vector transposed(const Vector& lambda) const;  // phi_q^T lambda
  double open_rates();                            // largest of phi_q v - nu there, as velocities

  // K of this lambda at q, and the other matrices there.
  void linearise(CView q, const Vector& lambda);

  const SparseMatrix& K() const { return K_; }

  const SparseMatrix& C() const { return C_; }  // M G - Q_v

  const SparseMatrix& M() const { return M_; }

  const SparseMatrix& phi_q() const { return phi_q_; }

  double energy(CView q);  // V - T(v(q)), without the forces that applied_work() counts
  // The work of forces whose potential is not known as such, along q (+) s y, 0 <= s <= 1.
  double applied_work(CView q, const Vector& y);

  // ---- sizes
  // What is left of forces in a balance found to a relative tolerance. The forces met so far, and
  // the stiffness times the smallest length that numbers can tell.
  double small_force(double tolerance) const;

  double largest_force() const { return largest_force_; }

  double small_gap(CView q) const;

  // ---- steps
  std::vector<double> moved(CView q, const Vector& y) const;  // q (+) y
  bool close(std::vector<double>& q);                         // onto phi = 0 with the least change

  // Of all equations; zero for those left out.
  std::vector<double> multipliers(const Vector& lambda) const;
  Vector scaled_multipliers(CView lambda) const;

  // Forces whose work depends on the way, so that there is no potential. Looked for in this pose
  // and in poses around it.
  std::vector<std::string> forces_without_potential(CView q);

 private:
  struct Twist {
    Vec<3> w = Vec<3>::Zero(), c = Vec<3>::Zero();
  };

  Vec<3> position(CView q, int body) const;
  Mat<3, 3> turn(CView q, int body) const;
  void put_twist(const Twist&, CView q, int body, double* v) const;
  void find_groups();
  void motion_matrices(CView q);
  double asymmetry(const Matrix& K, const Vector& covector) const;
  bool symmetric_force(const ForcePool&, int element, CView q);

  const System& system_;
  State state_;
  double t_;
  int n_;
  double length_;
  std::vector<int> rows_;  // active equations
  std::vector<char> active_;
  Vector scale_, row_scale_;
  std::vector<int> group_;    // of each body
  std::vector<Twist> twist_;  // of each group
  bool moves_ = false;
  Workspace work_;
  Linearisation linear_;
  std::vector<double> q_;  // of the last evaluate()
  Vector b_, phi_;
  SparseMatrix M_, K_, C_, phi_q_, v_q_, a_q_, G_;
  double largest_force_ = 0, stiffness_ = 0;
};

}  // namespace cardan
