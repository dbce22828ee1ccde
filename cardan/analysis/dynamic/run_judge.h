#pragma once
// A run judges itself at every accepted step.
//
// Energy. The balance B = T + V + dissipated - applied - drivers is constant in an exact motion. With
//   E = max (T + |V - V_0| + |dissipated| + |applied| + |drivers|)     the energy moved so far
// the imbalance |B - B_0| of a right run stays below
//   controlled steps   min(share * rtol * steps, most_share) E + noise
//   given steps        most_share min(E, 2 max(X, most_share E)) + noise, for most of the time
// since a step may change the energy by some rtol of it. Given steps are as coarse where a motion
// begins, and has little energy, as later; and what they leave may swing about the balance. X is the part that was exchanged,
//   X = max (|V - V_0| + |dissipated| + |applied| + |drivers|):
// beside the energy of a spin that stays, the error of all the rest would look small. The noise is what tolerances and round-off
// make of a mechanism at rest. Beyond the bound the run is doubtful; beyond `explosion` times the
// energy it had while it was sound, it has exploded and ends.
//
// Constraints. A formulation that keeps the constraints says to what; a state further away is not a
// pose of the mechanism, and the run ends.
//
// Steps. Forces and drivers that depend on time, and contacts, are seen only where a step looks.
#include <optional>

#include "cardan/analysis/record/tally.h"
#include "cardan/base/diagnostic.h"
#include "cardan/model/options.h"
#include "cardan/ode/archive.h"
#include "cardan/system/energy.h"
#include "cardan/system/link_lengths.h"

namespace cardan {

class RunJudge {
 public:
  struct Setting {
    double rtol = 0, atol = 0;
    bool controlled = true;     // steps follow a tolerance
    double kept_violation = 0;  // m, of the constraints; infinite where a formulation keeps none
    bool own_bound = false;     // the user said how far the run may diverge (max_drift)
    bool short_events = false;  // something in the model may happen within a short time
  };

  explicit RunJudge(const System&);

  void begin(const Setting&, const State&);  // at the start, and where the method changes

  // An accepted step: q, v, z and mode of the state count. A diagnostic ends the run.
  std::optional<Diagnostic> step(const State&);

  double worst_imbalance() const { return worst_; }  // J, over all steps

  double moved() const { return moved_; }  // J, the energy moved so far

  // By what share deviations from the motion shrank in the last step, as the energy that was lost of
  // that of the motion tells: amplitudes go with its root.
  double damping() const { return damping_; }

  // At all steps, as the next one begins.
  ViolationMeasure violations() const { return violations_.measure(); }

  // Of rates and by joint too, which costs a Jacobian a step; before begin().
  void measure_rates() { rates_ = true; }

  ViolationMeasure rate_violations() const { return rate_violations_.measure(); }

  const JointTally& joints() const { return joints_; }

  // At the end of a run over `span`: why its results are doubtful, one warning for each reason.
  Diagnostics doubts(double span) const;

  void serialize(Archive&);

 private:
  double energy_bound() const;
  bool lasting(double span) const;
  std::optional<Diagnostic> judge_energy(const State&);
  std::optional<Diagnostic> judge_constraints(const State&);
  double violation(const State&);  // largest of a single equation
  void take_rates(const State&);

  const System& system_;
  Workspace work_;
  Setting setting_;
  double weight_ = 0;  // N, of all bodies
  long steps_ = 0;
  double balance_ = 0, potential_ = 0;  // at the start
  double moved_ = 0, sound_ = 0;        // E, and the largest whose source was known
  double exchanged_ = 0;                // X
  double level_ = 0;                    // largest |V|: what round-off is relative to
  double worst_ = 0;                    // imbalance over all steps
  double t_ = 0, beyond_ = 0;           // the last step; s, how long the bound was exceeded
  double dissipated_ = 0, lowest_ = 0;  // the last; the lowest V so far
  double damping_ = 0;
  bool rates_ = false;
  LinkLengths lengths_;
  ViolationTally violations_, rate_violations_;
  JointTally joints_;
  std::vector<double> scaled_, rate_, residual_;  // violations as lengths and their rates; phi_q v

  struct {
    bool found = false;
    double t = 0, imbalance = 0, bound = 0, energy = 0;
  } unbalanced_;
};

}  // namespace cardan
