#pragma once
// Adams PECE of variable step and order 1..12 in modified divided differences, with local
// extrapolation.
#include <array>

#include "cardan/ode/basic_method.h"

namespace cardan {

class Adams final : public BasicMethod {
 public:
  Adams(OdeProblem&, int max_order, const Traits&);
  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Choice next(const Attempt&) override;
  Choice retry(const Attempt&) override;
  Eval interpolate(double t, View y) override;

  int order() const override { return order_tried_; }

  bool looks_stiff() const override { return low_order_steps_ >= 50; }

  void serialize(Archive&) override;

 private:
  static constexpr int most = 12;
  using Coefficients = std::array<double, most + 3>;  // index 1..most+2 as in the formulas

  void make_coefficients(double h);
  void predict();
  void estimate_errors();
  void choose_order();

  View column(Eigen::MatrixXd& m, int i) {
    return {m.col(i).data(), static_cast<std::size_t>(m.rows())};
  }

  int max_order_;
  int k_ = 1;            // order to be tried
  int order_tried_ = 1;  // of the last attempt
  int lower_ = 1;        // order that the estimates of the last attempt would rather have, k or k-1
  int equal_steps_ = 0;  // accepted steps of one size
  int equal_now_ = 0;    // and with the attempt
  double h_last_ = 0;    // size of the last accepted step
  bool starting_ = true;  // order and step still grow at every step
  int failures_ = 0;      // of the present step
  int low_order_steps_ = 0;
  double error_k_ = 0, error_below_ = 0, error_below2_ = 0;  // norms for orders k, k-1, k-2

  Coefficients psi_{}, psi_new_{}, alpha_{}, beta_{}, sigma_{}, g_{};
  Eigen::MatrixXd phi_, phi_star_;  // column i: phi_i; phi_ belongs to the accepted point
  Eigen::VectorXd f_predicted_, correction_, f_next_, work_;
};

}  // namespace cardan
