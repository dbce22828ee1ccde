// The stepping loop. What a step does is in `step`; what happens on the accepted step, in order of
// time, is in `deliver`: output points, events, the caller's end, the step's own report.
#include "cardan/ode/integrator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "cardan/base/trace.h"

namespace cardan {

namespace {

void tell_not_taken(const Attempt& a) {
  if (a.kind == Attempt::Kind::ok)
    trace("    not taken: error {:.3g} of the tolerance", a.error);
  else if (a.kind == Attempt::Kind::not_converged)
    trace("    not taken: its equations were not solved");
  else
    trace("    not taken: the equations of motion have no value on the way");
}

constexpr double round_off = std::numeric_limits<double>::epsilon();
constexpr long most_attempts = 1000;  // of one step: each is shorter than the one before
constexpr long pace_steps = 200'000;  // between two looks at the pace
constexpr double least_part = 0.03;   // of a run, from whose steps all are expected

}  // namespace

Integrator::Integrator(std::unique_ptr<Method> method,
                       Tolerance tolerance,
                       IntegratorOptions options,
                       Events* events)
    : method_(std::move(method)), options_(options), events_(events) {
  set_tolerance(std::move(tolerance));
  if (!method_) throw std::invalid_argument("an integrator needs a method");
  if (!(options.step >= 0) || !(options.max_step > 0) || !(options.min_step >= 0)) {
    throw std::invalid_argument("step sizes must not be negative");
  }
  if (!method_->traits().adaptive && options.step == 0) {
    throw std::invalid_argument("a fixed-step method needs a step");
  }
  if (events_ && events_->count() > 0) locator_ = std::make_unique<EventLocator>(*events_);
}

Integrator::~Integrator() = default;

void Integrator::set_tolerance(Tolerance tolerance) {
  tolerance_ = std::move(tolerance);
  if (std::isfinite(options_.free_steps)) tolerance_.weight = &weight_;
}

void Integrator::count_errors() {
  if (!std::isfinite(options_.free_steps)) return;
  const double gone =
      (method_->time() - options_.run_from) / (options_.run_until - options_.run_from);
  const double expected = static_cast<double>(options_.steps_before + steps_) /
                          (gone > least_part ? std::min(gone, 1.0) : least_part);
  weight_ = std::clamp(expected / options_.free_steps, 1.0, options_.most_weight);
}

void Integrator::output_every(double dt) {
  if (!(dt > 0)) throw std::invalid_argument("the output step must be positive");
  output_step_ = dt;
  output_times_.clear();
}

void Integrator::output_at(std::vector<double> times) {
  output_times_ = std::move(times);
  output_step_ = 0;
}

void Integrator::land_on(std::vector<double> times) {
  landings_ = std::move(times);
  if (landings_.empty()) return;
  grain_ = beside(landings_);
  const auto close = [this](double a, double b) {
    return b - a < 8 * grain_;
  };
  landings_.erase(std::unique(landings_.begin(), landings_.end(), close), landings_.end());
}

double Integrator::next_landing(double t) const {
  if (direction_ > 0) {
    const auto next = std::upper_bound(landings_.begin(), landings_.end(), t + 2 * grain_);
    return next == landings_.end() ? std::numeric_limits<double>::infinity() : *next;
  }
  const auto next = std::lower_bound(landings_.begin(), landings_.end(), t - 2 * grain_);
  return next == landings_.begin() ? -std::numeric_limits<double>::infinity() : *std::prev(next);
}

void Integrator::keep_between_landings(double t) {
  if (!lands()) return;
  const auto next = direction_ > 0
                        ? std::upper_bound(landings_.begin(), landings_.end(), t + 2 * grain_)
                        : std::lower_bound(landings_.begin(), landings_.end(), t - 2 * grain_);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  method_->problem().stay_within(next == landings_.begin() ? -infinity : *std::prev(next) + grain_,
                                 next == landings_.end() ? infinity : *next - grain_);
}

// The last step ended on one, and nothing was started there yet.
bool Integrator::landed() const {
  if (!lands() || grid_steps_ == 0) return false;
  const double t = method_->time();
  return direction_ * (next_landing(t - 3 * direction_ * grain_) - next_landing(t)) < 0;
}

Eval Integrator::start(double t, CView y) {
  method_->problem().stats() = {};
  t_start_ = t;
  steps_ = outputs_ = 0;
  y_largest_ = as_vector(y).cwiseAbs();
  h_ = 0;
  event_pending_ = step_pending_ = false;
  if (locator_) {
    if (const Eval e = locator_->start(t, y); e != Eval::ok) return e;
  }
  return begin(t, y, false);
}

Eval Integrator::restart(double t, CView y, bool keep_step) {
  event_pending_ = false;
  const Eval e = begin(t, y, keep_step);
  return e == Eval::ok && locator_ ? locator_->restart(t, this->y()) : e;
}

bool Integrator::change_variables(const Method::NewVariables& map) {
  if (!method_->change_variables(map, tolerance_)) return false;
  y_ = as_vector(method_->state());
  y_largest_ = y_.cwiseAbs();
  event_pending_ = false;
  scanned_ = t_ = method_->time();
  return !locator_ || locator_->restart(t_, y()) == Eval::ok;
}

Eval Integrator::begin(double t, CView y, bool keep_step) {
  y_ = as_vector(y);
  t_ = t;
  keep_between_landings(t);
  count_errors();
  const Eval e = method_->start(t, {y_.data(), static_cast<std::size_t>(y_.size())}, tolerance_);
  started_ = e == Eval::ok;
  needs_first_step_ = !keep_step || h_ == 0 || method_->traits().multistep;
  grid_origin_ = scanned_ = t;
  grid_steps_ = 0;
  return e;
}

Stop Integrator::advance(double t_end) {
  if (!started_) throw std::logic_error("advance before start");
  if (!std::isfinite(t_end)) throw std::invalid_argument("the end of the run must be finite");
  if (t_end != t_) {
    const double way = t_end < t_ ? -1 : 1;
    const bool turned = way != direction_ && (steps_ > 0 || lands());
    direction_ = way;
    if (turned && begin(t_, y(), false) != Eval::ok) {
      return give_up({Attempt::Kind::retry, 0}, h_);
    }
  }
  for (;;) {
    if (auto stop = deliver(t_end)) return *stop;
    if (direction_ * (t_end - method_->time()) <= 0 || at(method_->time(), t_end)) break;
    if (auto stop = step(t_end)) return *stop;
  }
  if (state_at(t_end) != Eval::ok) return give_up({Attempt::Kind::retry, 0}, h_);
  return stopped(Stop::Why::end);
}

// ---------------------------------------------------------------- one step

std::optional<Stop> Integrator::step(double t_end) {
  Stats& stats = method_->problem().stats();
  if (landed()) {
    y_ = as_vector(method_->state());
    const double t = next_landing(method_->time() - 3 * direction_ * grain_);
    if (const Eval e = begin(t, y(), true); e != Eval::ok) return give_up({failed(e), 0}, h_);
  }
  double target = t_end;
  if (lands()) {
    const double landing = next_landing(method_->time());
    if (direction_ * (t_end - landing) > 0) target = landing;
  }
  count_errors();
  if (needs_first_step_) first_step(target);
  too_slow_ = hopeless(t_end);
  if (too_slow_) return give_up({}, h_);
  for (long attempts = 1;; ++attempts) {
    const bool adaptive = method_->traits().adaptive;
    const double h = adaptive ? step_towards(target, t_end) : fixed_step_towards(t_end);
    const double t = method_->time();
    const double least = std::max(options_.min_step, 8 * round_off * std::abs(t));
    if (steps_ >= options_.max_steps || (std::abs(h) < least && !at(t + h, target)) ||
        attempts > most_attempts || h == 0) {
      return give_up({}, h);
    }
    if (asked_to_stop && asked_to_stop()) {
      t_ = t;
      y_ = as_vector(method_->state());
      return stopped(Stop::Why::callback);
    }
    trace("  t = {:.10g} s, step {:.6g} s", t, h);
    Attempt a = method_->attempt(h);
    if (steps_over(a, h)) {
      trace("    not taken: something on the way asks for a step of {:.6g} s", longest_);
      ++stats.rejected;
      (void)method_->retry({Attempt::Kind::retry, 0});
      h_ = direction_ * longest_;
      continue;
    }
    if (a.kind == Attempt::Kind::ok && a.error <= 1 && take(a)) {
      trace("    taken, order {}, error {:.2e} of the tolerance", method_->order(), a.error);
      record_ = {t, method_->time(), h, method_->order(), a.error, attempts, method_->state()};
      step_pending_ = true;
      ++steps_;
      ++grid_steps_;
      ++stats.steps;
      y_largest_ = y_largest_.cwiseMax(as_vector(method_->state()).cwiseAbs());
      const double next = method_->next(a).h;
      if (!adaptive) return {};  // the grid's step stays what it is, to the last bit
      h_ = std::abs(h) < std::abs(h_) ? std::copysign(std::max(std::abs(h_), std::abs(next)), next)
                                      : next;  // a step cut short to land somewhere says little
      return {};
    }
    tell_not_taken(a);
    if (a.kind == Attempt::Kind::ok) ++stats.rejected;
    if (a.kind == Attempt::Kind::not_converged) ++stats.not_converged;
    if (a.kind == Attempt::Kind::retry) ++stats.failed_f;
    if (a.kind == Attempt::Kind::fatal || !adaptive) return give_up(a, h);
    h_ = method_->retry(a).h;
    if (std::abs(h_) < least && !(std::abs(h) <= least)) h_ = std::copysign(least, h);
  }
}

bool Integrator::steps_over(const Attempt& a, double h) {
  if (!longest_step || !method_->traits().adaptive) return false;
  if (a.kind != Attempt::Kind::ok || !(a.error <= 1)) return false;
  longest_ = longest_step(method_->proposed_time(), method_->proposal());
  return longest_ < std::abs(h);
}

// A run that would need a thousand times the steps it may take: of a given step at once, else by the
// pace of the last steps.
bool Integrator::hopeless(double t_end) {
  const double t = method_->time(), left = std::abs(t_end - t);
  const double most = 1e3 * static_cast<double>(options_.max_steps);
  if (!method_->traits().adaptive) return !(left <= most * std::abs(h_));
  if (steps_ == pace_at_ || steps_ % pace_steps != 0) return false;
  pace_at_ = steps_;
  const double pace = std::abs(t - pace_from_) / static_cast<double>(pace_steps);
  pace_from_ = t;
  const bool measured = std::exchange(pace_known_, true);
  return measured && !(left <= most * pace);
}

bool Integrator::take(Attempt& a) {
  OdeProblem& problem = method_->problem();
  const bool projects = problem.projects();
  Eval e = Eval::ok;
  if (projects) {
    ++problem.stats().projection;
    e = problem.project(
        problem.within(method_->proposed_time()), method_->proposal(), method_->error_estimate());
  }
  if (e == Eval::ok) e = method_->accept(projects);
  if (e != Eval::ok) a.kind = failed(e);
  return e == Eval::ok;
}

void Integrator::first_step(double t_end) {
  needs_first_step_ = false;
  if (!method_->traits().adaptive) {
    h_ = std::min(options_.step, options_.max_step);
    const double span = std::abs(t_end - method_->time());
    const double count = std::ceil(span / h_ * (1 - 1e-12));
    if (method_->traits().multistep && !runs_past()) h_ = span / std::max(count, 1.0);
    h_ *= direction_;
    return;
  }
  h_ = options_.step > 0 ? direction_ * options_.step : method_->initial_step(t_end);
  if (h_ == 0) h_ = direction_ * std::abs(t_end - method_->time());
}

bool Integrator::runs_past() const {
  return options_.may_overshoot && method_->traits().multistep;
}

double Integrator::step_towards(double target, double t_end) const {
  const double met = locator_ ? locator_->longest_step() : options_.max_step;
  const double h = direction_ * largest_step(std::min({std::abs(h_), options_.max_step, met}));
  const double left = target - method_->time();
  if (runs_past() && target == t_end) return h;
  const bool near = std::abs(h) * 1.01 >= std::abs(left);
  if (near && largest_step(std::abs(left)) >= std::abs(left) * (1 - 1e-9)) return left;
  return std::abs(h) > 0.5 * std::abs(left) ? 0.5 * left : h;
}

// A step may reach into an interval with a smaller bound by no more than that bound.
double Integrator::largest_step(double wanted) const {
  if (bounds_.empty()) return wanted;
  const double t = method_->time();
  const auto behind = std::upper_bound(
      bounds_.begin(), bounds_.end(), t, [](double a, const StepBound& b) { return a < b.from; });
  double h = wanted;
  if (direction_ > 0) {
    if (behind != bounds_.begin()) h = std::min(h, std::prev(behind)->largest);
    for (auto b = behind; b != bounds_.end() && b->from < t + h; ++b)
      h = std::min(h, b->from - t + b->largest);
    return h;
  }
  double end = t;  // of the interval looked at
  for (auto b = behind; b != bounds_.begin() && end > t - h; end = b->from) {
    --b;
    h = std::min(h, t - end + b->largest);
  }
  return h;
}

// Steps lie on a grid t0 + k h, so that no error gathers in t; a one-step method's last may be
// shorter.
double Integrator::fixed_step_towards(double t_end) const {
  const double t = method_->time();
  const double next = grid_origin_ + static_cast<double>(grid_steps_ + 1) * h_;
  if (at(next, t_end)) return t_end - t;
  if (method_->traits().multistep || direction_ * (t_end - next) > 0) return next - t;
  return t_end - t;
}

bool Integrator::at(double t, double target) const {
  if (!std::isfinite(t) || !std::isfinite(target)) return false;  // no further output point
  const double size = std::max({std::abs(t), std::abs(target), std::abs(t_start_)});
  return std::abs(t - target) <= std::max(16 * round_off * size, 1e-12 * std::abs(h_));
}

// ---------------------------------------------------------------- what happens on an accepted step

std::optional<Stop> Integrator::deliver(double t_end) {
  for (;;) {
    const double reached = method_->time();
    const bool beyond = direction_ * (reached - t_end) > 0;
    double limit = beyond ? t_end : reached;
    if (locator_ && !event_pending_ && direction_ * (limit - scanned_) > 0) {
      if (locator_->scan(*method_, scanned_, limit) != Eval::ok) {
        return give_up({Attempt::Kind::retry, 0}, method_->time() - method_->previous_time());
      }
      event_pending_ = !locator_->found().empty();
      scanned_ = event_pending_ ? locator_->time() : limit;
    }
    if (event_pending_) limit = locator_->time();
    if (auto stop = deliver_outputs(limit)) return stop;
    if (!event_pending_) break;
    event_pending_ = false;
    if (auto stop = deliver_events()) return stop;
  }
  return report_step();
}

std::optional<Stop> Integrator::deliver_outputs(double to) {
  if (!on_output) return {};
  for (double t = next_output(); direction_ * (to - t) >= 0 || at(t, to); t = next_output()) {
    ++outputs_;
    if (state_at(direction_ * (to - t) < 0 ? to : t) != Eval::ok) {
      return give_up({Attempt::Kind::retry, 0}, h_);
    }
    if (on_output(t_, y()) == Flow::stop) return stopped(Stop::Why::callback);
  }
  return {};
}

std::optional<Stop> Integrator::deliver_events() {
  t_ = locator_->time();
  y_ = as_vector(locator_->state());
  EventAction action = EventAction::go_on;
  int last = -1;
  for (const int i : locator_->found()) {
    ++method_->problem().stats().events;
    const View y{y_.data(), static_cast<std::size_t>(y_.size())};
    const EventAction answer = events_->happened(t_, i, y);
    if (answer >= action) last = i;
    action = std::max(action, answer);
  }
  if (action == EventAction::go_on) return {};
  record_.t = t_;
  record_.h = t_ - record_.t_old;
  record_.y = y();
  // While the method still knows the step: who is told may look inside it.
  const Flow flow = step_pending_ && on_step ? on_step(record_) : Flow::go_on;
  step_pending_ = false;
  if (action == EventAction::stop) {
    Stop stop = stopped(Stop::Why::event);
    stop.event = last;
    return stop;
  }
  if (const Eval e = restart(t_, y(), false); e != Eval::ok) return give_up({failed(e), 0}, h_);
  if (flow == Flow::stop) return stopped(Stop::Why::callback);
  return {};
}

std::optional<Stop> Integrator::report_step() {
  if (!step_pending_) return {};
  step_pending_ = false;
  t_ = record_.t;
  if (!on_step) return {};
  record_.y = method_->state();
  if (on_step(record_) == Flow::go_on) return {};
  y_ = as_vector(method_->state());
  return stopped(Stop::Why::callback);
}

double Integrator::next_output() const {
  if (output_step_ > 0) {
    return t_start_ + direction_ * output_step_ * static_cast<double>(outputs_);
  }
  const auto k = static_cast<std::size_t>(outputs_);
  return k < output_times_.size() ? output_times_[k]
                                  : direction_ * std::numeric_limits<double>::infinity();
}

Eval Integrator::state_at(double t) {
  t_ = t;
  if (at(t, method_->time())) {
    y_ = as_vector(method_->state());
    return Eval::ok;
  }
  return method_->interpolate(t, {y_.data(), static_cast<std::size_t>(y_.size())});
}

// ---------------------------------------------------------------- ends

Stop Integrator::stopped(Stop::Why why) const {
  Stop stop;
  stop.why = why;
  stop.t = t_;
  return stop;
}

Stop Integrator::give_up(const Attempt& last, double h) {
  t_ = method_->time();
  y_ = as_vector(method_->state());
  Stop stop = stopped(Stop::Why::failure);
  const RunSoFar run{t_start_,
                     {y_largest_.data(), static_cast<std::size_t>(y_largest_.size())},
                     steps_ >= options_.max_steps || too_slow_};
  stop.failure = diagnose(*method_, last, h, run);
  const bool at_the_smallest = options_.min_step > 0 && std::abs(h) <= options_.min_step;
  if (!at_the_smallest || run.out_of_steps || !method_->traits().adaptive) return stop;
  stop.failure.cause = Cause::none;  // but what the user allows
  stop.failure.text = fmt::format(
      "{} cannot go on at t = {:.10g} with step {:.3g}: the tolerance asks for shorter steps than "
      "the smallest one allowed, min_step = {:.3g}",
      method_->traits().name,
      stop.t,
      h,
      options_.min_step);
  return stop;
}

void Integrator::serialize(Archive& a) {
  a.mark("integrator");
  for (double* x : {&direction_, &grid_origin_}) a.io(*x);
  if (a.loading()) keep_between_landings(grid_origin_);  // methods may evaluate f
  method_->serialize(a);
  if (locator_) locator_->serialize(a);
  Stats& s = method_->problem().stats();
  for (long* n : {&s.f,
                  &s.jacobian,
                  &s.factorization,
                  &s.solve,
                  &s.newton,
                  &s.projection,
                  &s.steps,
                  &s.rejected,
                  &s.not_converged,
                  &s.failed_f,
                  &s.events,
                  &grid_steps_,
                  &steps_,
                  &outputs_}) {
    a.io(*n);
  }
  for (double* x : {&t_, &t_start_, &h_, &scanned_}) a.io(*x);
  a.io(y_);
  a.io(y_largest_);
  a.io(needs_first_step_);
  const bool sound = std::isfinite(t_) && std::isfinite(t_start_) && std::isfinite(h_) &&
                     std::abs(direction_) == 1 && grid_steps_ >= 0 && steps_ >= 0 && outputs_ >= 0;
  if (a.loading() && !sound) a.fail();
}

}  // namespace cardan
