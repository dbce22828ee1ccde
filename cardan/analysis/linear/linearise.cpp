#include "cardan/analysis/linear/linearise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/dynamic/switching.h"
#include "cardan/analysis/linear/linear_response.h"
#include "cardan/analysis/sensitivity/eigenvalue_slopes.h"
#include "cardan/analysis/sensitivity/start_slopes.h"
#include "cardan/analysis/sensitivity/steady_slopes.h"
#include "cardan/results/run_reader.h"
#include "cardan/system/motion_solver.h"
#include "cardan/system/unit_forces.h"

namespace cardan {

namespace {

constexpr double at_rest = 1e-8;       // velocities and accelerations, in sizes and fastest motions
constexpr double look_ahead = 1e-2;    // in times of the fastest motion
constexpr double steady_to = 1e-5;     // change of the coefficients in that time, per its length
constexpr double growth_noise = 1e-9;  // of the largest eigenvalue
constexpr double pressed_share = 1e-9;  // of the largest multiplier

NumberMatrix numbers_of(const Eigen::MatrixXd& x) {
  NumberMatrix out;
  for (Eigen::Index r = 0; r < x.rows(); ++r) {
    out.emplace_back();
    for (Eigen::Index c = 0; c < x.cols(); ++c) out.back().push_back(x(r, c) == 0 ? 0 : x(r, c));
  }
  return out;
}

class LineariseRun {
 public:
  LineariseRun(const AnalysisTask& task, const LineariseOptions& options)
      : task_(task),
        system_(task.system),
        options_(options),
        state_(task.assembly.state),
        switching_(task.system, task.assembly.mobility.active) {}

  Summary go() {
    summary_.analysis = "linearise";
    summary_.dof = task_.assembly.mobility.dof;
    summary_.redundant = static_cast<int>(task_.assembly.mobility.redundant.size());
    if (!options_.times.empty()) {
      fail(follow());
    } else if (!fail(work())) {
      auto fault = task_.recording.open();
      if (!fault) fault = task_.recording.row(state_.t, state_);
      fail(fault);
    }
    summary_.t_end = state_.t;
    task_.recording.write_times(summary_);
    task_.recording.write(summary_, state_);
    return std::move(summary_);
  }

 private:
  using Fault = std::optional<Diagnostic>;

  bool fail(Fault d) {
    if (!d) return false;
    summary_.status = "failed";
    if (d->where.file == nullptr) d->where = options_.where;
    summary_.diagnostics.push_back(std::move(*d));
    return true;
  }

  void note(std::string id, std::string found, std::string expected, std::string hint = "") {
    Diagnostic d = fault_at(std::move(id), std::move(found));
    d.severity = Severity::note;
    d.where = options_.where;
    d.expected = std::move(expected);
    d.hint = std::move(hint);
    summary_.diagnostics.push_back(std::move(d));
  }

  // Along a motion: the linear equations at each of the times. What is told in full is that of the
  // last.
  Fault follow() {
    if (auto fault = refuse_times()) return fault;
    DynamicOptions options;
    options.where = options_.where;
    options.until = options_.times.back();
    options.rtol = options_.rtol;
    options.atol = options_.atol;
    const Mobility mobility = task_.assembly.mobility;
    Simulation motion(system_, mobility, options, state_);
    motion.rows_at(options_.times);
    Fault failure;
    motion.watch({[&](double, const State& state, const StepInfo&) {
                    failure = instant(state);
                    return failure ? Flow::stop : Flow::go_on;
                  },
                  [](double) { return Flow::go_on; },
                  [](const Event&) { return Flow::go_on; },
                  [this] {
                    return task_.recording.cancelled();
                  }});
    if (auto fault = motion.prepare()) return fault;
    if (auto fault = task_.recording.open()) return fault;
    if (auto fault = motion.start()) return fault;
    const Simulation::Stop stop = motion.step_to(options_.times.back());
    if (failure) return failure;
    if (stop.why == Simulation::Stop::Why::failed) return stop.reason;
    for (const Diagnostic& d : motion.doubts()) {
      summary_.status = "doubtful";
      summary_.diagnostics.push_back(d);
    }
    if (task_.recording.cancelled()) {
      summary_.status = "interrupted";
      summary_.diagnostics.push_back(stopped_on_request(state_.t));
      return {};
    }
    task_.assembly.state = state_;
    summary_.linear->along = std::move(along_);
    return {};
  }

