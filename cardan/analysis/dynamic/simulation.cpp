#include "cardan/analysis/dynamic/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/dynamic/state_between.h"
#include "cardan/analysis/start/assembly.h"
#include "cardan/formulation/choice.h"
#include "cardan/formulation/coordinate_tolerances.h"
#include "cardan/formulation/explicit/local_share.h"
#include "cardan/formulation/explicit/wanted_coordinates.h"
#include "cardan/formulation/method_settings.h"
#include "cardan/formulation/singular/singular.h"
#include "cardan/ode/archive_lists.h"

namespace cardan {

namespace {

constexpr long steps_between_looks =
    400;                               // for stiffness; one look costs as much as 24 steps of Euler
constexpr double fewest_looks = 200;   // over the run
constexpr int most_looks_between = 4;  // intervals between two rows or steps
constexpr double close_looks = 0.3;    // of the time since something short may have begun
constexpr double sharply = 0.25;       // of the usual step: something short begins
constexpr double followed = 0.1;       // how much of a step the usual one takes over
constexpr double usual_atol = 0.01;    // of rtol, where neither was given
constexpr double most_left_out = 0.12;  // of the range of the coordinates: errors of given steps
constexpr long steps_when_hinted = 30;  // where the method itself suspects it

// No method holds errors of this size to a share of them.
constexpr double least_rtol = 1e-11;

// What errors of one step may be, so that those of the run follow the tolerance. Where the problem
// multiplies them already, BDF's are left as they are.
double local_weight(const Formulation& formulation,
                    const Tolerance& tolerance,
                    const DynamicOptions& options,
                    const Traits& method) {
  const auto ignored = std::count(tolerance.ignored.begin(), tolerance.ignored.end(), true);
  const bool bdf = method.implicit && method.multistep;
  const bool counted = bdf && tolerance.reach != nullptr;
  double wanted = counted ? weight_of_counted : weight_of_local_errors(method, options.rtol);
  if (options.formulation == "hybrid" && !method.implicit) wanted *= weight_of_feedback;
  wanted *= weight_of_few(method, formulation.size() - static_cast<int>(ignored));
  if (method.adaptive && !std::isfinite(formulation.kept_violation())) wanted *= weight_of_drift;
  if (method.weighs_errors) wanted = 1;
  return std::clamp(wanted, 1.0, std::max(1.0, options.rtol / least_rtol));
}

Tolerance local_tolerance(const Formulation& formulation,
                          const DynamicOptions& options,
                          const Traits& method) {
  Tolerance tolerance = formulation.tolerance(options);
  const double weight = local_weight(formulation, tolerance, options, method);
  tolerance.norm_control = options.norm_control;
  tolerance.rtol /= weight;
  tolerance.atol /= weight;
  for (double& each : tolerance.rtol_each) each /= weight;
  for (double& each : tolerance.atol_each) each /= weight;
  return tolerance;
}

// What says how steps are chosen, given to a method of given steps, and a smallest step above the
// largest.
std::optional<Diagnostic> only_of_chosen_steps(const std::string& integrator,
                                               const Traits& traits,
                                               const DynamicOptions& options) {
  Diagnostic d;
  d.where = options.where;
  if (options.min_step > options.max_step) {
    d.id = "model.bad-value";
    d.found = fmt::format("min_step = {:g} s", options.min_step);
    d.expected = fmt::format("at most max_step, {:g} s", options.max_step);
    return d;
  }
  std::vector<std::string_view> keys;
  if (options.min_step > 0) keys.emplace_back("min_step");
  if (options.norm_control) keys.emplace_back("norm_control");
  if (!options.atol_each.empty()) keys.emplace_back("atol_each");
  if (traits.adaptive || keys.empty()) return {};
  d.id = "model.unknown-option";
  d.found =
      fmt::format("{} with \"{}\", which takes given steps", fmt::join(keys, ", "), integrator);
  d.expected = "a method that chooses its steps";
  d.hint = "leave it out, or choose an integrator that controls its error, such as dop853";
  return d;
}

Diagnostic passed_over(const std::pair<double, std::string>& what) {
  Diagnostic d =
      fault_at("numeric.doubtful",
               fmt::format("these results are doubtful: {} changes and changes back within a step",
                           what.second),
               what.first);
  d.severity = Severity::warning;
  d.expected = "steps within which formulas do not change unseen";
  d.hint = "use a smaller step, or an integrator that chooses its steps";
  return d;
}

Diagnostic too_long(double share) {
  Diagnostic d;
  d.id = "numeric.doubtful";
  d.severity = Severity::warning;
  d.found = fmt::format(
      "these results are doubtful: what the steps miss of the motion adds up to {:.2g} of its "
      "range",
      share);
  d.expected = fmt::format("at most {:.2g}", most_left_out);
  d.hint = "compare with a smaller step, or with an integrator that chooses its steps";
  return d;
}

}  // namespace

Simulation::Simulation(const System& system,
                       const Mobility& mobility,
                       const DynamicOptions& options,
                       const State& state)
    : system_(system),
      mobility_(mobility),
      options_(options),
      state_(state),
      switching_(system, mobility.active),
      choice_(system, mobility),
      judge_(system),
      stability_(system_, options_),
      formulas_(system, std::abs(options.until - state.t)),
      ahead_(state),
      defects_(system),
      multipliers_(system),
      from_(state.t),
      target_(options.until),
      looked_(state.t) {}

// ---- the start

// Steps would shrink to nothing: the error of a step is never smaller than round-off.
static std::optional<Diagnostic> tolerance_below_round_off(const DynamicOptions& options) {
  constexpr double round_off = 1e-15;  // relative, of double precision
  if (options.rtol >= round_off || options.atol >= round_off) return {};
  Diagnostic d;
  d.id = "model.bad-value";
  d.where = options.where;
  d.found = fmt::format("rtol = {:g} with atol = {:g}", options.rtol, options.atol);
  d.expected = fmt::format("one of them at least {:g}: numbers have 16 digits", round_off);
  return d;
}

std::optional<Diagnostic> Simulation::prepare(std::span<const std::byte> checkpoint) {
  if (auto fault = tolerance_below_round_off(options_)) return fault;
  if (options_.formulation == "auto" && tolerates_single_components(options_))
    options_.formulation = "projected";
  freedom_ = {options_.formulation == "auto", options_.integrator == "auto"};
  if (auto chosen = choose_automatically(system_, mobility_.active, state_, options_))
    notes_.push_back(std::move(*chosen));
  follow_size();
  breaks_ = breaks_of(system_, from_, options_.until);
  expect_kinks();
  if (!checkpoint.empty()) checkpoint_.emplace(checkpoint);
  if (auto fault = prepare_modes()) return fault;
  if (auto fault = derived_across_friction()) return fault;
  return build();
}

// Where the absolute tolerance has its usual share of the relative one (motion_size.h).
void Simulation::follow_size() {
  const double usual = usual_atol * options_.rtol;
  if (mobility_.dof == 0 || options_.step > 0 || !(std::abs(options_.atol - usual) <= 1e-6 * usual))
    return;
  // What friction holds has no direction as it begins to slide: to follow that closely says nothing.
  if (switching_.has_sticking() && !(small_motion(system_, mobility_.active, state_) > 0)) return;
  size_.emplace();
  size_->begin(system_, mobility_.active, state_, options_.atol);
  options_.atol = size_->atol();
}

// Where friction begins to stick or to slide, at a time that depends on parameters, derivatives by
// them jump.
std::optional<Diagnostic> Simulation::derived_across_friction() const {
  const bool derived = extend_ || follower_ != nullptr;
  if (!derived || !switching_.has_sticking()) return {};
  const bool sticks = [&] {
    for (int k = 0; k < system_.friction().count(); ++k)
      if (system_.sliding(k, switching_.mode(), switching_.slide()).holds()) return true;
    return false;
  }();
  if (!sticks && !(integrator_ != nullptr && switching_.rubs_changed())) return {};
  Diagnostic d = fault_at(
      "model.not-available", "sensitivities: friction that begins to stick or to slide", state_.t);
  d.expected = "a motion in which everything slides on";
  d.hint = "friction_law = \"tanh\" is smooth";
  return d;
}

std::optional<Diagnostic> Simulation::start() {
  report_switches();
  if (checkpoint_) {
    const bool good = load_checkpoint();
    checkpoint_.reset();
    if (!good) return foreign_checkpoint();
    return {};
  }
  if (integrator_->start(state_.t, y_) == Eval::ok &&
      (!quadrature_ || quadrature_->start(state_)) && begin_following() == Eval::ok)
    return {};
  if (failure_) return std::exchange(failure_, {});
  return name_cause(fault_at(
      "numeric.not-finite", "the equations of motion cannot be evaluated at the start", state_.t));
}

// Something in the model may happen within a short time, wherever a step looks. Given steps look
// nowhere else on that account.
bool Simulation::may_be_short(bool adaptive) const {
  return !breaks_.complete || !system_.limits().empty() || switching_.has_sticking() ||
         !system_.conditions().empty() || (!adaptive && system_.depends_on_time());
}

void Simulation::expect_kinks() {
  kinks_ = driver_kinks(system_, from_, options_.until);
  const double direction = options_.until < from_ ? -1 : 1;
  if (switching_.has_sticking())
    switching_.expect_breaks(breaks_.times, direction * beside(breaks_.times));
  if (!kinks_.empty()) switching_.expect({system_, kinks_, beside(breaks_.times), direction});
}

// Which limits are closed and on which side conditions are: from the state, or the checkpoint.
std::optional<Diagnostic> Simulation::prepare_modes() {
  if (switching_.has_hard_limits() && options_.until < state_.t)
    return backward_impact(options_.until);
  if (switching_.has_sticking() && options_.until < state_.t) {
    Diagnostic d =
        fault_at("model.not-available", "friction that sticks in a run backwards in time");
    d.element = system_.friction_label(0);
    d.expected = "a later end: how long something stuck cannot be found from behind";
    d.hint = "friction_law = \"tanh\" can be followed backwards";
    return d;
  }
  if (!checkpoint_) return switching_.begin(state_);
  const State fresh = state_;
  serialize_segment(*checkpoint_);
  if (!checkpoint_->good()) {
    state_ = fresh;
    return foreign_checkpoint();
  }
  switching_.resume(state_);
  return {};
}

// Formulations in independent coordinates have no equations of velocities alone: what sticks is held
// by forces there (system/friction_solver.h).
std::vector<char> Simulation::equations_that_hold() const {
  std::vector<char> active = switching_.active();
  const FormulationEntry* entry = find_formulation(options_.formulation);
  if (entry != nullptr && !entry->rolls)
    for (int k = 0; k < system_.friction().count(); ++k) {
      const int first = system_.friction().element(k).stick_row;
      for (int row = first; first >= 0 && row < first + system_.friction().ways(k); ++row)
        active[static_cast<std::size_t>(row)] = 0;
    }
  return active;
}

// Formulation and integrator for the modes: equations that hold are their size.
std::optional<Diagnostic> Simulation::build() {
  if (checkpoint_) options_.independent.clear();  // it has the choice
  active_ = equations_that_hold();
  segment_ = state_;
  auto formulation = make_formulation({system_, active_, options_});
  if (!formulation) return formulation.why().front();
  formulation_ = std::move(formulation).value();
  if (extend_) formulation_ = extend_(std::move(formulation_));
  formulation_name_ = formulation_->name();
  if (auto fault = prepare_integrator()) return fault;
  switching_.watch(*formulation_, state_);
  formulas_.forget();
  defects_.jump();
  judged_ = looked_at_ = state_;
  judge_.begin({options_.rtol,
                options_.atol,
                adaptive(),
                formulation_->kept_violation(),
                options_.max_drift > 0 || growth_allowed_,
                may_be_short(adaptive())},
               state_);
  y_.resize(static_cast<std::size_t>(formulation_->size()));
  formulation_->parametrize(state_, y_);
  formulation_->take_events();
  integrator_->set_tolerance(
      local_tolerance(*formulation_, options_, integrator_->method().traits()));
  if (!formulation_->carries_quadratures())
    quadrature_ = std::make_unique<StateQuadrature>(*formulation_, *integrator_, state_);
  for (Diagnostic& note : stability_.begin(integrator_->method().traits(),
                                           state_,
                                           active_,
                                           formulation_->gains(),
                                           std::abs(options_.until - state_.t)))
    if (!checkpoint_) notes_.push_back(std::move(note));  // a resumed run has told it
  if (auto fault = take_independent()) return fault;
  options_.independent.clear();  // after a stop or a stick there are other freedoms
  follow_gains();
  return {};
}

// The first choice of independent coordinates, which is told, and must be the one asked for.
std::optional<Diagnostic> Simulation::take_independent() {
  if (!independent_.empty()) return {};
  const std::vector<int> chosen = formulation_->independent();
  for (const int k : chosen) independent_.push_back(system_.coordinate_label(k));
  if (options_.independent.empty() || checkpoint_) return {};
  const auto wanted = wanted_coordinates({system_, active_, options_});
  if (wanted && wanted.value() == chosen) return {};
  Diagnostic d = fault_at("model.bad-value",
                          "independent coordinates from which the others do not follow here",
                          state_.t);
  d.where = options_.where;
  d.expected = "such as: ";
  for (std::size_t k = 0; k < independent_.size(); ++k)
    d.expected += (k > 0 ? ", " : "") + independent_[k];
  return d;
}

// The gains that are used from here on, for the next rows and for the summary.
void Simulation::follow_gains() {
  const auto now = formulation_->gains();
  if (!now) return;
  step_.alpha = now->alpha;
  step_.beta = now->beta;
  if (!gains_) {
    gains_.emplace();
    gains_->chosen_by = "given";
    const bool given =
        !std::isnan(options_.alpha) || !std::isnan(options_.beta) || !std::isnan(options_.omega);
    if (!given && formulation_name_ == "baumgarte") gains_->chosen_by = options_.gains;
    if (formulation_name_ == "baumgarte" && options_.stabilization == "adaptive")
      gains_->chosen_by = options_.stabilization;
    if (!given && formulation_name_ == "hybrid") gains_->chosen_by = "default";
    gains_->least_alpha = gains_->most_alpha = now->alpha;
  }
  gains_->alpha = now->alpha;
  gains_->beta = now->beta;
  gains_->least_alpha = std::min(gains_->least_alpha, now->alpha);
  gains_->most_alpha = std::max(gains_->most_alpha, now->alpha);
}

const CorrectionTally* Simulation::corrections() const {
  return formulation_ == nullptr ? nullptr : formulation_->corrections();
}

std::optional<Diagnostic> Simulation::prepare_integrator() {
  std::unique_ptr<Method> method = formulation_->own_method(options_);
  if (method == nullptr) {
    auto made = make_method(options_.integrator, method_options(options_), *formulation_);
    if (!made) {
      Diagnostic refused = made.why().front();
      if (refused.where.line == 0)
        refused.where =
            options_.integrator_where.line > 0 ? options_.integrator_where : options_.where;
      return refused;
    }
    method = std::move(made).value();
  }
  const Traits& traits = method->traits();
  integrator_name_ = traits.name;
  fixed_order_ = traits.adaptive ? 0 : traits.order_min;
  if (!traits.adaptive && options_.step == 0) return missing_step(integrator_name_);
  if (auto refused = only_of_chosen_steps(integrator_name_, traits, options_)) return refused;
  if (traits.adaptive && options_.step > 0 && integrator_ == nullptr)
    notes_.push_back(first_step_only(integrator_name_, options_));
  IntegratorOptions options;
  options.step = options_.step;
  options.max_step = traits.adaptive ? largest_step() : options_.max_step;
  options.min_step = options_.min_step;
  options.max_steps = std::max(1L, options_.max_steps - costs_.steps());
  Tolerance tolerance = local_tolerance(*formulation_, options_, traits);
  options.free_steps = steps_that_add_up(traits, options_.rtol);
  options.run_from = from_;
  options.run_until = options_.until;
  options.most_weight = std::max(1.0, tolerance.rtol / least_rtol);
  options.steps_before = costs_.steps();
  integrator_ = std::make_unique<Integrator>(std::move(method),
                                             std::move(tolerance),
                                             options,
                                             switching_.count() > 0 ? &switching_ : nullptr);
  integrator_->land_on(breaks_.times);
  integrator_->bound_steps(breaks_.bounds);
  integrator_->output_at({times_.begin() + first_output_, times_.end()});
  integrator_->on_output = [this](double t, CView y) {
    return output(t, y);
  };
  integrator_->on_step = [this](const StepRecord& record) {
    return step(record);
  };
  if (formulas_.any())
    integrator_->longest_step = [this](double t, CView y) {
      return longest_step_to(t, y);
    };
  integrator_->asked_to_stop = [this] {
    if (watcher_.stop_now && watcher_.stop_now()) asked_to_stop_ = true;
    return asked_to_stop_;
  };
  return {};
}

// What is short in time must not be stepped over. The work of drivers is not under error control,
// and its balance is judged.
double Simulation::largest_step() const {
  const bool bounded = may_be_short(true) || has_moving_drivers(system_);
  if (std::isfinite(options_.max_step) || !bounded) return options_.max_step;
  const double part = std::abs(options_.until - from_) / 200;
  return std::max(options_.output_step > 0 ? std::min(part, options_.output_step) : part,
                  options_.min_step);
}

// ---- checkpoints

// The integrator starts where the formulation was built, as it did then. Then the choices of the
// formulation, which decide what the integrator's numbers mean.
bool Simulation::load_checkpoint() {
  if (integrator_->start(state_.t, y_) != Eval::ok || begin_following() != Eval::ok) return false;
  formulation_->serialize(*checkpoint_);
  integrator_->set_tolerance(
      local_tolerance(*formulation_, options_, integrator_->method().traits()));
  if (!checkpoint_->good()) return false;
  serialize_rest(*checkpoint_);
  return checkpoint_->good() && integrator_->y().size() == y_.size();
}

void Simulation::serialize(Archive& archive) {
  segment_.mode = switching_.mode();  // conditions change sides without a new formulation
  segment_.slide = switching_.slide();
  serialize_segment(archive);
  formulation_->serialize(archive);
  serialize_rest(archive);
}

// What the formulation and the integrator are built from.
void Simulation::serialize_segment(Archive& archive) {
  archive.mark("simulation 8");
  archive.io(options_.formulation);
  archive.io(options_.integrator);
  if (size_) {
    size_->serialize(archive);
    options_.atol = size_->atol();
  }
  archive.io(freedom_.formulation);
  archive.io(freedom_.integrator);
  State& s = archive.loading() ? state_ : segment_;
  archive.io(s.t);
  for (auto* list : {&s.q, &s.v, &s.z, &s.u}) archive.io(*list);
  if (archive.loading()) s.mode.resize(switching_.mode().size());
  archive.io(s.mode);
  require_within(archive, s.mode, -1, Sliding::most);
  if (archive.loading()) s.slide.resize(switching_.slide().size());
  archive.io(s.slide);
  io_within(archive, first_output_, 0L, static_cast<long>(times_.size()));
  costs_.serialize(archive);
  switching_.serialize(archive);
}

void Simulation::serialize_rest(Archive& archive) {
  integrator_->serialize(archive);
  if (quadrature_) quadrature_->serialize(archive);
  if (follower_ != nullptr) follower_->serialize(archive);
  choice_.serialize(archive);
  judge_.serialize(archive);
  stability_.serialize(archive);
  formulas_.serialize(archive);
  friction_.serialize(archive);
  archive.io(undetermined_);
  defects_.serialize(archive);
  bool hidden = hidden_.has_value();
  archive.io(hidden);
  if (hidden) {
    if (!hidden_) hidden_.emplace();
    archive.io(hidden_->first);
    archive.io(hidden_->second);
  }
  bool has_gains = gains_.has_value();
  archive.io(has_gains);
  if (has_gains) {
    if (!gains_) gains_.emplace();
    for (double* x : {&gains_->alpha, &gains_->beta, &gains_->least_alpha, &gains_->most_alpha})
      archive.io(*x);
    archive.io(gains_->chosen_by);
  }
  auto chosen = independent_.size();
  io_within(archive, chosen, std::size_t{0}, static_cast<std::size_t>(system_.v_size()));
  independent_.resize(chosen);
  for (std::string& name : independent_) archive.io(name);
  formulation_->serialize_drift(archive);
  archive.io(from_);
  archive.io(step_.h);
  archive.io(step_.order);
  archive.io(step_.alpha);
  archive.io(step_.beta);
  archive.io(passages_);
  archive.io(delivered_);
  archive.io(steps_since_look_);
  for (double* x : {&looked_, &short_from_, &usual_step_}) archive.io(*x);
  long factored = factored_before_ + formulation_->factorizations();
  long corrected = corrected_before_ + formulation_->newton_iterations();
  archive.io(factored);
  archive.io(corrected);
  formulation_->serialize_factors(archive);
  if (!archive.loading() || !archive.good()) return;
  factored_before_ = factored - formulation_->factorizations();
  corrected_before_ = corrected - formulation_->newton_iterations();
}

// ---- from outside

Diagnostics Simulation::set_state(const State& given) {
  Assembly there = assemble_here(system_, given, mobility_);
  if (!there.ok) return there.notes;
  there.state.z = given.z;
  there.state.u = given.u;
  state_ = std::move(there.state);
  if (auto fault = switching_.begin(state_)) return {*fault};
  const Eval e = build_again();
  if (e == Eval::ok) return {};
  return {failure_ ? *failure_
                   : name_cause(fault_at("numeric.not-finite",
                                         "the equations of motion cannot be evaluated here",
                                         state_.t))};
}

std::optional<Diagnostic> Simulation::set_input(std::string_view name, double value) {
  if (auto fault = system_.set_input(state_, name, value)) return fault;
  if (switching_.has_sticking()) {  // it may hold no longer
    if (auto fault = switching_.react(state_)) return fault;
    report_switches();
    if (build_again() == Eval::ok) return {};
  } else {
    segment_.u = state_.u;
    if (begin_again(true) == Eval::ok) return {};
  }
  return name_cause(
      fault_at("numeric.not-finite", "the equations of motion cannot be evaluated here", state_.t));
}

// With the factors of the equations of motion, whoever asked for them. Newton's iterations are those of
// an implicit method, and for constraints where the method has none of its own.
Stats Simulation::stats_now() const {
  Stats s = integrator_->stats();
  s.factorization += factored_before_ + formulation_->factorizations();
  if (!integrator_->method().traits().implicit)
    s.newton += corrected_before_ + formulation_->newton_iterations();
  return s;
}

Costs Simulation::costs() const {
  Costs all = costs_;
  if (integrator_ != nullptr) all.add(stats_now());
  return all;
}

double Simulation::quaternion_drift() const {
  return formulation_ == nullptr ? 0 : formulation_->quaternion_drift();
}

Diagnostics Simulation::doubts() const {
  Diagnostics doubts = judge_.doubts(std::abs(state_.t - from_));
  const auto crossed = std::find_if(
      kinks_.begin(), kinks_.end(), [this](const auto& kink) { return kink.t != from_; });
  if (!adaptive() && mobility_.dof > 0 && crossed != kinks_.end())
    doubts.push_back(kink_crossed(system_, *crossed));
  if (hidden_) doubts.push_back(passed_over(*hidden_));
  if (friction_.doubtful(judge_.moved()))
    for (Diagnostic& d : friction_.notes(judge_.moved())) doubts.push_back(std::move(d));
  const double missed = defects_.share();
  if (!adaptive() && missed > most_left_out) doubts.push_back(too_long(missed));
  return doubts;
}

Diagnostics Simulation::friction_notes() const {
  return friction_.doubtful(judge_.moved()) ? Diagnostics() : friction_.notes(judge_.moved());
}

// ---- stepping

Simulation::Stop Simulation::step_to(double t) {
  target_ = t;
  asked_to_stop_ = false;
  failure_.reset();
  cardan::Stop stop;
  const double way = t < integrator_->t() ? -1 : 1;
  do stop = integrator_->advance(t);
  while ((switching_.stopped()
              ? react()
              : stop.why == cardan::Stop::Why::callback && renew_ && parametrize_again()) &&
         way * (t - integrator_->t()) >= 0);  // an impulse at t leaves the motion just behind it
  const bool integrator_failed = stop.why == cardan::Stop::Why::failure && !asked_to_stop_;
  if (integrator_failed) failure_ = name_cause(to_diagnostic(stop.failure));
  const bool known = recover(integrator_->t(), integrator_->y()) == Eval::ok;
  if (known && integrator_failed) name_formulation(*failure_);
  if (known && failure_) name_locking(system_, state_, *failure_);
  if (failure_ && extend_fault_)
    if (auto fault = extend_fault_()) failure_ = std::move(fault);
  if (known && !failure_) (void)followed_to(state_);
  if (!known && !failure_ && !asked_to_stop_)
    failure_ = fault_at(
        "numeric.singular", "the accelerations at the end cannot be computed", integrator_->t());
  state_.t = integrator_->t();  // where something jumps it was recovered on one side
  if (failure_) return {Stop::Why::failed, failure_, known};
  return {asked_to_stop_ ? Stop::Why::watcher : Stop::Why::reached, {}, known};
}

void Simulation::choose_equations() {
  const auto better = choice_.look(formulation_->equations_of_motion(), state_);
  if (!better) return;
  switching_.keep(better->kept);
  renew_ = true;
  report({state_.t, "redundancy", "", better->words});
}

// An explicit method that was chosen looks at the fastest part of the motion now and then.
bool Simulation::change_over_due() {
  const Traits& traits = integrator_->method().traits();
  if (!freedom_.integrator || traits.implicit || !traits.adaptive) return false;
  const bool hinted = integrator_->method().looks_stiff();
  return ++steps_since_look_ >= (hinted ? steps_when_hinted : steps_between_looks);
}

bool Simulation::change_over() {
  steps_since_look_ = 0;
  auto note = cardan::change_over(system_,
                                  switching_.active(),
                                  state_,
                                  step_.h,
                                  integrator_->method().traits(),
                                  freedom_,
                                  options_);
  if (!note) return false;
  freedom_ = {};
  report({state_.t, "change-over", "", note->found});
  notes_.push_back(std::move(*note));
  return true;
}

Eval Simulation::build_again() {
  costs_.add(stats_now());
  factored_before_ = corrected_before_ = 0;
  first_output_ = delivered_;
  if (auto fault = build()) {
    failure_ = std::move(fault);
    return Eval::fatal;
  }
  if (const Eval e = integrator_->start(state_.t, y_); e != Eval::ok) return e;
  if (quadrature_ && !quadrature_->start(state_)) return Eval::retry;
  return begin_following();
}

// From the state where the integrator has been started.
Eval Simulation::begin_following() {
  if (follower_ == nullptr) return Eval::ok;
  formulation_->show_modes(state_);
  const auto at = [this](double t, State& out) {
    Method& method = integrator_->method();
    followed_y_.assign(method.state().begin(), method.state().end());
    if (t != method.time() && method.previous_time() != method.time())
      if (const Eval e = method.interpolate(t, followed_y_); e != Eval::ok) return e;
    const Eval e = formulation_->recover(formulation_->within(t), followed_y_, out);
    if (e != Eval::ok) return e;
    formulation_->balance(multipliers_, out);
    formulation_->show_modes(out);
    out.t = formulation_->within(t);
    return e;
  };
  failure_ = follower_->begin({state_,
                               active_,
                               integrator_->method().traits().implicit,
                               options_.rtol,
                               options_.atol,
                               at,
                               [this] {
                                 return integrator_->method().time();
                               }});
  return failure_ ? Eval::fatal : Eval::ok;
}

// False: it cannot go on, which ends the run.
bool Simulation::followed_to(const State& state) {
  if (follower_ != nullptr && !failure_) failure_ = follower_->at(state);
  return !failure_;
}

Eval Simulation::begin_again(bool keep_step) {
  formulas_.forget();
  defects_.jump();
  formulation_->parametrize(state_, y_);
  integrator_->set_tolerance(
      local_tolerance(*formulation_, options_, integrator_->method().traits()));
  const auto translated = [this](double t, CView before, View now) {
    return formulation_->translate(formulation_->within(t), before, now);
  };
  if (keep_step && integrator_->change_variables(translated)) return Eval::ok;
  return integrator_->restart(state_.t, y_, keep_step);
}

// The formulation chooses its coordinates anew; the integration starts afresh with them.
bool Simulation::parametrize_again() {
  renew_ = false;
  Eval e = recover(integrator_->t(), integrator_->y());
  const bool other = equations_that_hold() != active_ || changed_;
  changed_ = false;
  if (e == Eval::ok) e = other ? build_again() : begin_again(true);
  report_events(state_.t);
  if (e == Eval::ok) return !asked_to_stop_;
  if (e == Eval::fatal && failure_) return false;
  failure_ = name_cause(fault_at(
      "numeric.singular", "no independent coordinates can be chosen here", integrator_->t()));
  return false;
}

// At an event: its consequences for the state, then on with new modes.
bool Simulation::react() {
  renew_ = false;
  if (failure_ || asked_to_stop_) return false;
  Eval e = recover(integrator_->t(), integrator_->y());
  if (e == Eval::ok) failure_ = switching_.react(state_);
  if (!failure_) failure_ = derived_across_friction();
  report_switches();
  if (failure_ || asked_to_stop_) return false;
  if (e == Eval::ok && equations_that_hold() != active_) {
    e = build_again();
    if (e == Eval::fatal) return false;
  } else if (e == Eval::ok) {
    switching_.watch(*formulation_, state_);
    e = begin_again(false);
    if (e == Eval::ok && quadrature_ && !quadrature_->start(state_)) e = Eval::retry;
  }
  report_events(state_.t);
  if (e == Eval::ok) {
    look_behind_event();
    return !asked_to_stop_;
  }
  failure_ = name_cause(fault_at("numeric.not-finite",
                                 "the equations of motion cannot be evaluated after an event",
                                 integrator_->t()));
  return false;
}

void Simulation::report(const Event& event) {
  if (asked_to_stop_ || !watcher_.event) return;
  asked_to_stop_ = watcher_.event(event) == Flow::stop;
}

void Simulation::report_switches() {
  for (const auto& event : switching_.take_events()) report(event);
}

void Simulation::report_events(double t) {
  for (auto& event : formulation_->take_events()) {
    if (event.kind == "singular-pose") ++passages_;
    report({t, std::move(event.kind), "", std::move(event.text)});
  }
}

Eval Simulation::recover(double t, CView y) {
  return recover(t, y, state_);
}

Eval Simulation::recover(double t, CView y, State& state) {
  const Eval e = formulation_->recover(formulation_->within(t), y, state);
  state.mode = switching_.mode();
  state.slide = switching_.slide();
  if (e == Eval::ok) formulation_->balance(multipliers_, state);
  step_.undetermined = multipliers_.undetermined();
  return e == Eval::ok && quadrature_ && !quadrature_->at(state) ? Eval::retry : e;
}

// Within the last step.
bool Simulation::recover_from_beside(double t) {
  constexpr double part_of_step = 0.01;  // how far apart they are
  Method& method = integrator_->method();
  const double d = part_of_step * std::abs(integrator_->t() - method.previous_time());
  between_.resize(integrator_->y().size());
  return d > 0 && state_between(
                      system_,
                      t,
                      d,
                      [&](double at, State& out) {
                        if (method.interpolate(at, between_) != Eval::ok ||
                            recover(at, between_) != Eval::ok)
                          return false;
                        out = state_;
                        return true;
                      },
                      state_);
}

Flow Simulation::cannot_recover(double t) {
  failure_ = name_cause(cannot_project(t));
  return Flow::stop;
}

// The distance of looks that the motion so far asks for says nothing of what begins: behind events and
// where steps become much shorter, looks follow the time since.
double Simulation::distance_of_looks(double t) const {
  const double longest = std::abs(options_.until - from_) / fewest_looks;
  const double wanted = std::min(watcher_.look_distance(), longest);
  return std::min(wanted, close_looks * std::abs(t - short_from_));
}

void Simulation::follow_steps(const StepRecord& record) {
  const double h = std::abs(record.t - record.t_old);
  if (h < sharply * usual_step_ && !switching_.stopped() && !switching_.at_corner(record.t)) {
    short_from_ = record.t_old;
    usual_step_ = h;
  } else {
    usual_step_ = std::max(h, usual_step_ + followed * (h - usual_step_));
  }
}

// Looks inside the last step, from the last look on, where they would be too far apart.
Flow Simulation::look_between(double t) {
  if (!watcher_.look) return Flow::go_on;
  const double longest = std::abs(options_.until - from_) / fewest_looks;
  const double wanted = distance_of_looks(t);
  Method& method = integrator_->method();
  const double way = t < looked_ ? -1 : 1;
  const double from = way * std::max(way * looked_, way * method.previous_time());
  const double gap = std::abs(t - from);
  if (!(gap > 2 * wanted)) return Flow::go_on;
  const int parts = static_cast<int>(
      std::min(gap > 2 * longest ? fewest_looks : most_looks_between, std::ceil(gap / wanted)));
  between_.resize(integrator_->y().size());
  for (int k = 1; k < parts; ++k) {
    const double at = from + (t - from) * k / parts;
    if (method.interpolate(at, between_) != Eval::ok) break;
    if (look(at, between_, false) == Flow::stop) return Flow::stop;
  }
  return Flow::go_on;
}

// No run ends because somebody looked: what cannot be seen is left out.
Flow Simulation::look(double t, CView y, bool event) {
  if (recover(t, y, looked_at_) != Eval::ok || step_.undetermined) return Flow::go_on;
  if (!followed_to(looked_at_)) return Flow::stop;
  looked_ = t;
  step_.impulses = switching_.impulses();
  if (watcher_.look(t, looked_at_, step_, event) == Flow::stop) asked_to_stop_ = true;
  return asked_to_stop_ ? Flow::stop : Flow::go_on;
}

bool Simulation::at_break(double t) const {
  const double near = beside(breaks_.times);
  const auto next = std::lower_bound(breaks_.times.begin(), breaks_.times.end(), t - 2 * near);
  return next != breaks_.times.end() && *next <= t + 2 * near;
}

// Steps far shorter than the motion asks for are passed over. Behind a break of what follows time
// another piece of motion begins.
Flow Simulation::look_at_step(const StepRecord& record) {
  if (!watcher_.look) return Flow::go_on;
  const bool behind_break = at_break(record.t);
  const bool event = switching_.stopped() || behind_break, corner = switching_.at_corner(record.t);
  const double distance = watcher_.passed_over * distance_of_looks(record.t);
  if (event || corner) short_from_ = record.t;
  if (!event && !corner && std::abs(record.t - looked_) < distance) return Flow::go_on;
  const Flow flow = look(record.t, record.y, event);
  if (switching_.stopped() || !(behind_break || corner)) return flow;
  watcher_.jump();
  return corner && flow == Flow::go_on ? look(record.t, record.y, false) : flow;
}

void Simulation::look_behind_event() {
  if (!watcher_.look || asked_to_stop_) return;
  watcher_.jump();
  (void)look(integrator_->t(), integrator_->y(), true);
}

Flow Simulation::output(double t, CView y) {
  if (look_between(t) == Flow::stop) return Flow::stop;
  if (recover(t, y) != Eval::ok && !recover_from_beside(t)) return cannot_recover(t);
  if (!followed_to(state_)) return Flow::stop;
  ++delivered_;
  looked_ = t;
  step_.impulses = switching_.impulses();
  if (watcher_.row && watcher_.row(t, state_, step_) == Flow::stop) asked_to_stop_ = true;
  return asked_to_stop_ ? Flow::stop : Flow::go_on;
}

Flow Simulation::step(const StepRecord& record) {
  step_.h = record.h;
  step_.order = record.order;
  const bool beyond =
      (record.t - options_.until) * record.h > 0;  // of methods that run past the end
  follow_steps(record);
  if (look_between(beyond ? options_.until : record.t) == Flow::stop) return Flow::stop;
  if (quadrature_ && !quadrature_->step(record.t, record.y)) return cannot_recover(record.t);
  if (follower_ != nullptr) {
    if ((failure_ = follower_->step())) return Flow::stop;
    if (at_break(record.t)) follower_->jump();
  }
  failure_ =
      formulation_->accepted(formulation_->within(record.t), record.y, record.h, record.attempts);
  follow_gains();
  if (!failure_ && !switching_.stopped()) failure_ = judge(record);  // else from within the step
  if (!failure_ && !beyond && look_at_step(record) == Flow::stop) return Flow::stop;
  report_events(record.t);
  if (system_.friction().count() > 0 &&
      pivot_ratio(formulation_->equations_of_motion()) < near_singular_ratio)
    weigh_friction(record);
  report_switches();
  if (failure_ || asked_to_stop_ || switching_.stopped() ||
      (adaptive() && switching_.kink_at(record.t)))
    return Flow::stop;
  if (switching_.any()) {
    if (recover(record.t, record.y) != Eval::ok) return cannot_recover(record.t);
    if (switching_.check(state_)) return Flow::stop;
  }
  const bool goes_on = (target_ - record.t) * record.h > 0;
  const bool grown = goes_on && size_ && size_->step(judged_);
  if (grown) options_.atol = size_->atol();
  renew_ = goes_on && (formulation_->stale() || grown);
  if (change_over_due()) {
    if (recover(record.t, record.y) != Eval::ok) return cannot_recover(record.t);
    changed_ = change_over();
    renew_ = renew_ || changed_;
  }
  if (choice_.due(formulation_->equations_of_motion())) {
    if (recover(record.t, record.y) != Eval::ok) return cannot_recover(record.t);
    choose_equations();
  }
  if (renew_) return Flow::stop;
  if (watcher_.step && watcher_.step(record.t) == Flow::stop) asked_to_stop_ = true;
  return asked_to_stop_ ? Flow::stop : Flow::go_on;
}

// Steps beside a singular pose.
void Simulation::weigh_friction(const StepRecord& record) {
  constexpr int looks = 8;
  Method& method = integrator_->method();
  const double d = (record.t - record.t_old) / looks;
  double work = 0, duration = 0, from = 0;
  int strongest = -1;
  bool last = false;
  between_.resize(integrator_->y().size());
  for (int k = 0; k < looks; ++k) {
    const double t = record.t_old + (k + 0.5) * d;
    last = method.interpolate(t, between_) == Eval::ok &&
           recover(t, between_, looked_at_) == Eval::ok && multipliers_.undetermined();
    if (!last) continue;
    if (duration == 0) from = t;
    work += multipliers_.friction().power() * std::abs(d);
    duration += std::abs(d);
    if (multipliers_.friction().strongest() >= 0) strongest = multipliers_.friction().strongest();
  }
  if (strongest >= 0)
    friction_.add(from, duration, work, system_.friction_label(strongest), undetermined_);
  undetermined_ = last;
}

std::optional<Diagnostic> Simulation::judge(const StepRecord& record) {
  if (!formulation_->accepted_state(record.y, judged_)) return {};
  judged_.t = formulation_->within(record.t);
  judged_.mode = switching_.mode();
  judged_.slide = switching_.slide();
  if (quadrature_) judged_.z = quadrature_->last();
  look_back(record);
  if (auto note = stability_.step(judged_, active_)) notes_.push_back(std::move(*note));
  return judge_.step(judged_);
}

// What is narrow along the motion is not stepped over (formula_watch.h).
bool Simulation::look_ahead(double t, CView y) {
  ahead_.u = state_.u;
  ahead_.mode = switching_.mode();
  ahead_.slide = switching_.slide();
  const Eval e = formulation_->recover(formulation_->within(t), y, ahead_);
  ahead_.t = t;
  return e == Eval::ok;
}

double Simulation::longest_step_to(double t, CView y) {
  const Method& method = integrator_->method();
  if (formulas_.begun() != method.time()) {
    if (!look_ahead(method.time(), method.state())) return std::numeric_limits<double>::infinity();
    formulas_.begin(ahead_);
  }
  if (!look_ahead(t, y)) return std::numeric_limits<double>::infinity();
  return formulas_.longest(ahead_, false);
}

// Steps of given length can only be judged.
void Simulation::look_back(const StepRecord& record) {
  if (fixed_order_ >= StepDefect::least_order && fixed_order_ <= StepDefect::most_order)
    defects_.step(judged_,
                  target_ < from_ ? -options_.step : options_.step,
                  judge_.damping(),
                  formulation_->gains() ? formulation_.get() : nullptr);
  if (!formulas_.any()) return;
  judged_.u = state_.u;
  if (fixed_order_ > 0 && !hidden_ && formulas_.begun() == record.t_old &&
      formulas_.longest(judged_, true) < std::abs(record.h))
    hidden_.emplace(record.t_old, formulas_.found());
  formulas_.begin(judged_);
}

Diagnostic Simulation::name_cause(Diagnostic d) const {
  return cardan::name_cause(formulation_->equations_of_motion(), std::move(d));
}

// One that is not made for singular poses and ends next to one: the mechanism need not lock there.
// A given step may only be too large.
void Simulation::name_formulation(Diagnostic& d) const {
  const FormulationEntry* entry = find_formulation(options_.formulation);
  if (!adaptive() || entry == nullptr || entry->passes || d.id == "limit.steps" ||
      !(pivot_ratio(formulation_->equations_of_motion()) < near_singular_ratio))
    return;
  d.id = "numeric.singular";
  d.found = fmt::format("formulation \"{}\" cannot go on at t = {:.6g} s, next to a singular pose",
                        options_.formulation,
                        d.t);
  d.hint =
      "formulation \"projected\", \"partitioned\" and others pass singular poses; where they end "
      "too, "
      "the mechanism locks";
}

}  // namespace cardan
