#pragma once
// q' = K(q) v, v' = a(t, q, v), for methods that treat positions, velocities and accelerations
// apart. Positions may lie on a manifold: then q has more entries than v, and q (+) d is not a sum.
#include <memory>
#include <string>
#include <vector>

#include "cardan/ode/problem.h"

namespace cardan {

class DenseNewton2;

class SecondOrderProblem {
 public:
  SecondOrderProblem();
  virtual ~SecondOrderProblem();
  SecondOrderProblem(const SecondOrderProblem&) = delete;
  SecondOrderProblem& operator=(const SecondOrderProblem&) = delete;

  // ---- what a problem must say
  virtual int velocities() const = 0;
  virtual Eval acceleration(double t, CView q, CView v, View a) = 0;

  // ---- flat positions by default: K = I, q (+) d = q + d
  virtual int positions() const { return velocities(); }

  virtual void rate(CView q, CView v, View dq) const;         // dq = K(q) v
  virtual void increment(CView q, CView d, View out) const;   // out = q (+) d; out may be q
  virtual void difference(CView q0, CView q1, View d) const;  // q1 = q0 (+) d
  virtual std::string position_name(int i) const;             // "q[i]"
  virtual std::string velocity_name(int i) const;             // "v[i]"

  // A change of a velocity that a hardly bends over (see OdeProblem::natural_size).
  virtual double natural_size() { return 0; }

  virtual bool projects() const { return false; }

  virtual Eval project(double t, View q, View v);

  // Linear solves with I - c_q a_q - c_v a_v, a_q along tangent increments; dense by default.
  virtual void reserve();
  virtual Eval setup(double t, CView q, CView v, CView a, double c_q, double c_v, Reuse allowed);
  virtual Eval solve(View x);

  // ---- for methods: counted and guarded
  Eval evaluate(double t, CView q, CView v, View a);

  Stats& stats() { return *stats_; }

  void share_stats(Stats& with) { stats_ = &with; }  // the adapter's, so that all is counted once

 private:
  Stats own_, *stats_ = &own_;
  std::unique_ptr<DenseNewton2> newton_;
};

// The same problem as y' = f(t, y) with y = (q, v).
class FirstOrderForm final : public OdeProblem {
 public:
  explicit FirstOrderForm(SecondOrderProblem& problem);
  int size() const override;
  Eval f(double t, CView y, View dy) override;
  std::string component_name(int i) const override;

  bool projects() const override { return problem_.projects(); }

  Eval project(double t, View y, View error) override;

  SecondOrderProblem* second_order() override { return &problem_; }

 private:
  SecondOrderProblem& problem_;
};

}  // namespace cardan
