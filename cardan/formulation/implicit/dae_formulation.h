#pragma once
// What the direct formulations share: the differential-algebraic equations are given to an implicit
// integrator as they are, as a problem in y = (q, v, a, lambda, mu, eta, z),
//   q'  = v - B mu
//   v'  = a - B eta
//   0   = Q(t, q, v, lambda, z) - M a - phi_q^T lambda
//   0   = phi(t, q)
//   0   = phi_q v - nu
//   0   = phi_q a - gamma                              index 1 alone, with eta
//   z'  = w(t, q, v, lambda, z)
// Multipliers mu and eta vanish in the exact solution; in a discrete one they take up what the
// constraints of positions and velocities need beside the formula of the integrator. Which of them
// there are, and what B is, tells the formulations apart (DaeKind). Newton's systems: dae_newton.h.
//
// Errors are controlled of q, v and z alone. After a step, positions and velocities are put onto
// the constraints, from which Newton's iteration has left them by less than its tolerance. The accelerations
// and lambda that belong to them take the place of the iterated ones, and mu = eta = 0: the next step is
// predicted from them.
#include "cardan/formulation/explicit/absolute.h"
#include "cardan/formulation/implicit/dae_newton.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/mechanism_equations.h"
#include "cardan/formulation/singular/singular.h"

namespace cardan {

class DaeFormulation : public Absolute {
 public:
  // wanted: independent coordinates of the first choice, where there is one.
  DaeFormulation(const FormulationSetting&, const DaeKind&, std::vector<int> wanted);

  std::string_view name() const override { return kind_.name; }

  std::vector<int> independent() const override { return independent_; }

  int size() const override { return static_cast<int>(at_.size); }

  std::string component_name(int i) const override;
  void parametrize(const State&, View y) override;
  Eval recover(double t, CView y, State& full) override;
  bool accepted_state(CView y, State&) const override;
  Tolerance tolerance(const DynamicOptions&) const override;
  std::optional<Diagnostic> accepted(double t, CView y, double h, long attempts) override;

  bool stale() const override { return stale_; }

  void serialize(Archive&) override;
  std::unique_ptr<Method> own_method(const DynamicOptions&) override;

  Eval f(double t, CView y, View dy) override;

  std::span<const char> algebraic() const override { return algebraic_; }

  Eval complete(double t, View y) override;
  std::string residual_text() const override;
  void reserve(int shifts) override;
  Eval setup(double t, CView y, CView dy, std::span<const Shift>, Reuse) override;
  Eval solve(int k, View re, View im) override;

  bool projects() const override { return true; }

  Eval project(double t, View y, View error) override;

  const DaeNewton& newton() const { return *newton_; }

 protected:
  bool keeps_constraints() const override { return system_.equations().rows() > 0; }

  std::optional<ConstraintFeedback> feedback() const override { return {}; }

 private:
  CView part(CView y, std::size_t first, std::size_t count) const {
    return y.subspan(first, count);
  }

  CView unit_pose(CView y);  // with quaternions of length one
  CView multipliers(CView y);
  Eval split(double t, CView y);  // lambda into lambda_
  void settle(double t, View y);
  void near_constraints(double t, View y);
  double take_violations(double t, CView y, double c);
  void choose_dependent(const State&);
  void make_newton();
  void watch_dependent(CView pose);

  DaeKind kind_;
  MechanismEquations equations_;
  DaeLayout at_;
  SingularWatch watch_;
  std::unique_ptr<DaeNewton> newton_;
  ForceRates rates_;  // where the derivatives of Newton's matrix were taken
  int shifts_reserved_ = 0;
  std::vector<Shift> shifts_;
  std::vector<char> algebraic_;
  std::vector<int> dependent_;  // a coordinate for each equation; -1: none
  std::vector<int> independent_, wanted_;
  double first_choice_ = std::numeric_limits<double>::quiet_NaN();  // its time
  std::vector<double> pose_, velocity_, force_, zero_, residual_, there_y_, row_;
  State begun_;                // where it was parametrized last
  double first_spread_ = 0;    // of dependent by independent coordinates when they were chosen
  double residual_shift_ = 1;  // of residual_, the last right side
  bool stale_ = false;
};

// Makes one, or says why the integrator's options make no sense.
MadeFormulation make_dae(const FormulationSetting&, const DaeKind&);

}  // namespace cardan
