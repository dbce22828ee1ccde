#pragma once
// What nearly every method keeps: the accepted state and its derivative, the one before, the
// proposal with its error estimate, and a step-size controller.
#include "cardan/ode/controller.h"
#include "cardan/ode/method.h"

namespace cardan {

class BasicMethod : public Method {
 public:
  BasicMethod(OdeProblem& problem, const Traits& traits) : Method(problem), traits_(traits) {}

  const Traits& traits() const override { return traits_; }

  // Allocates, sets y_ and evaluates f_ = f(t, y) unless the method does not want it.
  Eval start(double t, CView y, const Tolerance&) override;
  double initial_step(double t_end) override;  // needs f_

  double proposed_time() const override { return t_ + h_; }

  View proposal() override { return view(y_new_); }

  View error_estimate() override { return traits_.adaptive ? view(error_) : View{}; }

  Choice next(const Attempt&) override;
  Choice retry(const Attempt&) override;

  double time() const override { return t_; }

  double previous_time() const override { return t_old_; }

  CView state() const override { return view(y_); }

  void serialize(Archive&) override;  // calls the derived ones first line

 protected:
  static View view(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

  static CView view(const Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }

  void shift();  // t_old_, y_old_, f_old_ <- t_, y_, f_; t_, y_ <- t_ + h_, y_new_

  Traits traits_;
  ErrorNorm norm_;
  Controller controller_;
  double t_ = 0, t_old_ = 0, h_ = 0;  // h_: of the last attempt
  Eigen::VectorXd y_, y_old_, y_new_, f_, f_old_, error_;
  bool wants_f_ = true;
};

}  // namespace cardan
