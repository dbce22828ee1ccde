#pragma once
// Derivatives of the reduced equations of motion (reduced.cpp) by inputs p, their rates p' and states z, for
// implicit integrators. With theta the tangent part of a change of q, and all other derivatives exact
// (system/linearisation.h), a change of (p, p', z) moves
//   theta = N dp,     phi_q dv = -(phi_q v - nu)_q theta,     dv of the inputs by dp'
//   M da + phi_q^T dlambda = (Q - phi_q^T lambda)_q theta + Q_v dv + Q_z dz
//   phi_q da = (gamma - phi_q a)_q theta + gamma_v dv,        dp'' of da
//   dz' = w_q theta + w_v dv + w_lambda dlambda + w_z dz
// column by column, with the small factors of the groups. In space p' and p'' are rates of rotation vectors:
// how they follow q, v and a of the input's body alone is differenced, which evaluates nothing else.
#include "cardan/system/group_solver.h"
#include "cardan/system/linearisation.h"

namespace cardan {

class ReducedSlopes {
 public:
  ReducedSlopes(const System&, const std::vector<char>& active);

  struct At {  // a motion whose pose the groups have been linearised at
    double t;
    CView q, v, a, lambda;
  };

  // f_y of y = (p, p', z), column by column; z' alone in its last rows.
  void find(const At&, GroupSolver&, const Workspace&, View f_y);

 private:
  void move_velocities(const At&, GroupSolver&);    // of theta_ with p' as it is
  void accelerate(GroupSolver&);                    // da_ and dlambda_ of theta_, dv_ and force_
  void give(const At&, GroupSolver&, View column);  // dp'' and dz' of them

  const System& system_;
  Linearisation at_;
  SparseMatrix bend_;  // (phi_q v - nu)_q
  std::vector<double> theta_, dv_, da_, dlambda_, force_, rows_, zero_, x_;
  std::vector<double> plus_, minus_, q_, v_, a_;
};

}  // namespace cardan
