#pragma once
// The equations of motion at one state: accelerations and multipliers, and mass-orthogonal
// projection of positions and velocities onto the constraints with the factor that is already
// there.
//
//   M a + phi_q^T lambda = Q,   phi_q a = gamma      (Q with friction: friction_solver.h)
//   positions:   M d + phi_q^T mu = 0,   phi_q d = -phi,          q <- q (+) d
//   velocities:  M d + phi_q^T mu = 0,   phi_q d = nu - phi_q v,  v <- v + d
#include <algorithm>
#include <memory>
#include <vector>

#include "cardan/system/friction_solver.h"
#include "cardan/system/loop_condition.h"
#include "cardan/system/saddle.h"
#include "cardan/system/system.h"

namespace cardan {

class JointSchur;

class MotionSolver {
 public:
  // active: one flag per equation, 0 for those left out as redundant and for limits of stops and
  // contacts that do not keep bodies together.
  MotionSolver(const System&, const std::vector<char>& active);

  void activate(const std::vector<char>& active);  // other equations; no factor is left

  Eval accelerations(double t, CView q, CView v, View a, View lambda);

  // The same in parts: the factor in a pose, forces and gamma of a motion there (into work()), the
  // solution for what then stands in work().Q and work().gamma. Friction is added to work().Q by
  // finish().
  Eval linearise(double t, CView q) { return begin(t, q); }

  // First-order states and inputs of what is evaluated from here on.
  void use_states(CView z) { std::copy(z.begin(), z.end(), work_.z.begin()); }

  void use_inputs(CView u) { std::copy(u.begin(), u.end(), work_.u.begin()); }

  void load(double t, CView q, CView v);
  Eval finish(double t, CView q, View a, View lambda);

  // M a + phi_q^T mu = f, phi_q a = g with the last factor.
  void solve(CView f, CView g, View a, View mu) { solver_->solve(f, g, a, mu); }

  Eval project_positions(double t, View q);
  Eval project_velocities(double t, CView q, View v);
  // Takes the part of a small displacement (v_size) that violates the constraints out of it.
  void project_increment(View d);

  // With the Jacobian of the pose of the last factor or velocity_violation() in `packed`.
  Workspace& work() {
    if (stale_jacobian_) renew_jacobian();
    in_pose_ = false;  // it may be changed outside
    return work_;
  }

  FrictionSolver& friction() { return friction_; }

  const FrictionSolver& friction() const { return friction_; }

  // Where the pivots of the saddle-point matrix were chosen last (t, then q; empty: nowhere). A run
  // continued from a checkpoint must choose them there too, to get the same bits.
  const std::vector<double>& pivot_state() const { return pivot_state_; }

  void restore_pivots(const std::vector<double>&);

  const System& system() const { return system_; }

  long factorizations() const { return factorizations_; }

  long newton_iterations() const { return corrections_; }  // of positions and velocities

  int min_pivot_row() const { return weakest_; }  // at the last factorization

  int dependent() const { return dependent_; }  // active equations lost there

  const std::vector<char>& active() const { return active_; }

  // Where the last factor was made (t, then q; empty: nowhere), and making it there again:
  // projections use it.
  const std::vector<double>& factor_place() const { return place_; }

  void factor_again(const std::vector<double>& place);

  // How near a singular pose is: the weakest pivot of S relative to its row; where that is small,
  // the condition of the weakest loop (loop_condition.h), which knows neither masses nor the number
  // of bodies. 1 for a mechanism without loops.
  double min_pivot_ratio() const { return ratio_; }

  // Whether min_pivot_ratio() is a pivot of S: the saddle-point matrix alone tells none.
  bool ranks() const { return schur_ != nullptr; }

  bool uses_kkt() const { return solver_ == kkt_.get() && kkt_ != nullptr; }

  // Largest violation in units of length (angles times the mechanism's size): of all equations that
  // hold, redundant ones too, or of the active ones only.
  enum class Rows { all, active };
  double position_violation(double t, CView q, Rows = Rows::all);
  double velocity_violation(double t, CView q, CView v, Rows = Rows::all);

 private:
  Eval begin(double t, CView q);  // with the first solver again
  Eval factor(double t, CView q);
  SaddleSolver::Health factor_with(SaddleSolver&, double t, CView q);
  SaddleSolver& kkt();
  void note(double t,
            CView q,
            const SaddleSolver::Health&);  // of a factor of S or the first solver
  void measure_loops(CView q);
  void renew_jacobian();
  double worst(CView residual, Rows) const;
  void minimum_mass_correction(CView g, View d);  // d with M d + phi_q^T mu = 0, phi_q d = g

  const System& system_;
  std::vector<char> active_;
  std::vector<double> row_scale_;  // turns residuals into lengths
  Workspace work_;
  FrictionSolver friction_;
  std::unique_ptr<SaddleSolver> schur_, kkt_;
  JointSchur* joints_ = nullptr;  // the same as schur_
  std::unique_ptr<LoopCondition> loops_;
  SaddleSolver* solver_ = nullptr;
  std::vector<double> zero_, d_, g_, mu_, pivot_state_, place_;
  // Where the Jacobian is asked for: at place_, or at seen_ (t, then q). stale_jacobian_: work_.packed
  // is not that of it. in_pose_: work_.rotation is.
  std::vector<double> seen_, rotation_;
  bool at_place_ = true, stale_jacobian_ = false, in_pose_ = false;
  long factorizations_ = 0, corrections_ = 0;
  int weakest_ = -1, dependent_ = 0;
  double ratio_ = 1;
  double looked_ratio_ = 0;  // what the loops said last
  int looked_row_ = -1;
  bool factored_ = false;
};

}  // namespace cardan
