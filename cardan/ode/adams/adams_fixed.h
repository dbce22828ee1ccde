#pragma once
// Adams methods of fixed step in backward differences D_i = nabla^i f_n (adams_coefficients.h):
//   ab      order k       y_{n+1} = y_n + h sum_{i<k} gamma_i D_i
//   am      order k       y_{n+1} = y_n + h sum_{i<k} gamma*_i nabla^i f_{n+1}, solved by iteration
//   pece    order k + 1   ab of order k predicts, am of order k + 1 corrects once with f of the
//                         prediction
//   ampc    order k       the same with a corrector of order k
//   mampc   order k + 1   w_AB y_AB + w_AM y_AM of the two of order k: identical to pece
// Self-starting, the orders grow from 1 as differences become known. The variant "print" of pece
// always sums all k+1 terms of the corrector, differences that do not exist yet being 0: the
// convention behind printed tables of this method.
#include "cardan/ode/adams/adams_start.h"
#include "cardan/ode/basic_method.h"

namespace cardan {

enum class AdamsScheme { ab, am, pece, ampc, mampc };
enum class AdamsStart { accurate, self, small_steps };

struct AdamsOptions {
  AdamsScheme scheme = AdamsScheme::pece;
  int order = 4;  // k
  AdamsStart start = AdamsStart::accurate;
  bool all_terms = false;  // pece as printed
  bool direct = false;     // mampc by the corrector of order k+1 itself
};

class AdamsFixed final : public BasicMethod {
 public:
  AdamsFixed(OdeProblem&, const AdamsOptions&, const Traits&);
  Eval start(double t, CView y, const Tolerance&) override;
  Attempt attempt(double h) override;
  Eval accept(bool projected) override;
  Eval interpolate(double t, View y) override;

  int order() const override { return order_; }

  void serialize(Archive&) override;

  // ---- what the method sees, for tables
  const Eigen::MatrixXd& differences() const { return D_; }  // column i: nabla^i f at time()

  int known() const { return known_; }  // differences that exist: 0..known()-1

  CView predicted() const { return view(predicted_); }  // of the last attempt

  // Estimates of the last step's local errors, h gamma_p nabla^p f_n and h gamma*_c nabla^c
  // f_{n+1}, of predictor (order p) and corrector (order c); false while the difference does not
  // exist.
  bool predictor_error(View out) const;
  bool corrector_error(View out) const;

 private:
  bool starting() const { return starter_ && known_ < needed_; }

  Eval predict();
  Eval correct();
  Eval iterate();
  void corrector_sum(int terms, double& weight, Eigen::VectorXd& known_part) const;
  void update_differences();

  AdamsOptions options_;
  int needed_;     // values of f before the method can take over from a starter
  int known_ = 1;  // values of f in D_
  int order_ = 1;
  int predictor_terms_ = 1, corrector_terms_ = 1;  // of the last attempt
  double step_ = 0;                                // the fixed step
  bool started_step_ = false;                      // the last accepted step was the starter's
  Eigen::MatrixXd D_;
  Eigen::VectorXd predicted_, f_predicted_, f_next_, known_part_, column_, D_last_;
  Eigen::VectorXd predictor_error_, corrector_error_;
  bool has_predictor_error_ = false, has_corrector_error_ = false;
  std::unique_ptr<AdamsStarter> starter_;
};

}  // namespace cardan
