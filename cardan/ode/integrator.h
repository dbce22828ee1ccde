#pragma once
// The one stepping loop: attempt, error test, projection, accept, events on dense output, output
// points, statistics. Works in both directions of time and for every Method.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cardan/base/diagnostic.h"
#include "cardan/math/time_breaks.h"
#include "cardan/ode/event_locator.h"
#include "cardan/ode/failure.h"
#include "cardan/ode/method.h"

namespace cardan {

struct IntegratorOptions {
  double step = 0;      // fixed-step methods: the step; adaptive ones: the first (0: chosen)
  double min_step = 0;  // 0: a few units of round-off of t
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 100'000'000;
  // Where the error that is estimated is that of the result itself, those of n steps are n times as
  // much at the end of a run. With n as the steps up to now let expect it, errors count n / free_steps
  // times where that is more than once; at most most_weight times.
  double free_steps = std::numeric_limits<double>::infinity();
  double most_weight = 1;
  double run_from = 0, run_until = 0;
  long steps_before = 0;  // of the run, by other integrators
  // Whether f may be evaluated past the end (multistep methods then run past it).
  bool may_overshoot = true;
};

enum class Flow { go_on, stop };

struct StepRecord {  // of an accepted step
  double t_old = 0, t = 0, h = 0;
  int order = 0;
  double error = 0;   // relative to the tolerance
  long attempts = 1;  // how many it took
  CView y;
};

struct Stop {
  enum class Why { end, event, callback, failure } why = Why::end;
  double t = 0;
  int event = -1;
  Failure failure;
};

class Integrator {
 public:
  Integrator(std::unique_ptr<Method> method, Tolerance, IntegratorOptions = {}, Events* = nullptr);
  ~Integrator();

  // ---- callbacks; none may allocate if stepping is not to
  std::function<Flow(double t, CView y)> on_output;  // at output points, in order
  // After every accepted step: step size, order, progress, cancel.
  std::function<Flow(const StepRecord&)> on_step;
  std::function<bool()> asked_to_stop;  // before every attempt of a step
  // Of an attempt whose error is small enough, for methods that choose their step: the longest step on
  // the way to this proposal that steps over nothing. Shorter than the attempt: it is not taken.
  std::function<double(double t, CView y)> longest_step;

  // Output points: a grid from the start (t0 itself included) or a list; none by default.
  void output_every(double dt);
  void output_at(std::vector<double> times);

  // Times at which f may jump, ascending. Methods that choose their step end one there and start
  // afresh; up to there f is evaluated before the jump, from there on behind it. Grids of given
  // steps stay as they are.
  void land_on(std::vector<double> times);

  // For methods that choose their step: no step is longer than the bounds where it lies.
  void bound_steps(std::vector<StepBound> bounds) { bounds_ = std::move(bounds); }

  Eval start(double t, CView y);  // allocates; f could not be evaluated at the start when not ok

  // Before the next start or restart: what the error is measured by.
  void set_tolerance(Tolerance tolerance);

  // From here on with this state, e.g. after a change of variables; the step size is kept if asked.
  Eval restart(double t, CView y, bool keep_step);

  // The same state in other variables, where the method can take its past along. False: nothing was
  // changed, and a restart must do.
  bool change_variables(const Method::NewVariables&);

  Stop advance(double t_end);  // can be called again to go on, after Why::callback and events too

  double t() const { return t_; }

  CView y() const { return {y_.data(), static_cast<std::size_t>(y_.size())}; }

  Method& method() { return *method_; }

  const Stats& stats() const { return method_->problem().stats(); }

  void serialize(Archive&);  // after start() with the same problem, method and options

 private:
  Eval begin(double t, CView y, bool keep_step);
  std::optional<Stop> deliver(double t_end);  // events and output of the last step, up to t_end
  std::optional<Stop> deliver_outputs(double to);
  std::optional<Stop> deliver_events();
  std::optional<Stop> report_step();
  std::optional<Stop> step(double t_end);
  bool hopeless(double t_end);
  bool take(Attempt&);  // projection and acceptance of a good attempt
  bool steps_over(const Attempt&, double h);
  void first_step(double t_end);
  void count_errors();
  double step_towards(double target, double t_end) const;
  double largest_step(double wanted) const;

  bool lands() const { return !landings_.empty() && method_->traits().adaptive; }

  double next_landing(double t) const;  // infinite: none
  void keep_between_landings(double t);
  bool landed() const;
  double fixed_step_towards(double t_end) const;
  bool runs_past() const;
  bool at(double t, double target) const;  // but for round-off
  double next_output() const;
  Eval state_at(double t);  // into t_, y_
  Stop give_up(const Attempt&, double h);
  Stop stopped(Stop::Why) const;

  std::unique_ptr<Method> method_;
  Tolerance tolerance_;
  IntegratorOptions options_;
  Events* events_;
  std::unique_ptr<EventLocator> locator_;

  double t_ = 0;  // of y_: where the caller stands; the method may be ahead
  Eigen::VectorXd y_;
  double t_start_ = 0, direction_ = 1;
  Eigen::VectorXd y_largest_;  // per component, over the run: to tell an escape from a singularity
  double h_ = 0;               // to try next
  double grid_origin_ = 0;     // fixed step: where the steps are counted from
  long grid_steps_ = 0, steps_ = 0;
  double scanned_ = 0;    // events are known up to here
  double pace_from_ = 0;  // the time when the pace was last measured
  long pace_at_ = -1;     // and the number of steps
  bool pace_known_ = false, too_slow_ = false;
  bool started_ = false, needs_first_step_ = true;
  bool event_pending_ = false, step_pending_ = false;
  double longest_ = 0;  // what longest_step said last
  double weight_ = 1;   // of errors, by the number of steps
  StepRecord record_;

  double output_step_ = 0;
  std::vector<double> output_times_;
  long outputs_ = 0;  // delivered

  std::vector<double> landings_;  // ascending
  double grain_ = 0;              // times this close to a landing are the landing
  std::vector<StepBound> bounds_;
};

}  // namespace cardan
