#pragma once
// What the formulations in all coordinates share: y = (q, v, z), or y = (q, v) for integrators that
// treat positions and velocities apart.
#include "cardan/formulation/implicit_motion.h"
#include "cardan/formulation/singular/passage.h"
#include "cardan/ode/second_order/second_order.h"

namespace cardan {

class Absolute : public Formulation {
 public:
  explicit Absolute(const FormulationSetting&);
  ~Absolute() override;

  int size() const override { return static_cast<int>(n_q_ + n_v_ + n_z_); }

  Eval f(double t, CView y, View dy) override;
  std::string component_name(int i) const override;
  void parametrize(const State&, View y) override;
  Eval recover(double t, CView y, State& full) override;
  Tolerance tolerance(const DynamicOptions&) const override;
  bool accepted_state(CView y, State&) const override;
  double kept_violation() const override;

  // There is no choice among all coordinates.
  bool stale() const override { return false; }

  bool carries_quadratures() const override { return n_z_ > 0; }

  SecondOrderProblem* second_order() override;

  // Exact derivatives and sparse factors (implicit_motion.h) where feedback() says what f is.
  void reserve(int shifts) override;
  Eval setup(double t, CView y, CView dy, std::span<const Shift>, Reuse) override;
  Eval solve(int k, View re, View im) override;

  bool projects() const override {
    return keeps_constraints() || system_.space() == Space::spatial;
  }

  Eval project(double t, View y, View error) override;  // lengths of quaternions alone

 protected:
  MotionSolver& motion() override { return motion_; }

  virtual bool keeps_constraints() const { return false; }  // project() puts states onto them

  // How accelerations feed violations of the constraints back, as of the last f. Nothing: f is
  // another function of the state, and its derivatives are differences.
  virtual std::optional<ConstraintFeedback> feedback() const = 0;

  // Takes the part of an error at y that violates the constraints out of it; after
  // put_onto_constraints.
  void project_error(CView y, View error);
  void renew_quaternions(View y);

  // Rates of the first-order states at a motion that has just been evaluated.
  void rate_states(double t, CView q, CView v, View dy);

  // Accelerations and multipliers at (t, q, v), and what positions change by: v unless a
  // formulation adds to it.
  virtual Eval accelerate(double t, CView q, CView v, View q_dot, View a, View lambda);

  // The same on the constraints next to (q, v): there_ has the state the values belong to.
  Eval accelerate_on_constraints(double t, CView q, CView v, View q_dot, View a, View lambda);

  Eval put_onto_constraints(double t, View q, View v);
  // Towards the constraints with the matrices of the last step of an implicit integrator, where there are any: along
  // changes that leave stiff forces nearly as they are. What is left is for the mass-orthogonal projection.
  void come_near_constraints(double t, View q, View v);
  Eval recover_on_constraints(double t, State& full);  // of q and v there

  // The pose that f is evaluated in: for implicit integrators with quaternions of length one.
  CView pose(CView y) { return implicit_ != nullptr ? implicit_->unit_pose(q(y)) : q(y); }

  CView q(CView y) const { return y.first(n_q_); }

  CView v(CView y) const { return y.subspan(n_q_, n_v_); }

  CView z(CView y) const { return y.last(n_z_); }

  View q(View y) const { return y.first(n_q_); }

  View v(View y) const { return y.subspan(n_q_, n_v_); }

  View z(View y) const { return y.last(n_z_); }

  const System& system_;
  MotionSolver motion_;
  Workspace& numbers_;  // its own, of which the Jacobian is asked of motion_.work()
  std::size_t n_q_, n_v_, n_z_;
  std::vector<double> lambda_;
  Passage passage_;
  EvaluatedState there_;
  std::vector<double> d_;

 private:
  class SecondOrder;
  std::unique_ptr<SecondOrder> second_;
  std::unique_ptr<ImplicitMotion> implicit_;  // once an implicit integrator has asked for it
  bool exact_ = false;                        // its factors are those of the last setup
  std::vector<Shift> shifts_;
  std::vector<double> evaluated_;  // f where the derivatives are taken
  std::vector<double> gaps_, moved_q_, moved_v_;
};

}  // namespace cardan
