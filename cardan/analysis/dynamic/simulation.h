#pragma once
// A motion that can be followed step by step: a formulation, an integrator and the events between
// them, from one consistent state. Dynamic analysis, co-simulation and programs of users drive it:
//
//   Simulation s(system, mobility, options, state);
//   s.start();
//   s.set_input("voltage", 12);
//   s.step_to(0.01);
//   s.state();
//
// Stops, contacts and conditions have modes (State::mode). Equations that hold are the formulation's
// size, so when their set changes, formulation and integrator are built anew (a segment); otherwise
// the integrator restarts.
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/analysis/driven/redundancy_selection.h"
#include "cardan/analysis/dynamic/formula_watch.h"
#include "cardan/analysis/dynamic/motion_follower.h"
#include "cardan/analysis/dynamic/motion_size.h"
#include "cardan/analysis/dynamic/run_judge.h"
#include "cardan/analysis/dynamic/stability_watch.h"
#include "cardan/analysis/dynamic/state_quadrature.h"
#include "cardan/analysis/dynamic/step_defect.h"
#include "cardan/analysis/dynamic/switching.h"
#include "cardan/analysis/dynamic/time_breaks_of.h"
#include "cardan/analysis/dynamic/undetermined_friction.h"
#include "cardan/analysis/record/recorder.h"
#include "cardan/analysis/record/tally.h"
#include "cardan/analysis/start/mobility.h"
#include "cardan/formulation/choice.h"
#include "cardan/formulation/formulation.h"
#include "cardan/formulation/singular/balanced_multipliers.h"
#include "cardan/ode/integrator.h"

namespace cardan {

class Simulation {
 public:
  // The state is consistent and lies on the system's constraints. options.until is how far the
  // simulation is meant to go; it bounds the steps where something may be short.
  Simulation(const System&, const Mobility&, const DynamicOptions&, const State&);

  // Who follows the motion. Each may answer stop.
  struct Watcher {
    // At the times of rows_at(); where something jumps at t, the state lies just before it.
    std::function<Flow(double t, const State&, const StepInfo&)> row;
    std::function<Flow(double t)> step;  // after every accepted step
    std::function<Flow(const Event&)> event;
    std::function<bool()> stop_now;  // before every attempt of a step
    // Accepted steps and times between them, about look_distance() apart, and both sides of events,
    // with jump() between the two. None: nothing is looked at.
    std::function<Flow(double t, const State&, const StepInfo&, bool event)> look{};
    std::function<double()> look_distance{};
    std::function<void()> jump{};
    double passed_over = 1.2;  // steps closer than this part of look_distance() are not looked at
  };

  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

  // What stands in the place of every formulation that is built: it carries more equations along.
  using Extend = std::function<std::unique_ptr<Formulation>(std::unique_ptr<Formulation>)>;

  using Fault = std::function<std::optional<Diagnostic>()>;  // why a run with them has failed

  void extend_by(Extend extend, Fault fault) {  // before prepare()
    extend_ = std::move(extend);
    extend_fault_ = std::move(fault);
  }

  // Steps are followed, and rows and looks.
  void follow_by(MotionFollower* follower) { follower_ = follower; }  // before prepare()

  void rows_at(std::vector<double> times) { times_ = std::move(times); }  // before prepare()

  // Decides what is left to the program and builds formulation and integrator; then start()
  // evaluates the first state. checkpoint: what serialize() saved; empty: at the given state.
  std::optional<Diagnostic> prepare(std::span<const std::byte> checkpoint = {});
  std::optional<Diagnostic> start();

  struct Stop {
    enum class Why { reached, watcher, failed } why = Why::reached;
    std::optional<Diagnostic> reason;  // of a failure
    bool state_known = true;           // false: state() is an earlier one
  };

  Stop step_to(double t);

  const State& state() const { return state_; }  // where step_to ended

  const StepInfo& last_step() const { return step_; }

  // From another state on, at its time. It is put onto the constraints with the least change.
  Diagnostics set_state(const State&);
  std::optional<Diagnostic> set_input(std::string_view name, double value);

  void serialize(Archive&);  // saves a checkpoint; at an accepted step

  // ---- what became of it
  const std::string& formulation() const { return formulation_name_; }

  const std::string& integrator() const { return integrator_name_; }

  int fixed_order() const { return fixed_order_; }  // 0: the step is controlled

  const Diagnostics& notes() const { return notes_; }  // what was decided

  Costs costs() const;

  long passages() const { return passages_; }  // of singular poses

  double quaternion_drift() const;

  double worst_imbalance() const { return judge_.worst_imbalance(); }  // of energy, over all steps

  ViolationMeasure violations() const { return judge_.violations(); }  // at all steps

  // Energies that grow do not end the run; before prepare().
  void allow_growth() { growth_allowed_ = true; }

