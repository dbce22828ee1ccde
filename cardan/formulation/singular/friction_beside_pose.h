#pragma once
// Coulomb friction next to a singular pose. At distance s from it reactions grow like c / s, and friction in
// joints that they load with them, so accelerations are not smooth through the pose: between states on both
// sides (crossing.h) only the kinematics can be interpolated. With phi_q a of the interpolated accelerations,
//   M x + phi_q^T lambda = Q + sum_k N_k d_k,   phi_q x = phi_q a,   N_k = load_k(lambda)
// tells accelerations x and multipliers exactly, lambda = lambda_0 + L N with the responses L to d_k.
//
// What loads do to themselves, F = load' L, grows like K / s too. With |load'| |L| in its place, row by row, whatever
// the directions of reactions are, its spectral radius says how strongly. Where it reaches one, rigid bodies with this friction have no motion or several (the paradox of Painleve): within |s| < K, about the
// friction radius mu r of the pins, whatever passes the pose passes by what rigid bodies leave out. There loads
// follow multipliers that grow no further: with those interpolated, lambda_i, which have no pole,
//   N_k = load_k(lambda_i + f (lambda - lambda_i)),   f = min(1, most / radius),
// as if no lever arm were shorter than K / most. f < 1 is told, since then no forces of rigid bodies are right.
// The multipliers given are those that loads were taken of, so that the work of friction follows them.
#include <vector>

#include "cardan/math/dense.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

class FrictionBesidePose {
 public:
  explicit FrictionBesidePose(const System&);

  // What can be interpolated: accelerations and multipliers of this motion without its friction.
  Eval leave_out(MotionSolver&, double t, CView q, CView v, View a, View lambda);

  // In: interpolated accelerations, and lambda_i; out: those of the equations above. False: nothing
  // changed, since the pose is too near, or something sticks by forces (friction_solver.h).
  bool settle(MotionSolver&, double t, CView q, CView v, View a, View lambda);

  // After settle(): f; the power that friction takes where f < 1, W; and who rubs most.
  double share() const { return share_; }

  double power() const { return power_; }

  int strongest() const { return strongest_; }

 private:
  void respond(MotionSolver&, double t, CView q, CView v, CView a);
  double load(int k, CView lambda);
  void loads(const Eigen::VectorXd& lambda);  // N_at_, F_ and its bound
  double radius();
  void multipliers(CView smooth);
  bool newton(CView smooth);
  bool repeat(CView smooth);
  void take_power(CView v);
  void add(int k, double N, View Q) const;

  const System& system_;
  const FrictionSet& set_;
  int count_;
  double share_ = 1, power_ = 0;
  int strongest_ = -1;
  std::vector<double> d_, given_, g_, x_, mu_, f_, slopes_, none_;
  std::vector<Mat<3, 3>> frames_;
  Eigen::MatrixXd L_, F_, power_of_F_, square_;  // L_: lambda_0 behind the responses
  Eigen::VectorXd N_, N_at_, lambda_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace cardan
