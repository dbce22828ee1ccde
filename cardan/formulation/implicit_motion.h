#pragma once
// The Newton service of formulations in all coordinates, y = (q, v, z): exact derivatives and
// sparse factors (system/shifted_matrix.h) for the I - c f_y of implicit integrators. In space the
// quaternion e of a body is moved by its tangent part theta and by its length rho,
//   de = e (0, theta)/2 + rho e,   rho - c (-theta.omega / 4) = b_rho,
// where f is that of the pose with lengths set to one, so that nothing depends on rho. Angles that
// count turns follow the velocities.
#include "cardan/ode/problem.h"
#include "cardan/system/shifted_matrix.h"

namespace cardan {

// How fast forces answer to motions of single coordinates: the largest -Q_v/M and -Q_q/M on the diagonal.
struct ForceRates {
  double damping = 0, stiffness = 0;  // 1/s, 1/s^2

  ForceRates() = default;
  ForceRates(const SparseMatrix& M, const SparseMatrix& Q_q, const SparseMatrix& Q_v);

  // Forces that a step of length c feels more than masses.
  bool stiff(double c) const { return c * damping + c * c * stiffness > 1; }
};

class ImplicitMotion {
 public:
  // states: y ends with z.
  ImplicitMotion(const System&, const std::vector<char>& active, bool states);

  void reserve(int shifts) { matrix_.reserve(shifts); }

  // q with quaternions of length one, of the last call.
  CView unit_pose(CView q);

  // The derivatives at a motion that has been evaluated with this workspace.
  void linearise(double t,
                 CView q,
                 CView v,
                 CView a,
                 CView lambda,
                 const Workspace& of,
                 const ConstraintFeedback&);

  [[nodiscard]] bool factor(int k, const Shift& c) { return matrix_.factor(k, {c.re, c.im}); }

  // A correction of positions or velocities, see ShiftedMatrix.
  void meet(int k, CView g, View d) { matrix_.meet(k, g, d); }

  const ForceRates& rates() const { return rates_; }

  // (re + i im) <- W_k^-1 (re + i im); im is empty where it is zero.
  Eval solve(int k, View re, View im);

 private:
  struct Piece {                        // a real vector y
    std::vector<double> q, v, z;        // q: tangent increment
    std::vector<double> length, turns;  // rho of the bodies, counted angles
  };

  Piece piece() const;
  void take(CView y, Piece&) const;
  void give(const Piece&, View y);
  void follow(double c, const Piece& moved, Piece& to);  // length and turns += c times their rates

  const System& system_;
  ShiftedMatrix matrix_;
  ForceRates rates_;  // of the last linearisation
  std::size_t n_q_, n_v_, n_z_;
  std::vector<double> unit_, q_, v_, rate_;  // a pose; where the derivatives were taken; scratch
  Piece re_, im_;
  std::vector<std::complex<double>> q_both_, v_both_, z_both_;
};

}  // namespace cardan
