#pragma once
// What methods for q' = K(q) v, v' = a(t, q, v) share: y = (q, v) taken apart, accelerations at
// both ends of the step, and interpolation that respects q (+) d.
#include "cardan/ode/basic_method.h"
#include "cardan/ode/second_order/second_order.h"

namespace cardan {

class SecondOrderMethod : public BasicMethod {
 public:
  // Throws std::invalid_argument when the problem has no second-order form (the registry checks
  // before).
  SecondOrderMethod(OdeProblem&, const Traits&);
  Eval start(double t, CView y, const Tolerance&) override;  // evaluates a_
  Eval accept(bool projected) override;  // evaluates a at the new state unless a_new_ is it already
  Eval interpolate(double t, View y) override;  // cubic Hermite in d and in v
  void serialize(Archive&) override;

 protected:
  View q(Eigen::VectorXd& y) const { return view(y).first(nq_); }

  View v(Eigen::VectorXd& y) const { return view(y).subspan(nq_); }

  CView q(const Eigen::VectorXd& y) const { return view(y).first(nq_); }

  CView v(const Eigen::VectorXd& y) const { return view(y).subspan(nq_); }

  SecondOrderProblem& second_;
  std::size_t nq_ = 0, nv_ = 0;
  Eigen::VectorXd a_, a_old_, a_new_;  // accelerations at t_, t_old_, t_ + h_
  Eigen::VectorXd d_;                  // a tangent increment
  bool has_a_new_ = false;             // the attempt evaluated a at its result
};

}  // namespace cardan