  Fault refuse_times() const {
    Diagnostic d = fault_at("model.bad-value", "");
    d.expected = "times that grow, from the start on";
    for (std::size_t k = 0; k < options_.times.size(); ++k)
      if (options_.times[k] < (k == 0 ? state_.t : options_.times[k - 1])) {
        d.found = fmt::format("times: {:g} s", options_.times[k]);
        return d;
      }
    d.id = "model.not-available";
    d.expected = "linear equations at the start, or behind an `equilibrium` analysis";
    if (task_.parameters != nullptr) {
      d.found = "sensitivities along a motion";
      return d;
    }
    if (!options_.locus.empty()) {
      d.found = "a root locus along a motion";
      return d;
    }
    return {};
  }

  Fault instant(const State& state) {
    state_ = state;
    model_ = {};
    inputs_.clear();
    channels_.clear();
    constant_ = true;
    if (auto fault = work()) return fault;
    const LinearModel& x = *summary_.linear;
    along_.push_back({state.t, x.about, x.stability, x.eigenvalues, x.M, x.C_damping, x.K, x.A});
    return task_.recording.row(state_.t, state_);
  }

  Fault work() {
    if (auto fault = complete_state()) return fault;
    if (auto fault = find_inputs()) return fault;
    if (auto fault = find_outputs()) return fault;
    if (auto fault = linear_equations()) return fault;
    if (auto fault = find_slopes()) return fault;
    write_motions();
    write_responses();
    return {};
  }

  // Modes, accelerations and multipliers where the analysis starts.
  Fault complete_state() {
    if (switching_.any()) {
      State begun = state_;
      if (auto fault = switching_.begin(begun)) return fault;
      for (std::size_t k = 0; k < begun.v.size(); ++k)
        if (std::abs(begun.v[k] - state_.v[k]) > 1e-9 * (1 + std::abs(state_.v[k])))
          return not_linear("an impact where the linearisation starts", "a state without impact");
      state_.mode = begun.mode;
      state_.slide = begun.slide;
      active_ = switching_.active();
    } else {
      active_ = task_.assembly.mobility.active;
    }
    MotionSolver solver(system_, active_);
    system_.use(state_, solver.work());
    state_.a.resize(state_.v.size());
    state_.lambda.assign(static_cast<std::size_t>(system_.equations().rows()), 0.0);
    if (solver.accelerations(state_.t, state_.q, state_.v, state_.a, state_.lambda) != Eval::ok)
      return name_cause(
          solver,
          fault_at("numeric.singular", "the accelerations cannot be computed here", state_.t));
    return smooth();
  }

  Diagnostic not_linear(std::string found, std::string expected) const {
    Diagnostic d = fault_at("model.not-available", std::move(found), state_.t);
    d.expected = std::move(expected);
    d.hint = "linear equations need a motion that is smooth about the state";
    return d;
  }

  // Limits that are closed push, and no condition of a formula is on its boundary.
  Fault smooth() {
    double largest = 0;
    for (const double x : state_.lambda) largest = std::max(largest, std::abs(x));
    for (std::size_t k = 0; k < system_.limits().size(); ++k) {
      const auto& limit = system_.limits()[k];
      if (active_[static_cast<std::size_t>(limit.row)] == 0) continue;
      const double push = -limit.sign * state_.lambda[static_cast<std::size_t>(limit.row)];
      if (push <= pressed_share * largest)
        return not_linear(limit.words + ", which touches without a force",
                          "stops and contacts that are open, or pressed together");
    }
    const std::size_t conditions = system_.conditions().size();
    if (conditions == 0) return {};
    Workspace w = system_.workspace();
    system_.use(state_, w);
    system_.rotations(state_.q, w);
    std::vector<double> values(conditions);
    system_.condition_values(state_.t, state_.q, state_.v, w, values);
    for (std::size_t k = 0; k < conditions; ++k)
      if (values[k] == 0)
        return not_linear("a condition on its boundary in " + system_.conditions()[k],
                          "conditions that hold or do not hold about the state too");
    return {};
  }

