#pragma once
// How the mixed differential-algebraic equations become an ordinary differential equation y' = f(t,
// y) for any integrator, and how the mechanism is read off y again.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/model/options.h"
#include "cardan/ode/archive.h"
#include "cardan/ode/method.h"
#include "cardan/ode/problem.h"
#include "cardan/ode/tolerance.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

// Something to report: a new choice of coordinates, a singular pose passed.
struct FormulationEvent {
  std::string kind, text;
};

struct GainPair {  // of constraint stabilisation, as it is used now
  double alpha = 0, beta = 0;
};

// What was put back onto the constraints after steps: how often, and how far away it was before.
// Violations are the largest of a single equation, m and m/s.
struct CorrectionTally {
  long count = 0, steps = 0;                  // corrections, and accepted steps
  double position = 0, velocity = 0;          // largest
  double position_sum = 0, velocity_sum = 0;  // over the steps

  void take(double position_found, double velocity_found, bool corrected) {
    ++steps;
    if (corrected) ++count;
    position = std::max(position, position_found);
    velocity = std::max(velocity, velocity_found);
    position_sum += position_found;
    velocity_sum += velocity_found;
  }

  void serialize(Archive& archive) {
    archive.io(count);
    archive.io(steps);
    for (double* x : {&position, &velocity, &position_sum, &velocity_sum}) archive.io(*x);
  }
};

class BalancedMultipliers;

class Formulation : public OdeProblem {
 public:
  virtual std::string_view name() const = 0;

  // Nothing where it does not feed violations back.
  virtual std::optional<GainPair> gains() const { return {}; }

  // Nothing where steps are not corrected.
  virtual const CorrectionTally* corrections() const { return nullptr; }

  // Velocity coordinates that it treats as independent now; empty: all, or others than these.
  virtual std::vector<int> independent() const { return {}; }

  // y of a state; chooses coordinates where there is a choice.
  virtual void parametrize(const State& consistent, View y) = 0;

  // After every accepted step, with the number of attempts it took. A diagnostic ends the run.
  virtual std::optional<Diagnostic> accepted(double t, CView y, double h, long attempts) = 0;

  // q, v and, where they are carried, z of the step that accepted() was called with last. False: it
  // could not be evaluated.
  virtual bool accepted_state(CView y, State&) const = 0;

  // Violation of the constraints, in m, beyond which an accepted step is none; infinite: they are
  // not enforced.
  virtual double kept_violation() const = 0;

  virtual bool stale() const = 0;  // as accepted() found it: time to parametrize again

  // What there is to report since it was last asked.
  std::vector<FormulationEvent> take_events() { return std::exchange(events_, {}); }

  // In space: the largest deviation of a quaternion's length from one that a step made, before the
  // length was set to one again.
  double quaternion_drift() const { return quaternion_drift_; }

  void serialize_drift(Archive& archive) { archive.io(quaternion_drift_); }

  // q, v, a, lambda, z at (t, y): on the constraints where the formulation keeps them.
  virtual Eval recover(double t, CView y, State& full) = 0;

  // Which components the error is controlled of.
  virtual Tolerance tolerance(const DynamicOptions&) const = 0;

  // After parametrize(): y of the coordinates before, at time t, in the new ones. False: not known.
  virtual bool translate(double /*t*/, CView /*before*/, View /*now*/) { return false; }

  // y ends with State::z; otherwise it is left as it is.
  virtual bool carries_quadratures() const { return true; }

  bool is_integral(int i) override;

  // All that the next step depends on beside y; the factors are apart (serialize_factors).
  virtual void serialize(Archive&) = 0;

  double natural_size(int) override { return std::min(1.0, motion().system().length()); }

  // A formulation that is a method of its own brings it here; null: any integrator serves.
  virtual std::unique_ptr<Method> own_method(const DynamicOptions&) { return nullptr; }

  // ---- of the equations of motion inside

  // As they were solved last: pivots, equations that hold, friction.
  const MotionSolver& equations_of_motion() { return motion(); }

  long factorizations() { return motion().factorizations(); }

  // Of Newton's method that puts positions and velocities onto the constraints.
  long newton_iterations() { return motion().newton_iterations(); }

  // Modes of stops, contacts, friction and conditions, and directions of sliding, from here on.
  void use_modes(const std::vector<int>& mode, const std::vector<double>& slide);

  // Modes and inputs into a state.
  void show_modes(State&);

  // The multipliers of a state that was recovered, next to singular poses.
  void balance(BalancedMultipliers&, State&);

  // Takes the part of a small displacement that violates the constraints out of it, in the pose of the
  // last factor.
  void leave_out_violations(View increment) { motion().project_increment(increment); }

  // Rates of the first-order states at a state that was recovered.
  void rate_states_at(const State&, View rates);

  // Where pivots were chosen and the last factor was made; loading makes it there again.
  void serialize_factors(Archive&);

 protected:
  virtual MotionSolver& motion() = 0;

  // The one formulation that stands around another asks for what is inside.
  static MotionSolver& motion_of(Formulation& other) { return other.motion(); }

  std::vector<FormulationEvent> events_;
  double quaternion_drift_ = 0;
};

struct FormulationSetting {
  const System& system;
  const std::vector<char>& active;  // equations kept, one flag each
  const DynamicOptions& options;    // with formulation and integrator decided
};

struct FormulationEntry {
  std::string_view name, summary;
  Result<std::unique_ptr<Formulation>> (*make)(const FormulationSetting&);
  bool second_order = false;  // accepts integrators that treat positions and velocities apart
  bool built_in_integrator = false;  // brings its method: one, or one for each of `integrators`
  // Takes equations at velocity level: positions have more freedoms than motions.
  bool rolls = false;
  bool carries_states = true;  // first-order states beside the motion, under error control
  bool passes = true;          // singular poses, wherever a smooth branch leads through them
  // Names of the methods it brings; the first is the usual one. Each takes fixed steps where `step`
  // is given, and controls its error otherwise. Empty: its one method has no name of its own.
  std::vector<std::string_view> integrators{};
};

const std::vector<FormulationEntry>& formulations();
const FormulationEntry* find_formulation(std::string_view name);

// Unknown names and pairs that make no sense: model.unknown-option with those that do.
Result<std::unique_ptr<Formulation>> make_formulation(const FormulationSetting&);

}  // namespace cardan
