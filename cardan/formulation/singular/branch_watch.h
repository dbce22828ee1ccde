#pragma once
// Singular poses in formulations that do not put states onto the constraints. Next to such a pose a
// small violation phi makes accelerations of about phi / d^2 at distance d, so they may pass it, or
// leave the branch on which velocities are continuous, or take ever smaller steps. While the
// weakest pivot is small, the way from the last state before to the first one after it is watched:
//   no kicks, accelerations of many times the usual ones, that add up to a share of the speed
//   |v_1 - v_0| <= 0.5 |v|_max + 2 |a|_max (t_1 - t_0)    on the smooth branch, a before and after
//   mean step  >= 1e-3 of the mean step before             or it crawls
#include "cardan/formulation/singular/singular.h"

namespace cardan {

class BranchWatch {
 public:
  explicit BranchWatch(const FormulationSetting&);

  void evaluated(const MotionSolver&);  // after every evaluation: its weakest pivot

  // An accepted state. Events as SingularWatch tells them; a diagnostic when the branch was left,
  // energy was lost or steps have become too small.
  std::optional<Diagnostic> step(MotionSolver&,
                                 double t,
                                 CView q,
                                 CView v,
                                 CView z,
                                 long attempts,
                                 std::vector<FormulationEvent>&);

  void forget() { kept_ = near_ = false; }  // velocities may have jumped, rightly

  void serialize(Archive&);

 private:
  struct Place {
    double t = 0;
    std::vector<double> q, v, z;
  };

  void change(double t, CView v, bool near, bool at_pose);  // of velocities in a step
  bool left(MotionSolver&, const Place& now);               // the smooth branch, since before_
  double energy(MotionSolver&, const Place&);
  bool crawls(double t) const;
  double acceleration(MotionSolver&, const Place&);
  Diagnostic trouble(const MotionSolver&, double t, std::string found) const;

  const System& system_;
  double slack_;  // of energy, relative to the kinetic one
  SingularWatch watch_;
  Place before_, last_;
  std::vector<double> a_, lambda_, d_;
  double lowest_ = 1, fastest_ = 0;
  double way_ = 0, usual_ = 0;  // time and largest acceleration away from singular poses
  double kicks_ = 0;            // change of velocities by kicks, since before_
  long away_attempts_ = 0, attempts_ = 0;
  bool kept_ = false, near_ = false;
};

}  // namespace cardan