  Diagnostic unknown_input(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& input : system_.model_inputs()) names.push_back(input.name);
    for (const auto& info : system_.constraints())
      if (info.kind == Kind::driver) names.push_back(info.name);
    for (const auto& force : system_.forces()) names.push_back(force.name);
    Diagnostic d = fault_at("model.unknown-name", fmt::format("inputs: '{}'", name));
    d.expected = "the name of an input, a driver or a force";
    const std::string near = nearest_name(name, names);
    if (!near.empty()) d.hint = fmt::format("did you mean '{}'?", near);
    return d;
  }

  Fault find_inputs() {
    for (const std::string& name : options_.inputs) {
      const std::size_t before = inputs_.size();
      if (auto fault = model_input(name)) return fault;
      if (auto fault = driver_input(name)) return fault;
      force_input(name);
      if (inputs_.size() == before) return unknown_input(name);
    }
    return {};
  }

  Fault model_input(const std::string& name) {
    const auto& all = system_.model_inputs();
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k].name != name) continue;
      if (all[k].motion != nullptr) {
        Diagnostic d = fault_at("model.not-available",
                                fmt::format("input '{}', which follows a function of time", name));
        d.expected = "an input with a value";
        return d;
      }
      LinearInput input;
      input.name = name;
      input.unit = all[k].unit;
      input.place = static_cast<int>(k);
      inputs_.push_back(std::move(input));
    }
    return {};
  }

  Fault driver_input(const std::string& name) {
    for (const auto& info : system_.constraints()) {
      if (info.kind != Kind::driver || info.name != name) continue;
      if (active_[static_cast<std::size_t>(info.rows.front())] == 0) {
        Diagnostic d =
            fault_at("model.not-available",
                     fmt::format("driver '{}', which follows from other equations", name));
        d.expected = "a driver that is not redundant";
        return d;
      }
      LinearInput input;
      input.kind = LinearInput::Kind::driver;
      input.name = name;
      input.unit = unit_text(system_.unit_kind(info.rows.front()));
      input.place = info.rows.front();
      inputs_.push_back(std::move(input));
    }
    return {};
  }

  void force_input(const std::string& name) {
    for (const auto& force : system_.forces()) {
      if (name.substr(0, force.name.size()) != force.name) continue;
      std::vector<UnitForce> parts = unit_forces(system_, force, state_);
      for (UnitForce& part : parts) {
        if (name != force.name && name != part.name) continue;
        LinearInput input;
        input.kind = LinearInput::Kind::force;
        input.name = parts.size() == 1 ? name : part.name;
        input.unit = part.unit;
        input.Q = std::move(part.Q);
        inputs_.push_back(std::move(input));
      }
    }
  }

  Fault find_outputs() {
    const Recorder recorder(system_, {}, redundant());
    for (const std::string& pattern : options_.outputs) {
      const auto found = select_channels(recorder.channels(), std::vector<std::string>{pattern});
      if (!found) return found.why().front();
      for (const int k : found.value()) {
        const Channel& channel = recorder.channels()[static_cast<std::size_t>(k)];
        if (channel.quantity == "residual" || channel.quantity == "step") {
          Diagnostic d =
              fault_at("model.not-available", fmt::format("outputs: '{}'", channel.name));
          d.expected = "channels of the mechanism";
          return d;
        }
        channels_.push_back(k);
        model_.outputs.push_back({channel.name, channel.unit});
      }
    }
    return {};
  }

  bool redundant() const { return !task_.assembly.mobility.indeterminate.empty(); }

  // In the coordinates in which the coefficients change least.
  Fault linear_equations() {
    Result<LinearSystem> first = linear_system(system_, active_, state_, inputs_, {});
    if (!first) return first.why().front();
    linear_ = std::move(first).value();
    pairs_ = motion_pairs(linear_);
    rate_ = pairs_.values.size() > 0 ? pairs_.values.cwiseAbs().maxCoeff() : 0;
    rate_ = std::max(rate_, speed());
    if (rate_ == 0) rate_ = 1;
    model_.about = "equilibrium";
    if (resting()) return {};
    State ahead;
    if (auto fault = move_ahead(ahead)) return fault;
    double least = std::numeric_limits<double>::infinity();
    LinearSystem best;
    for (const LinearSetting& setting : {LinearSetting{LinearAxes::of_ground, 0.3},
                                         LinearSetting{LinearAxes::of_body, 1},
                                         LinearSetting{LinearAxes::of_body, 0.3}}) {
      auto here = linear_system(system_, active_, state_, inputs_, setting);
      if (!here) return here.why().front();
      LinearSetting same = setting;
      same.like = &here.value();
      const auto later = linear_system(system_, active_, ahead, inputs_, same);
      if (!later) return later.why().front();
      const double change = difference(here.value(), later.value());
      if (change < least) {
        least = change;
        best = here.value();
      }
      if (least <= steady_to) break;
    }
    linear_ = std::move(best);
    pairs_ = motion_pairs(linear_);
    constant_ = least <= steady_to;
    model_.about = constant_ && steady(ahead) ? "steady motion" : "motion";
    if (!constant_ && options_.times.empty())
      note(
          "numeric.frozen-coefficients",
          "the state is no equilibrium and no steady motion: the linear equations change with time",
          "an equilibrium or a steady motion; these eigenvalues hold for times in which the "
          "equations "
          "change little, and stability is not judged",
          "to begin at rest put an [[analysis]] of type \"equilibrium\" before this one");
    return {};
  }

  // Bodies keep their speeds.
  bool steady(const State& ahead) const {
    double change = 0;
    for (int k = 0; system_.own() != nullptr && k < system_.v_size(); ++k)
      change = std::max(
          change,
          std::abs(ahead.v[static_cast<std::size_t>(k)] - state_.v[static_cast<std::size_t>(k)]));
    const int n = system_.body_size(), shifts = system_.dimension();
    for (int b = 0; b < system_.body_count(); ++b) {
      const int k = system_.layout().v(b);
      const auto v = as_vector(CView(state_.v)).segment(k, n),
                 later = as_vector(CView(ahead.v)).segment(k, n);
      change =
          std::max({change,
                    std::abs(later.head(shifts).norm() - v.head(shifts).norm()) / system_.length(),
                    std::abs(later.tail(n - shifts).norm() - v.tail(n - shifts).norm())});
    }
    return change <= steady_to * rate_ * look_ahead;
  }

  double speed() const {  // 1/s
    double largest = 0;
    for (int k = 0; k < system_.v_size(); ++k)
      largest = std::max(largest,
                         std::abs(state_.v[static_cast<std::size_t>(k)]) /
                             (system_.layout().turns(k) ? 1 : system_.length()));
    return largest;
  }

  bool resting() const {
    double acceleration = 0;
    for (int k = 0; k < system_.v_size(); ++k)
      acceleration = std::max(acceleration,
                              std::abs(state_.a[static_cast<std::size_t>(k)]) /
                                  (system_.layout().turns(k) ? 1 : system_.length()));
    if (system_.depends_on_time()) return false;
    std::vector<double> z_dot(state_.z.size());
    Workspace w = system_.workspace();
    system_.use(state_, w);
    system_.rotations(state_.q, w);
    system_.evaluate_forces(state_.t, state_.q, state_.v, w);
    system_.state_rates(state_.t, state_.q, state_.v, state_.lambda, w, z_dot);
    double rate = 0;
    for (auto k = static_cast<std::size_t>(system_.states().first_of_model()); k < z_dot.size();
         ++k)
      rate = std::max(rate, std::abs(z_dot[k]) / (1 + std::abs(state_.z[k])));
    return speed() <= at_rest * rate_ && acceleration <= at_rest * rate_ * rate_ &&
           rate <= at_rest * rate_;
  }

  // The state a little later: one step of the classical Runge-Kutta method.
  Fault move_ahead(State& out) {
    const double h = look_ahead / rate_;
    MotionSolver solver(system_, active_);
    system_.use(state_, solver.work());

    struct Rates {
      std::vector<double> q, v, z;
    };

    State s = state_;
    bool good = true;
    const auto rates = [&](double t, Rates& k) {
      k.q.resize(s.q.size());
      k.v.resize(s.v.size());
      k.z.resize(s.z.size());
      system_.normalise(s.q);
      solver.use_states(s.z);
      good = good && solver.accelerations(t, s.q, s.v, k.v, s.lambda) == Eval::ok;
      system_.rate(s.q, s.v, k.q);
      Workspace& w = solver.work();
      system_.rotations(s.q, w);
      system_.evaluate_forces(t, s.q, s.v, w);
      system_.state_rates(t, s.q, s.v, s.lambda, w, k.z);
    };
    const auto go = [&](double by, const Rates& k) {
      const auto add = [&](std::vector<double>& to,
                           const std::vector<double>& from,
                           const std::vector<double>& rate) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + by * rate[i];
      };
      add(s.q, state_.q, k.q);
      add(s.v, state_.v, k.v);
      add(s.z, state_.z, k.z);
    };
    std::array<Rates, 4> k;
    rates(state_.t, k[0]);
    go(h / 2, k[0]);
    rates(state_.t + h / 2, k[1]);
    go(h / 2, k[1]);
    rates(state_.t + h / 2, k[2]);
    go(h, k[2]);
    rates(state_.t + h, k[3]);
    const auto mean = [](const std::vector<double>& a,
                         const std::vector<double>& b,
                         const std::vector<double>& c,
                         std::vector<double>& d) {
      for (std::size_t i = 0; i < d.size(); ++i) d[i] = (a[i] + 2 * (b[i] + c[i]) + d[i]) / 6;
    };
    mean(k[0].q, k[1].q, k[2].q, k[3].q);
    mean(k[0].v, k[1].v, k[2].v, k[3].v);
    mean(k[0].z, k[1].z, k[2].z, k[3].z);
    go(h, k[3]);
    s.t = state_.t + h;
    system_.normalise(s.q);
    solver.use_states(s.z);
    good = good && solver.accelerations(s.t, s.q, s.v, s.a, s.lambda) == Eval::ok;
    if (!good)
      return name_cause(
          solver, fault_at("numeric.singular", "the motion cannot be followed here", state_.t));
    out = std::move(s);
    return {};
  }

  // Largest change of a coefficient over look_ahead, in units of lengths and of the fastest motion.
  double difference(const LinearSystem& here, const LinearSystem& later) const {
    Eigen::VectorXd unit(here.states());
    const auto nx = static_cast<Eigen::Index>(here.x.size()),
               nw = static_cast<Eigen::Index>(here.w.size());
    unit.setOnes();
    for (Eigen::Index k = 0; k < nx; ++k)
      unit[k] = here.kinds[static_cast<std::size_t>(k)] == UnitKind::angle ? 1 : system_.length();
    for (Eigen::Index k = 0; k < nw; ++k) {
      const auto of = std::find(here.x.begin(), here.x.end(), here.w[static_cast<std::size_t>(k)]);
      unit[nx + k] = rate_ * unit[of - here.x.begin()];
    }
    if (here.states() == 0) return 0;
    const Eigen::MatrixXd change =
        unit.cwiseInverse().asDiagonal() * (later.A - here.A) * unit.asDiagonal();
    return change.cwiseAbs().maxCoeff() / (rate_ * look_ahead);
  }

  // Of the state that the equations are linear about: an equilibrium moves with a parameter, a
  // steady motion too; any other state is known where the model starts.
  Fault state_slopes() {
    const ParameterSteps& steps = *task_.parameters;
    if (model_.about != "equilibrium") {
      if (task_.first) return start_slopes(system_, active_, steps, state_, slopes_);
      Mobility mobility = task_.assembly.mobility;
      mobility.active = active_;
      return steady_slopes(system_, mobility, steps, state_, slopes_);
    }
    const StateTable::Entry* entry = system_.states().first_coupled();
    if (entry != nullptr) {
      Diagnostic d = fault_at("model.not-available",
                              "sensitivities of an equilibrium with a state that forces read");
      d.element = entry->label;
      return d;
    }
    return ParameterSlopes(system_, active_, steps).at_rest(state_, slopes_);
  }

  // Of the eigenvalues, and of the row that is recorded.
  Fault find_slopes() {
    if (task_.parameters == nullptr) return {};
    if (auto fault = state_slopes()) return fault;
    for (std::size_t p = 0; p < slopes_.size(); ++p) {
      const ParameterStep& step = (*task_.parameters)[p];
      const auto A_p = matrix_slope(system_, active_, state_, step, slopes_[p], linear_);
      if (!A_p) return A_p.why().front();
      EigenvalueSlopes out{step.parameter.name, step.unit, {}};
      for (const std::complex<double> x : eigenvalue_slopes(pairs_, linear_.A, A_p.value()))
        out.derivatives.push_back({x.real(), x.imag()});
      model_.sensitivities.push_back(std::move(out));
    }
    task_.recording.slopes_by([this](const State&, std::vector<StateSlope>& slopes_of) -> Fault {
      slopes_of = slopes_;
      return {};
    });
    return {};
  }

  void write_motions() {
    for (std::size_t k = 0; k < linear_.names.size(); ++k)
      model_.states.push_back({linear_.names[k], linear_.units[k]});
    model_.coordinates = static_cast<int>(linear_.x.size());
    model_.rates = static_cast<int>(linear_.w.size());
    double largest = 0, growth = -std::numeric_limits<double>::infinity();
    bool undecided = false;
    for (const std::complex<double> x : pairs_.values) largest = std::max(largest, std::abs(x));
    for (const std::complex<double> x : pairs_.values) {
      model_.eigenvalues.push_back({x.real(), x.imag()});
      if (x == 0.0) ++model_.neutral;
      undecided = undecided || std::abs(x.real()) <= growth_noise * largest;
      growth = std::max(growth, x.real());
    }
    if (constant_)
      model_.stability = growth > growth_noise * largest ? "unstable"
                         : undecided                     ? "neutral"
                                                         : "stable";
    model_.modes = vibration_modes(system_, state_, linear_, pairs_);
    model_.M = numbers_of(linear_.M);
    model_.C_damping = numbers_of(linear_.C);
    model_.K = numbers_of(linear_.K);
    model_.A = numbers_of(linear_.A);
  }

  void write_responses() {
    for (const LinearInput& input : inputs_) model_.inputs.push_back({input.name, input.unit});
    const LinearOutputs y =
        linear_outputs(system_, state_, linear_, inputs_, channels_, redundant(), rate_);
    const StateSpace space = state_space(linear_, y);
    if (!inputs_.empty()) model_.B = numbers_of(space.B);
    if (!channels_.empty()) model_.C = numbers_of(space.C);
    if (!inputs_.empty() && !channels_.empty()) {
      model_.D = numbers_of(space.D);
      if (!space.D_rate.isZero(0)) model_.D_rate = numbers_of(space.D_rate);
      if (!space.D_acceleration.isZero(0)) model_.D_acceleration = numbers_of(space.D_acceleration);
      write_frequency_response(y);
    } else if (!options_.frequencies.empty()) {
      note("usage.unused-option",
           "frequencies without inputs and outputs",
           "names of both; there is no response without them");
    }
    summary_.linear = std::move(model_);
  }

  void write_frequency_response(const LinearOutputs& y) {
    for (const double frequency : options_.frequencies) {
      const auto found = frequency_response(linear_, y, frequency);
      if (!found) {
        note("numeric.not-finite",
             fmt::format("no response at {:.6g} Hz: it is the frequency of an undamped motion",
                         frequency),
             "another frequency, or damping");
        continue;
      }
      ResponsePoint point{frequency, {}};
      for (Eigen::Index r = 0; r < found->rows(); ++r) {
        point.response.emplace_back();
        for (Eigen::Index c = 0; c < found->cols(); ++c)
          point.response.back().push_back({(*found)(r, c).real(), (*found)(r, c).imag()});
      }
      model_.frequency_response.push_back(std::move(point));
    }
  }

  const AnalysisTask& task_;
  const System& system_;
  const LineariseOptions& options_;
  State state_;
  Switching switching_;
  std::vector<char> active_;
  std::vector<LinearInput> inputs_;
  std::vector<int> channels_;
  LinearSystem linear_;
  EigenPairs pairs_;
  std::vector<StateSlope> slopes_;
  double rate_ = 1;
  bool constant_ = true;  // coefficients
  LinearModel model_;
  std::vector<LinearInstant> along_;
  Summary summary_;
};

}  // namespace

Summary run_linearise(const AnalysisTask& task, const LineariseOptions& options) {
  return LineariseRun(task, options).go();
}

}  // namespace cardan
