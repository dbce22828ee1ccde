#pragma once
// The motion of a mechanism that its drivers determine, followed in time from pose to pose.
//
// A step of h predicts  d = h v + h^2/2 a + h^3/6 j,  q <- q (+) d  (j: from the last step's change of
// a) and closes the constraints by Newton's method (position_solver.h); v and a follow exactly. It is
// taken only if the motion is one smooth piece: the correction is small against the step, and the
// poses half-way, found from both ends by
//   q_0 (+) (h/2 v_0 + h^2/8 a_0)   and   q_1 (+) (-h/2 v_1 + h^2/8 a_1),
// agree. Otherwise the step is halved, so that no other branch is taken.
//
// The determinant of phi_q changes its sign only in a singular pose. Where it does, steps get shorter
// until the pose is known from both sides: then it is passed on the smooth branch. A change of sign
// that disappears with shorter steps was a jump to another branch, and is not taken. A pose that is
// passed is looked for before the motion comes near it, and what lies beside it is interpolated
// (smooth_passage.h).
//
// Of redundant equations those in use may come to depend on each other in a pose that is regular. There
// the most independent ones are chosen anew (redundancy_selection.h), before accuracy is lost.
//
// Near a fold, where the motion cannot go on, v grows like (t* - t)^(-1/2). Then
//   t* = t + v.v/(2 v.a),
// better and better as t* comes near: the lock-up.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cardan/analysis/driven/position_solver.h"
#include "cardan/analysis/driven/smooth_passage.h"
#include "cardan/analysis/start/mobility.h"
#include "cardan/base/diagnostic.h"
#include "cardan/ode/archive.h"
#include "cardan/results/summary.h"

namespace cardan {

class DrivenMotion {
 public:
  DrivenMotion(const System&, const Mobility&, const State&);

  // The exact motion at the start. A diagnostic: it is not determined. From a bifurcation it goes
  // where the velocities of the state lead, and stands a short step behind it.
  std::optional<Diagnostic> start();

  // The same pose at t, which is no further than round-off: behind a corner of a driver's motion.
  // False: it does not close.
  bool restart(double t);

  // Goes to t, or a little beyond where a singular pose is passed. A diagnostic: it ends before.
  std::optional<Diagnostic> go_to(double t);

  void at(double t, State& state) const;  // t: within the last step; fills t, q, v, a

  // The motion at a time within the last step, closed like any other.
  void within(double t, State& state);

  // Whether t lies beside a singular pose that is being passed, where a state's own equations do not
  // determine its accelerations: those of at() and within() are interpolated.
  bool beside_singular(double t) const { return passage_ && passage_->holds(t); }

  // The one that it stands in, or has ahead, or has just left; null: none.
  const SmoothPassage* passage() const { return passage_ ? &*passage_ : nullptr; }

  const State& state() const { return now_; }  // where it stands

  double last_step() const { return h_; }

  long steps() const { return steps_; }

  long iterations() const { return iterations_; }

  const std::vector<SingularPose>& singular_poses() const { return singular_poses_; }

  // Equations that are kept where it stands; of redundant ones others than at the start, it may be.
  const std::vector<char>& active() const { return active_; }

  // The motion that the equations hinder least where it stands, a tangent increment.
  const std::vector<double>& easiest_motion() const { return motion_; }

  std::function<void(const State& from, const State& to)> on_step;  // after every step

  void serialize(Archive&);  // after start()

 private:
  // The same motion from where it stands, to look at what lies ahead.
  struct Ahead {};

  DrivenMotion(const DrivenMotion& from, Ahead);

  enum class Try { taken, refused, other_sign };

  Try try_step(double h, State& to);
  void take(State&& to);
  bool leave_singular_start();
  bool pass_singular(double h);
  bool look_ahead(double h);
  bool collect(const SingularPose&, double w);
  void step_across(double target);
  void turn_to(double target);
  bool passage_ahead() const;  // it has not been left behind
  void stand();
  bool passed_zero() const;
  bool is_singular(const State&) const;
  bool choose_equations(const State& pose, double smallest_there);
  void use_equations(std::vector<char> active);
  void predict(double h, View q);
  double half_way_gap(const State& to, double h);
  double fold_distance() const;  // t* - t; infinite: no fold ahead
  Diagnostic locked(double t);
  Diagnostic lost(double t);
  SingularPose describe(double t);

  const System& system_;
  std::vector<char> active_;
  std::unique_ptr<PositionSolver> solver_;
  bool redundant_;            // some equations are
  std::size_t in_all_poses_;  // so many of them
  double looked_at_ = 1;      // singular value, of its usual size, where nothing better was found
  State now_, before_, trial_;
  double h_ = 0, direction_ = 1;
  // Singular value at now_, at trial_ and a step before.
  double smallest_ = 1, trial_smallest_ = 1, smallest_before_ = 0;
  int sign_ = 1, trial_sign_ = 1;
  std::vector<double> equations_, motion_, trial_equations_, trial_motion_;  // singular vectors
  double usual_ = 0;  // largest of the smallest singular values so far
  long steps_ = 0, iterations_ = 0;
  std::vector<double> d_, half_;
  std::vector<SingularPose> singular_poses_;
  std::optional<SmoothPassage> passage_;  // ahead, or the one it stands in or has just left
  bool looks_ahead_ = true;
  double looked_until_ = 0;
};

// Why a mechanism is not moved by its drivers alone, or not by all of them; nothing: it is.
std::optional<Diagnostic> not_driven(const System&, const Mobility&, SourcePos where);

}  // namespace cardan
