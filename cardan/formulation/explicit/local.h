#pragma once
// Formulations in local coordinates of the constraint manifold: y = (p, p', q, z). Only p and p'
// carry the motion and the error control; q is integrated along without it, as the guess from which
// Newton's method finds the pose of p.
//   f:  q of p (Newton),  v of p' (linear),  a and lambda there;   (p)' = p',  (p')' = B a,  q' = v
#include "cardan/formulation/explicit/chart.h"
#include "cardan/formulation/singular/crossing.h"

namespace cardan {

class Local : public Formulation {
 public:
  explicit Local(const FormulationSetting&);

  int size() const override { return static_cast<int>(2 * n_p_ + n_q_ + n_z_); }

  Eval f(double t, CView y, View dy) override;
  std::string component_name(int i) const override;

  bool projects() const override { return true; }  // the guess, onto the constraints

  Eval project(double t, View y, View error) override;
  void parametrize(const State&, View y) override;
  std::optional<Diagnostic> accepted(double t, CView y, double h, long attempts) override;

  bool stale() const override { return stale_; }

  Eval recover(double t, CView y, State& full) override;
  Tolerance tolerance(const DynamicOptions&) const override;
  bool accepted_state(CView y, State&) const override;

  double kept_violation() const override { return solved_violation * system_.length(); }

  void serialize(Archive&) override;

 protected:
  MotionSolver& motion() override { return motion_; }

  virtual void choose(double t, CView q, Chart&) = 0;  // coordinates for this pose

  virtual bool better(double, CView) {
    return true;
  }  // whether another choice would help in this pose

  virtual std::string coordinate_name(int j) const = 0;
  virtual double widest_stretch() const = 0;  // of the chart, beyond which another is chosen
  virtual double near_stretch() const = 0;    // the same on the way to a singular pose

  const System& system_;
  MotionSolver motion_;
  Chart chart_;

 private:
  Eval motion(double t, CView y);  // there_: q, v, a and lambda of y

  std::size_t n_q_, n_v_, n_p_, n_z_;
  SingularWatch watch_;
  SingularPoseInterpolator crossing_;
  EvaluatedState there_;
  std::vector<double> guess_;
  VelocityPredictor last_;
  double looked_at_ = 0;  // stretch at which no better choice was found
  bool stale_ = false, chosen_ = false;
  bool evaluated_ = false;  // there_ is that of the last accepted step
};

}  // namespace cardan
