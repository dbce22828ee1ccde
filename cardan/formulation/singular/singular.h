#pragma once
// Passing singular poses. At distance d from one, the weakest pivot of phi_q M^-1 phi_q^T is about
// d^2 of its row's size and the branches of motion are about d apart. On its own branch the motion
// is smooth in time, so steps go across: states near the pose are put onto the constraints before
// they are used, those that had to move far for their distance are refused (branch_kept), and very
// near it values are interpolated between states on both sides (crossing.h).
//
// A passage is seen on accepted steps: the weakest row combination u and its motion w, phi_q w =
// sigma u with sigma > 0, vary smoothly, so u^T phi_q w of the step before turns negative behind
// the pose. The energy must be the same on both sides, and the way must exist (passage_proof.h).
#include "cardan/formulation/formulation.h"

namespace cardan {

class PassageProof;

// Violation of constraints that were solved for, relative to the mechanism's size: more is no
// solution. Newton's method ends four orders below.
inline constexpr double solved_violation = 1e-9;

// Weakest pivots, relative to their rows, from which
inline constexpr double watched_ratio = 0.3;         // passages are looked for
inline constexpr double approached_ratio = 0.1;      // coordinates are chosen for the way through
inline constexpr double near_singular_ratio = 1e-2;  // states are put onto the constraints first
inline constexpr double crossing_ratio = 4e-4;       // they are not solved for any more

// The weakest pivot relative to its row at the last factor; 1 where the solver does not tell it.
double pivot_ratio(const MotionSolver&);

// Share of the kinetic energy that may change over a passage; the tolerance says nothing about
// given steps.
double passage_slack(const DynamicOptions&);

// Whether bringing a state from `guess` onto the constraints can have kept its branch; pose of the
// last factor.
bool branch_kept(const MotionSolver&, CView guess, CView q, View scratch);

class SingularWatch {
 public:
  explicit SingularWatch(const FormulationSetting&);
  ~SingularWatch();

  struct Place {
    double t;
    CView q, v;
  };

  // An accepted, consistent state. Adds an event when a singular pose lies behind it; a diagnostic
  // when energy was lost. z: works and losses; empty: unknown, energy is not compared. far: no
  // evaluation of the step was near one. between: consistent states within the step, in the order of
  // their times, that a long step went through.
  std::optional<Diagnostic> step(MotionSolver&,
                                 double t,
                                 CView q,
                                 CView v,
                                 CView z,
                                 std::vector<FormulationEvent>&,
                                 bool far = false,
                                 std::span<const Place> between = {});

  void serialize(Archive&);

 private:
  struct Point {
    double t = 0, energy = 0;
    std::vector<double> q, v, z;
  };

  std::optional<Diagnostic> walk(MotionSolver&,
                                 std::span<const Place> between,
                                 std::vector<FormulationEvent>&);
  // Part of the step: on the way from one place to the next.
  std::optional<double> walk(MotionSolver&, std::vector<FormulationEvent>&, bool& passed);
  bool look(MotionSolver&, Point&);                        // its energy, u_ and w_ in its pose
  void follow_weakest(MotionSolver&);                      // u_ and w_ in the pose of the factor
  bool proved(MotionSolver&, double s_from, double s_to);  // a passage between these parts
  void pose_at(const System&, double s, View q);           // between from_ and to_, cubic in time
  Diagnostic lost_energy(const MotionSolver&, double t, double change) const;
  Diagnostic no_way(const MotionSolver&, double t) const;

  double slack_, atol_;
  Point last_, now_;
  Place from_{}, to_{};
  std::unique_ptr<PassageProof> proof_;  // made when first needed
  std::vector<double> u_, w_, rows_, zero_, d_, way_, q_, q_from_, v_from_, v_to_;
  double sigma_ = 0;
  bool kept_ = false, known_ = false;  // last_; and u_, w_ there
};

}  // namespace cardan
