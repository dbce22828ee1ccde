#pragma once
// The equations of motion of a compiled mechanism (motion_equations.h), with the solver of a
// formulation: what is evaluated uses the inputs and modes that stand in its workspace. M is
// constant, except in coordinates of one's own.
#include <memory>

#include "cardan/formulation/motion_equations.h"
#include "cardan/system/linearisation.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

class MechanismEquations final : public MotionEquations {
 public:
  explicit MechanismEquations(MotionSolver&);

  int positions() const override { return system_.q_size(); }

  int velocities() const override { return system_.v_size(); }

  int equations() const override { return system_.equations().rows(); }

  int states() const override { return system_.states().size(); }

  const std::vector<char>& active() const override { return motion_.active(); }

  bool at_velocity_level(int row) const override {
    return system_.equations().at_velocity_level(row);
  }

  bool turns(int k) const override;

  bool is_angle(int k) const override { return system_.layout().turns(k); }

  std::string position_label(int k) const override { return system_.position_label(k); }

  std::string velocity_label(int k) const override { return system_.coordinate_label(k); }

  std::string equation_label(int row) const override { return system_.equation_label(row); }

  double length() const override { return system_.length(); }

  void rate(CView q, CView v, View q_dot) const override { system_.rate(q, v, q_dot); }

  void tangent(CView q, CView q_dot, View d) const override { system_.tangent(q, q_dot, d); }

  void off_tangent(CView q, CView u, CView d, View q_dot) const override;

  void advance(CView q, CView d, View out) const override { system_.advance(q, d, out); }

  void difference(CView q1, CView q0, View d) const override { system_.difference(q1, q0, d); }

  void normalise(View q) const override { system_.normalise(q); }

  void transport(CView d, View x) const override;
  void transport_back(CView d, View x) const override;
  void transport_bend(CView d, CView x, CView v, View out) const override;

  Eval evaluate(double t, CView q, CView v, CView lambda, CView z) override;
  void evaluate_constraints(double t, CView q) override;

  CView phi() const override { return work_.phi; }

  CView nu() const override { return work_.nu; }

  CView gamma() const override { return work_.gamma; }

  CView Q() const override { return work_.Q; }

  CView w() const override { return w_; }

  void multiply_M(CView x, View out) const override;
  void multiply_phi_q(CView x, View out) const override;
  void add_phi_qT(CView lambda, double factor, View out) const override;
  const Matrix& constraint_jacobian() override;

  Eval accelerations(double t, CView q, CView v, CView z, View a, View lambda) override;

  Eval factor(double t, CView q) override { return motion_.linearise(t, q); }

  void solve(CView f, CView g, View x, View mu) override { motion_.solve(f, g, x, mu); }

  Eval project_positions(double t, View q) override { return motion_.project_positions(t, q); }

  Eval project_velocities(double t, CView q, View v) override {
    return motion_.project_velocities(t, q, v);
  }

  double position_violation(double t, CView q) override {
    return motion_.position_violation(t, q, MotionSolver::Rows::active);
  }

  double velocity_violation(double t, CView q, CView v) override {
    return motion_.velocity_violation(t, q, v, MotionSolver::Rows::active);
  }

  void linearise(double t, CView q, CView v, CView a, CView lambda, CView z) override;

  const Matrix& M() const override { return at_->M(); }

  const Matrix& Q_q() const override { return at_->Q_q(); }

  const Matrix& Q_v() const override { return at_->Q_v(); }

  const Matrix& phi_qT_lambda_q() const override { return at_->phi_qT_lambda_q(); }

  bool M_depends_on_q() const override;

  const Matrix& M_a_q() const override { return at_->M_a_q(); }

  const Matrix& phi_q() const override { return at_->phi_q(); }

  const Matrix& phi_q_a_q() const override { return at_->phi_q_a_q(); }

  const Matrix& gamma_q() const override { return at_->gamma_q(); }

  const Matrix& gamma_v() const override { return at_->gamma_v(); }

  void phi_q_v_q(CView v, Matrix& out) const override { at_->phi_q_v_q(v, out); }

  const Matrix& Q_lambda() const override { return at_->Q_lambda(); }

  const Matrix& Q_z() const override { return at_->Q_z(); }

  const Matrix& z_q() const override { return at_->z_q(); }

  const Matrix& z_v() const override { return at_->z_v(); }

  const Matrix& z_lambda() const override { return at_->z_lambda(); }

  const Matrix& z_z() const override { return at_->z_z(); }

 private:
  void make_jacobian_pattern();

  const System& system_;
  MotionSolver& motion_;
  Workspace& work_;                    // of the solver
  std::unique_ptr<Linearisation> at_;  // made by the first call of linearise
  Matrix jacobian_;
  std::vector<int> place_;  // of each entry of the packed Jacobian among the values of jacobian_
  std::vector<double> w_;
  mutable std::vector<double> x_, lambda_;
};

}  // namespace cardan
