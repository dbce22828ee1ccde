#pragma once
// The equations of a fully implicit Runge-Kutta step, z_i = h sum_j a_ij f(t + c_j h, y + z_j), by
// simplified Newton iteration on all stages together:
//   ((A h)^-1 (x) I - I (x) f_y) dZ = F - (A h)^-1 Z,
// split by the eigenvectors of A^-1 into one real or complex system per eigenvalue.
#include "cardan/ode/implicit/implicit_tableau.h"
#include "cardan/ode/method.h"
#include "cardan/ode/newton.h"

namespace cardan {

class StageSolver {
 public:
  explicit StageSolver(ImplicitTableau);

  void prepare(OdeProblem&);  // allocates

  const ImplicitTableau& tableau() const { return tableau_; }

  int systems() const { return static_cast<int>(shifts_.size()); }  // one matrix each

  // c_k of all systems for a step h, in the order of the problem's matrices.
  std::span<const Shift> shifts(double h);

  // The one of the real eigenvalue; its index among the systems.
  int real_system() const { return real_; }

  double real_shift(double h) const;

  // The iteration from the present z; with `round_off` the norm is set from the first correction,
  // for the components that it counts.
  Attempt::Kind iterate(double t,
                        CView y,
                        double h,
                        Linearization&,
                        Convergence&,
                        CorrectionNorm&,
                        const ErrorNorm* round_off);

  Eigen::MatrixXd& z() { return z_; }  // a column for each stage

  const Eigen::MatrixXd& z() const { return z_; }

  void end_point(CView y, View out) const;  // y_(n+1)

  void last_slope(double h, View out) const;  // f of the last stage, as z says it

  // The polynomial through y and y + z_i at y's time + theta h, as increment over y.
  void increment(double theta, View out) const;
  // Starting values: along the tangent, or for a step of `ratio` times the size from the end of the
  // step that z belongs to.
  void start_along(double h, CView f);
  void extrapolate(double ratio);

  void serialize(Archive& a) { a.io(z_); }

 private:
  Eval residual(double t, CView y, double h);
  Eval correction(Linearization&);

  ImplicitTableau tableau_;
  StageTransform transform_;
  OdeProblem* problem_ = nullptr;
  std::vector<Shift> shifts_;
  int real_ = -1;
  Eigen::MatrixXd z_, next_, f_, r_, w_;
  Eigen::VectorXd stage_;
  mutable Eigen::VectorXd weights_;
};

}  // namespace cardan
