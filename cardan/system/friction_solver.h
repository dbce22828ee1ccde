#pragma once
// Accelerations and multipliers when friction depends on the multipliers:
//   M a + phi_q^T lambda = Q + sum_k N_k d_k,   phi_q a = gamma,   N_k = load_k(lambda).
// The left sides are linear, so lambda = lambda_0 + sum_k N_k lambda_k with the responses lambda_k
// to d_k alone, and what is left is a small system N = load(lambda_0 + L N) for the loads. Newton's
// method solves it from N = load(lambda_0); its matrix I - load' L has a positive determinant where
// friction is weak. Where it loses that, the motion is not determined by the equations (the paradox
// of Painleve): then solve() fails and names the element. Many elements are iterated without the
// matrix.
//
// Friction that sticks is an equation T a = gamma with a multiplier of its own. Where the solver has
// it among its equations, nothing is left to do here. Formulations in independent coordinates have
// only equations of positions; for them the holding forces r join the loads as unknowns,
//   N = load(lambda),   T a = gamma - T v / tau,   M a + phi_q^T lambda = Q + sum_k N_k d_k + T^T r,
// with a slow return (tau) of what the integration lets slide, and stand in lambda as -r.
// Reference: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996), 6.
#include <vector>

#include "cardan/math/dense.h"
#include "cardan/system/saddle.h"
#include "cardan/system/system.h"

namespace cardan {

class FrictionSolver {
 public:
  explicit FrictionSolver(const System&);

  bool any() const { return count_ > 0; }

  // Equations that the solver has: sticking among them needs no forces from here.
  void leave_to_solver(const std::vector<char>& active) { active_ = active; }

  // Some friction sticks by forces found here, at the motion prepared last.
  bool holds() const { return !held_.empty(); }

  // Directions of friction of a motion whose rotations and requests are in w.
  void prepare(double t, CView q, CView v, const Workspace& w);

  // Adds the friction of these multipliers to Q, without asking what it does to them.
  void add(CView lambda, View Q) const;

  // Solves with the solver's factor; Q gets the friction added. False: see paradox().
  [[nodiscard]] bool solve(SaddleSolver&, View Q, CView gamma, View a, View lambda);

  // Puts the forces that hold what sticks into the multipliers, after a solution with Q as it is.
  void write_holding(View lambda) const;

  int paradox() const { return paradox_; }  // the element that failed last; -1: none

 private:
  struct Held {
    int row, element;
    double slip;  // T v
  };

  [[nodiscard]] bool newton();
  [[nodiscard]] bool newton_holding();
  [[nodiscard]] bool solve_holding(SaddleSolver&, View Q, CView gamma, View a, View lambda);
  void hold(int k, const Sliding&, const Motion&);
  void add_held(std::size_t j, double force, View Q) const;
  double along_held(std::size_t j, CView a) const;
  void load_matrix();
  void blame();
  [[nodiscard]] bool iterate(SaddleSolver&, View Q, CView gamma, View a, View lambda);
  double load(int k, CView lambda) const;
  void loads(CView lambda, Eigen::VectorXd& N, bool with_slopes) const;
  CView direction(int k) const;
  void add_direction(int k, double N, View Q) const;

  const System& system_;
  const FrictionSet& set_;
  int count_, paradox_ = -1;
  std::vector<double> d_, given_;  // directions side by side; loads of compliant contacts
  std::vector<Mat<3, 3>> frames_;
  std::vector<double> rows_zero_, force_, a_scratch_, Q_given_;
  mutable std::vector<double> slopes_;
  mutable Eigen::MatrixXd slope_rows_;
  Eigen::MatrixXd response_, matrix_;  // response_: lambda_k in columns, then lambda_0
  Eigen::VectorXd N_, next_, lambda_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  std::vector<char> active_;
  std::vector<Held> held_;
  std::vector<double> T_;         // of held_, side by side
  Eigen::MatrixXd slide_;         // T a of the responses, then of no friction
  Eigen::VectorXd r_, slip_aim_;  // forces that hold, T a that they make
};

}  // namespace cardan
