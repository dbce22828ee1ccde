#pragma once
// What methods of their own for constrained motion share: y = (q, v, z) taken apart, accelerations
// at both ends of the step, and between them the polynomial of degree five through positions,
// velocities and accelerations there.
#include "cardan/ode/basic_method.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

class ConstrainedMethod : public BasicMethod {
 public:
  ConstrainedMethod(OdeProblem&, MotionSolver&, const Traits&);
  Eval start(double t, CView y, const Tolerance&) override;
  Eval interpolate(double t, View y) override;
  void serialize(Archive&) override;

 protected:
  View q(Eigen::VectorXd& y) const { return view(y).first(n_q_); }

  View v(Eigen::VectorXd& y) const { return view(y).subspan(n_q_, n_v_); }

  CView z(const Eigen::VectorXd& y) const { return view(y).subspan(n_q_ + n_v_); }

  CView q(const Eigen::VectorXd& y) const { return view(y).first(n_q_); }

  CView v(const Eigen::VectorXd& y) const { return view(y).subspan(n_q_, n_v_); }

  void take_over(
      const std::vector<double>& a_new);  // the proposal, with the accelerations at its end

  MotionSolver& motion_;
  const System& system_;
  std::size_t n_q_, n_v_;
  std::vector<double> a_, a_old_, lambda_;  // accelerations at t_ and t_old_

 private:
  std::vector<double> d_, rate_, second_, bend_;
};

}  // namespace cardan