  // Of rates and by joint too; before prepare().
  void measure_rates() { judge_.measure_rates(); }

  ViolationMeasure rate_violations() const { return judge_.rate_violations(); }

  const JointTally& joint_violations() const { return judge_.joints(); }

  Diagnostics doubts() const;  // why the results are doubtful, see run_judge.h

  Diagnostics friction_notes()
      const;  // where friction was not determined without harm to the motion

  const std::optional<StabilityFacts>& stability() const { return stability_.facts(); }

  // Of formulations that have them, over all steps.
  const std::optional<StabilisationGains>& gains() const { return gains_; }

  const CorrectionTally* corrections() const;

  const std::vector<std::string>& independent() const { return independent_; }  // chosen first

 private:
  Stats stats_now() const;

  bool adaptive() const { return integrator_->method().traits().adaptive; }

  bool may_be_short(bool adaptive) const;
  std::vector<char> equations_that_hold() const;
  std::optional<Diagnostic> derived_across_friction() const;
  void expect_kinks();
  void follow_size();
  std::optional<Diagnostic> prepare_modes();
  std::optional<Diagnostic> build();
  std::optional<Diagnostic> prepare_integrator();
  double largest_step() const;
  bool load_checkpoint();
  void serialize_segment(Archive&);
  void serialize_rest(Archive&);

  Flow output(double t, CView y);
  Flow step(const StepRecord&);
  double distance_of_looks(double t) const;
  void follow_steps(const StepRecord&);
  void weigh_friction(const StepRecord&);
  Flow look_between(double t);
  Flow look(double t, CView y, bool event);
  Flow look_at_step(const StepRecord&);
  bool at_break(double t) const;
  void look_behind_event();
  bool recover_from_beside(double t);
  Flow cannot_recover(double t);
  std::optional<Diagnostic> judge(const StepRecord&);
  bool look_ahead(double t, CView y);
  double longest_step_to(double t, CView y);
  void look_back(const StepRecord&);
  Eval recover(double t, CView y);
  Eval recover(double t, CView y, State&);
  void choose_equations();
  void follow_gains();
  std::optional<Diagnostic> take_independent();
  bool change_over_due();
  bool change_over();
  Eval build_again();
  Eval begin_following();
  bool followed_to(const State&);
  Eval begin_again(bool keep_step);
  bool parametrize_again();
  bool react();
  void report(const Event&);
  void report_switches();
  void report_events(double t);
  Diagnostic name_cause(Diagnostic) const;
  void name_formulation(Diagnostic&) const;

  const System& system_;
  const Mobility& mobility_;
  DynamicOptions options_;  // with formulation and integrator decided
  State state_;
  State segment_;  // where the present formulation was built
  State judged_;
  State looked_at_;  // apart, so that looks do not change where a row's solver starts
  Watcher watcher_;
  Extend extend_;
  Fault extend_fault_;
  MotionFollower* follower_ = nullptr;
  std::vector<double> times_, y_, between_, followed_y_;
  Switching switching_;
  RedundancySelection choice_;
  RunJudge judge_;
  StabilityWatch stability_;
  FormulaWatch formulas_;
  State ahead_;                                           // of an attempt
  std::optional<std::pair<double, std::string>> hidden_;  // what steps of given length passed over
  StepDefect defects_;
  BalancedMultipliers multipliers_;
  UndeterminedFriction friction_;
  bool undetermined_ = false;       // where the last step ended
  std::optional<MotionSize> size_;  // where atol follows it
  std::optional<StabilisationGains> gains_;
  std::vector<std::string> independent_;
  bool growth_allowed_ = false;
  TimeBreaks breaks_;  // of all that follows time
  std::vector<DriverKink> kinks_;
  std::vector<char> active_;  // equations that hold
  std::unique_ptr<Formulation> formulation_;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<StateQuadrature> quadrature_;
  StepInfo step_;
  std::string formulation_name_, integrator_name_;
  int fixed_order_ = 0;
  Diagnostics notes_;
  std::optional<Archive> checkpoint_;
  std::optional<Diagnostic> failure_;
  Freedom freedom_;            // what the program may still change
  long steps_since_look_ = 0;  // for stiffness
  bool asked_to_stop_ = false, renew_ = false;
  bool changed_ = false;  // to another formulation or integrator, which are not yet built
  long passages_ = 0, delivered_ = 0, first_output_ = 0;
  Costs costs_;  // of integrators before the present one
  // By the present formulation, before the run was resumed.
  long factored_before_ = 0, corrected_before_ = 0;
  double from_ = 0, target_ = 0;
  double looked_ = 0;                                             // time of the last look or row
  double short_from_ = -std::numeric_limits<double>::infinity();  // something short may have begun
  double usual_step_ = 0;
};

}  // namespace cardan
