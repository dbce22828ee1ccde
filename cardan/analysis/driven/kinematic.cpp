#include "cardan/analysis/driven/kinematic.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/driven/driven_motion.h"
#include "cardan/analysis/driven/lost_contacts.h"
#include "cardan/analysis/driven/range_run.h"
#include "cardan/analysis/dynamic/driver_impulse.h"
#include "cardan/analysis/dynamic/switching.h"
#include "cardan/analysis/dynamic/time_breaks_of.h"
#include "cardan/analysis/sensitivity/lock_up_slopes.h"
#include "cardan/analysis/sensitivity/parameter_slopes.h"
#include "cardan/analysis/sensitivity/slope_crossing.h"
#include "cardan/math/root_finding.h"
#include "cardan/ode/archive_lists.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

namespace {

constexpr double power_tolerance = 1e-9;   // of the largest power
constexpr double energy_tolerance = 1e-6;  // Simpson's error; that of Boole is far below
constexpr int most_halvings = 10;
constexpr double most_looks_between_rows = 64;  // where the motion is fast
constexpr long most_rows = 100'000;
constexpr double conflict_tolerance = 1e-8;  // m per length: equations left out as redundant

void add_slope(const StateSlope& from, double factor, StateSlope& to) {
  for (auto part : {&StateSlope::theta, &StateSlope::v, &StateSlope::a, &StateSlope::lambda})
    for (std::size_t k = 0; k < (to.*part).size(); ++k) (to.*part)[k] += factor * (from.*part)[k];
}

struct Grid {
  SourcePos where;
  double until, output_step;
};

class DrivenRun {
 public:
  DrivenRun(const AnalysisTask& task, Grid grid, const char* name, bool forces)
      : task_(task),
        grid_(std::move(grid)),
        forces_(forces),
        state_(task.assembly.state),
        row_(state_),
        motion_(task.system, task.assembly.mobility, state_),
        dynamics_(task.system, task.assembly.mobility.active),
        lost_(task.system),
        switching_(task.system, task.assembly.mobility.active) {
    summary_.analysis = name;
    summary_.dof = task.assembly.mobility.dof;
    summary_.redundant = static_cast<int>(task.assembly.mobility.redundant.size());
    if (forces) task.recording.keep_peaks();
  }

  Summary go() {
    const double from = state_.t;
    if (!refused(from) && follow(from)) check_powers();
    for (Diagnostic& d : lost_.warnings()) summary_.diagnostics.push_back(std::move(d));
    summary_.t_end = row_.t;
    summary_.stats.steps = motion_.steps();
    summary_.stats.newton_iterations = motion_.iterations();
    summary_.singular_poses = motion_.singular_poses();
    derive_lock_up();
    task_.recording.write_times(summary_);
    fail(task_.recording.end_rows());
    if (auto coarse = task_.recording.too_coarse();
        coarse && grid_.output_step > 0 && ended_well(summary_)) {
      coarse->where = grid_.where;
      summary_.diagnostics.insert(summary_.diagnostics.begin(), std::move(*coarse));
    }
    task_.recording.write(summary_, row_);
    state_ = row_;
    return std::move(summary_);
  }

 private:
  bool fail(std::optional<Diagnostic> d) {
    if (!d) return false;
    summary_.status = "failed";
    if (d->where.file == nullptr) d->where = grid_.where;
    summary_.diagnostics.push_back(std::move(*d));
    return true;
  }

  bool refused(double from) {
    if (fail(not_driven(task_.system, task_.assembly.mobility, grid_.where))) return true;
    if (const StateTable::Entry* entry = task_.system.states().first_coupled()) {
      Diagnostic d = fault_at("model.not-available", "a state that is integrated in time");
      d.element = entry->label;
      d.where = entry->where;
      d.expected = "none that forces or other states read";
      d.hint = "run a dynamic analysis; drivers move the mechanism there too";
      return fail(d);
    }
    DynamicOptions rows;
    rows.until = grid_.until;
    rows.output_step = grid_.output_step;
    if (fail(too_many_outputs(from, rows))) return true;
    if (task_.parameters != nullptr && fail(derive())) return true;
    if (grid_.output_step == 0 && task_.parameters == nullptr && task_.recording.rows_follow())
      task_.recording.follow_motion(from, grid_.until, most_rows);
    if (fail(motion_.start())) return true;
    if (!task_.resume.empty() && !load()) {
      fail(fault_at("corrupt.store", "a checkpoint that does not belong to this analysis"));
      return true;
    }
    return fail(task_.recording.open());
  }

  // After a row: all that the next one follows from.
  void serialize(Archive& archive) {
    archive.mark("driven 1");
    archive.io(rows_done_);
    archive.io(breaks_done_);
    motion_.serialize(archive);
    if (archive.loading() && archive.good()) follow_equations();
    task_.recording.serialize(archive);
    const std::size_t states = row_.z.size();
    row_.lambda.resize(static_cast<std::size_t>(task_.system.equations().rows()), 0.0);
    archive.io(row_.t);
    for (auto* list : {&row_.q, &row_.v, &row_.a, &row_.lambda, &row_.z}) archive.io(*list);
    archive.io(row_.mode);
    io_or_none(archive, z_, states);
    io_or_none(archive, rates_, states);
    for (double* x : {&moved_energy_, &largest_power_, &worst_power_, &worst_at_}) archive.io(*x);
    archive.io(steps_watched_);
    lost_.serialize(archive);
    std::vector<double> pivots = dynamics_.pivot_state();
    io_or_none(archive, pivots, static_cast<std::size_t>(task_.system.q_size()) + 1);
    if (archive.loading() && archive.good()) dynamics_.restore_pivots(pivots);
  }

  bool load() {
    Archive archive(task_.resume);
    serialize(archive);
    return archive.good();
  }

  std::optional<Diagnostic> checkpoint(double t) {
    Archive archive;
    serialize(archive);
    return task_.recording.checkpoint(t, archive.bytes());
  }

  // Rows with their derivatives by parameters.
  std::optional<Diagnostic> derive() {
    if (auto fault = rolling_slopes(task_.system, motion_.active())) return fault;
    slopes_.emplace(task_.system, motion_.active(), *task_.parameters);
    task_.recording.slopes_by([this](const State& state, std::vector<StateSlope>& slopes) {
      return motion_.beside_singular(state.t) ? slopes_across(state, slopes)
                                              : slopes_->driven(state, forces_, slopes);
    });
    return {};
  }

  // Beside a singular pose that is passed: between those of the states on both sides (slope_crossing.h).
  std::optional<Diagnostic> slopes_across(const State& state, std::vector<StateSlope>& slopes) {
    const SmoothPassage& passage = *motion_.passage();
    const std::vector<double> weights = passage.weights(state.t);
    slopes.assign(task_.parameters->size(), StateSlope(task_.system));
    std::vector<StateSlope> one;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      State node = state;
      for (auto [from, to] : {std::pair(&State::q, &node.q),
                              std::pair(&State::v, &node.v),
                              std::pair(&State::a, &node.a)})
        *to = passage.states()[k].*from;
      node.t = passage.states()[k].t;
      if (!complete(node)) return no_slopes(state.t);
      if (auto fault = slopes_->driven(node, forces_, one)) return fault;
      for (std::size_t p = 0; p < one.size(); ++p) add_slope(one[p], weights[k], slopes[p]);
    }
    if (!slopes_->evaluate(state)) return no_slopes(state.t);
    SlopeCrossing crossing(task_.system, *slopes_);
    if (crossing.settle(forces_, slopes)) return {};
    return no_slopes_across((*task_.parameters)[static_cast<std::size_t>(crossing.without())],
                            passage.pose().t);
  }

  // Behind a pose that only these values of the parameters have, there is nothing to derive.
  bool derives_across(const State& before, const State& after) {
    const SmoothPassage* passage = motion_.passage();
    if (!slopes_ || passage == nullptr) return true;
    const double t = passage->pose().t;
    if (!((before.t - t) * (after.t - t) <= 0) || before.t == t) return true;
    State pose = after;
    if (!z_.empty()) pose.z = z_;
    passage->at(t, pose);
    std::vector<StateSlope> unused;
    return complete(pose) && !fail(slopes_across(pose, unused));
  }

  // Those that the motion keeps, for forces and derivatives too.
  void follow_equations() {
    if (motion_.active() == dynamics_.active()) return;
    dynamics_.activate(motion_.active());
    if (slopes_) slopes_.emplace(task_.system, motion_.active(), *task_.parameters);
  }

  // The time at which it ended, by parameters.
  void derive_lock_up() {
    if (!slopes_ || summary_.singular_poses.empty()) return;
    SingularPose& pose = summary_.singular_poses.back();
    if (pose.kind != "lock-up") return;
    const auto found = lock_up_time_slopes(task_.system,
                                           motion_.active(),
                                           motion_.state(),
                                           pose.t,
                                           motion_.easiest_motion(),
                                           *slopes_);
    if (!found) return;
    for (std::size_t p = 0; p < found->size(); ++p)
      pose.sensitivities.push_back({(*task_.parameters)[p].parameter.name, (*found)[p]});
  }

  bool follow(double from) {
    motion_.on_step = [&](const State& before, const State& after) {
      follow_equations();
      failed_ = failed_ || !derives_across(before, after);
      integrate(before, after);
      look(after);
    };
    const std::vector<double> rows = output_times(from, grid_.until, grid_.output_step);
    const double direction = grid_.until < from ? -1 : 1;
    TimeBreaks breaks = breaks_of(task_.system, from, grid_.until);
    const std::vector<DriverKink> kinks = driver_kinks(task_.system, from, grid_.until);
    const double aside = beside(breaks.times);
    impulses_.emplace(task_.system, kinks, aside, direction);
    if (direction < 0) std::reverse(breaks.times.begin(), breaks.times.end());
    if (rows_done_ == 0) begin_piece();
    if (rows_done_ > rows.size() || breaks_done_ > breaks.times.size())
      return !fail(fault_at("corrupt.store", "a checkpoint that does not belong to this analysis"));
    std::size_t& next = breaks_done_;
    if (next == 0 && !breaks.times.empty() && std::abs(breaks.times[0] - from) <= aside) {
      ++next;
      if (!pass(from, direction * aside)) return false;
    }
    for (; rows_done_ < rows.size(); ++rows_done_) {
      const double t = rows[rows_done_];
      for (; next < breaks.times.size() && (t - breaks.times[next]) * direction > aside; ++next)
        if (!cross(breaks.times[next], direction * aside, false)) return false;
      if (next < breaks.times.size() && std::abs(t - breaks.times[next]) <= aside) {
        if (!cross(breaks.times[next++], direction * aside, true)) return false;
      } else if (!go_looking(t) || !record(t)) {
        return false;
      }
      task_.recording.progress(t, from, grid_.until);
      const bool cancelled = task_.recording.cancelled();
      if ((cancelled || task_.recording.checkpoint_due()) && !keep(t)) return false;
      if (cancelled) {
        summary_.status = "interrupted";
        summary_.diagnostics.push_back(stopped_on_request(t));
        return false;
      }
    }
    return true;
  }

  bool keep(double t) {
    ++rows_done_;
    const bool kept = !fail(checkpoint(t));
    --rows_done_;
    return kept;
  }

  // From the start, and behind every break.
  void begin_piece() {
    motion_.at(motion_.state().t, row_);
    if (!z_.empty()) row_.z = z_;
    if (complete(row_)) rates_at(row_, rates_);
  }

  bool go(double t) {
    if ((t - motion_.state().t) * (grid_.until - motion_.state().t) <= 0) return true;
    if (auto lost = motion_.go_to(t)) {
      write_last();
      fail(lost);
      return false;
    }
    return !failed_;
  }

  bool record(double t) {
    motion_.at(std::abs(t - motion_.state().t) <= impulses_->beside() ? motion_.state().t : t,
               row_);
    if (!z_.empty()) row_.z = z_;
    if (!complete(row_) || fail(checked(row_))) return false;
    return !fail(task_.recording.row(t, row_, {motion_.last_step(), 0}));
  }

  // A time at which something jumps: up to it, then on behind it. Where velocities jump, there is a
  // row on either side and an impulse between them.
  bool cross(double t, double aside, bool wanted) {
    if (!go_looking(t - aside)) return false;
    const bool kink = impulses_->at(t);
    if ((kink || wanted) && !record(t)) return false;
    if (kink && forces_) {
      std::vector<Event> told;
      State state = row_;
      state.t = t;
      if (fail(impulses_->apply(dynamics_, state, told))) return false;
      z_ = state.z;
      for (const Event& event : told)
        if (fail(task_.recording.event(event))) return false;
    }
    if (!pass(t, aside)) return false;
    task_.recording.jump();
    return !kink || record(t);
  }

  // Behind what jumps at t. Where a motion begins this side alone is seen.
  bool pass(double t, double aside) {
    if (!motion_.restart(t + aside))
      return !fail(fault_at("numeric.singular", "the joints could not be closed", t));
    begin_piece();
    return true;
  }

  // To t, with looks on the way as close as the channels ask.
  bool go_looking(double t) {
    target_ = t;
    if (!task_.recording.watches()) return go(t);
    const double gap = t - motion_.state().t, least = std::abs(gap) / most_looks_between_rows;
    for (;;) {
      const double now = motion_.state().t;
      const double wanted = std::max(task_.recording.look_distance(), least);
      if (!(std::abs(t - now) > 1.5 * wanted) || (t - now) * gap <= 0) return go(t);
      if (!go(now + std::copysign(wanted, gap))) return false;
      if (motion_.state().t == now) return go(t);  // it stands beyond, out of a singular pose
    }
  }

  // At the end of a step that is not that of a row.
  void look(const State& reached) {
    if (!task_.recording.watches() || failed_ || (target_ - reached.t) * motion_.last_step() <= 0)
      return;
    looked_ = reached;
    if (!z_.empty()) looked_.z = z_;
    failed_ = !complete(looked_) ||
              fail(task_.recording.look(
                  looked_.t, looked_, {motion_.last_step(), 0}, Recording::Look::passing));
  }

  // How far it came.
  void write_last() {
    motion_.at(motion_.state().t, row_);
    if (!z_.empty()) row_.z = z_;
    if (complete(row_)) fail(task_.recording.row(row_.t, row_, {motion_.last_step(), 0}));
  }

  // Modes and multipliers of a state whose motion is known.
  bool complete(State& state) {
    state.lambda.assign(static_cast<std::size_t>(task_.system.equations().rows()), 0.0);
    if (switching_.any()) {
      State copy = state;
      if (fail(switching_.begin(copy))) return false;
      state.mode = copy.mode;
      state.slide = copy.slide;
    }
    if (!forces_) return true;
    note_rest(state);
    Workspace& work = dynamics_.work();
    task_.system.use(state, work);
    scratch_.resize(state.a.size());
    const Eval e = motion_.beside_singular(state.t)
                       ? reactions_of(state)
                       : dynamics_.accelerations(state.t, state.q, state.v, scratch_, state.lambda);
    if (e != Eval::ok) {
      Diagnostic d = fault_at("numeric.singular", "the reactions cannot be computed here", state.t);
      return !fail(name_cause(dynamics_, std::move(d)));
    }
    return true;
  }

  // Of accelerations that are known better than phi_q a = gamma tells them: phi_q times them for gamma.
  Eval reactions_of(State& state) {
    if (const Eval e = dynamics_.linearise(state.t, state.q); e != Eval::ok) return e;
    dynamics_.load(state.t, state.q, state.v);
    Workspace& work = dynamics_.work();
    task_.system.equations().multiply(work.packed, state.a, work.gamma);
    return dynamics_.finish(state.t, state.q, scratch_, state.lambda);
  }

  // Friction of what does not slide is any force within its limit.
  void note_rest(const State& state) {
    const System& system = task_.system;
    for (int k = 0; k < system.friction().count() && !rests_; ++k) {
      if (!system.sliding(k, state.mode, state.slide).holds()) continue;
      rests_ = true;
      Diagnostic d = fault_at("numeric.friction-at-rest",
                              "friction of what does not slide is not unique; it is left out there",
                              state.t);
      d.severity = Severity::warning;
      d.element = system.friction_label(k);
      d.where = grid_.where;
      summary_.diagnostics.push_back(std::move(d));
    }
  }

  void rates_at(const State& state, std::vector<double>& rates) {
    rates.assign(state.z.size(), 0.0);
    if (!forces_) return;
    Workspace& work = dynamics_.work();
    task_.system.use(state, work);
    task_.system.rotations(state.q, work);
    task_.system.evaluate_forces(state.t, state.q, state.v, work);
    task_.system.state_rates(state.t, state.q, state.v, state.lambda, work, rates);
  }

  // The energies over a step. Boole's rule on five closed poses against Simpson's on three of them
  // tells the error; intervals are halved until it is small.
  void integrate(const State& before, const State& after) {
    if (!forces_ || failed_) return;
    if (z_.empty()) z_ = row_.z;
    scratch_state_ = after;
    scratch_state_.z = z_;
    std::vector<double> end;
    if (!rates_within(after.t, end)) return;
    std::vector<double> middle;
    if (!rates_within((before.t + after.t) / 2, middle)) return;
    add_energies(before.t, after.t, rates_, middle, end, 0);
    rates_ = end;
    if (!lost_.cams().empty()) watch_cams(before.t, after.t);
  }

  // Whether a cam has to pull its follower: multipliers at five times of the step, and the time at
  // which one changes its sign.
  void watch_cams(double from, double to) {
    const auto pull = [&](double t, std::size_t k) {
      std::vector<double> unused;
      rates_within(t, unused);
      return failed_ ? 0 : scratch_state_.lambda[static_cast<std::size_t>(lost_.cams()[k].row)];
    };
    std::array<double, 5> times{};
    for (std::size_t i = 0; i < 5; ++i)
      times[i] = i == 4 ? to : from + static_cast<double>(i) / 4 * (to - from);
    for (std::size_t k = 0; k < lost_.cams().size() && !failed_; ++k) {
      double before = pull(from, k);
      if (steps_watched_ == 0 && before > 0) lose(k, from);
      for (std::size_t i = 1; i < 5 && !failed_; ++i) {
        const double after = pull(times[i], k);
        if (before <= 0 && after > 0) {
          const Root root = find_root(
              [&](double t) { return pull(t, k); }, times[i - 1], before, times[i], after, 1e-12);
          lose(k, root.after);
        }
        before = after;
      }
    }
    ++steps_watched_;
  }

  void lose(std::size_t k, double t) {
    lost_.lose(k, t);
    fail(task_.recording.event({t,
                                "contact-lost",
                                lost_.cams()[k].info->words(),
                                "cam and follower would part: from here the joint pulls"}));
  }

  bool rates_within(double t, std::vector<double>& rates) {
    motion_.within(t, scratch_state_);
    failed_ = failed_ || !complete(scratch_state_);
    if (!failed_) rates_at(scratch_state_, rates);
    return !failed_;
  }

  void add_energies(double from,
                    double to,
                    const std::vector<double>& r0,
                    const std::vector<double>& r2,
                    const std::vector<double>& r4,
                    int depth) {
    const double h = to - from;
    std::vector<double> r1, r3;
    if (!rates_within(from + h / 4, r1) || !rates_within(from + 3 * h / 4, r3)) return;
    double error = 0, size = 0;
    for (std::size_t k = 0; k < z_.size(); ++k) {
      const double simpson = h / 6 * (r0[k] + 4 * r2[k] + r4[k]);
      const double boole = h / 90 * (7 * r0[k] + 32 * r1[k] + 12 * r2[k] + 32 * r3[k] + 7 * r4[k]);
      error = std::max(error, std::abs(boole - simpson));
      size = std::max(size, std::abs(h) * (std::abs(r0[k]) + std::abs(r2[k]) + std::abs(r4[k])));
    }
    moved_energy_ = std::max(moved_energy_, size);
    if (error > energy_tolerance * moved_energy_ && depth < most_halvings) {
      add_energies(from, from + h / 2, r0, r1, r2, depth + 1);
      add_energies(from + h / 2, to, r2, r3, r4, depth + 1);
      return;
    }
    for (std::size_t k = 0; k < z_.size(); ++k)
      z_[k] += h / 90 * (7 * r0[k] + 32 * r1[k] + 12 * r2[k] + 32 * r3[k] + 7 * r4[k]);
  }

  // Of a row: equations that were left out hold too, and the powers balance.
  std::optional<Diagnostic> checked(const State& state) {
    const double violation = dynamics_.position_violation(state.t, state.q);
    if (violation > conflict_tolerance * task_.system.length()) {
      Diagnostic d = fault_at(
          "assembly.conflict",
          fmt::format(
              "joints or drivers that contradict each other from here on: a gap of {:.3g} m",
              violation),
          state.t);
      d.expected = "redundant equations that agree";
      return d;
    }
    if (forces_) add_powers(state);
    return {};
  }

  void add_powers(const State& state) {
    const System& system = task_.system;
    Workspace& work = dynamics_.work();
    std::vector<double> inertia(state.a.size(), 0.0);
    system.multiply_mass(state.t, state.q, state.a, inertia);
    double sum = 0, size = 0;
    const auto add = [&](double power) {
      sum += power;
      size = std::max(size, std::abs(power));
    };
    double kinetic = 0, applied = 0, drivers = 0;
    for (std::size_t k = 0; k < state.v.size(); ++k) {
      kinetic += state.v[k] * inertia[k];
      applied += state.v[k] * work.Q[k];
    }
    system.equations().nu(system.config(state.t, state.q, work), work.nu);
    for (std::size_t r = 0; r < work.nu.size(); ++r) drivers += state.lambda[r] * work.nu[r];
    add(kinetic);
    add(-applied);
    add(drivers);
    largest_power_ = std::max(largest_power_, size);
    if (std::abs(sum) > worst_power_) {
      worst_power_ = std::abs(sum);
      worst_at_ = state.t;
    }
  }

  void check_powers() {
    if (!forces_) return;
    summary_.power_imbalance = largest_power_ > 0 ? worst_power_ / largest_power_ : 0;
    if (summary_.power_imbalance <= power_tolerance) return;
    Diagnostic d = fault_at(
        "numeric.doubtful",
        fmt::format(
            "these results are doubtful: the powers of drivers, forces and inertia differ by "
            "{:.3g} W of {:.3g} W",
            worst_power_,
            largest_power_),
        worst_at_);
    d.severity = Severity::warning;
    d.where = grid_.where;
    summary_.status = "doubtful";
    summary_.diagnostics.push_back(std::move(d));
  }

  const AnalysisTask& task_;
  Grid grid_;
  bool forces_;
  State& state_;
  State row_;
  DrivenMotion motion_;
  MotionSolver dynamics_;
  LostContacts lost_;
  Switching switching_;
  bool rests_ = false;  // told that friction at rest is not unique
  std::optional<ParameterSlopes> slopes_;
  Summary summary_;
  std::optional<DriverImpulses> impulses_;
  State scratch_state_;
  bool failed_ = false;                          // between rows
  std::size_t rows_done_ = 0, breaks_done_ = 0;  // of the times of rows and breaks

  long steps_watched_ = 0;
  State looked_;
  double target_ = 0;  // of the next row
  std::vector<double> scratch_, z_, rates_;
  double moved_energy_ = 0;
  double largest_power_ = 0, worst_power_ = 0, worst_at_ = 0;
};

}  // namespace

Summary run_kinematic(const AnalysisTask& task, const KinematicOptions& o) {
  if (o.range) return run_range(task, o);
  return DrivenRun(task, {o.where, o.until, o.output_step}, "kinematic", false).go();
}

Summary run_inverse(const AnalysisTask& task, const InverseOptions& o) {
  return DrivenRun(task, {o.where, o.until, o.output_step}, "inverse", true).go();
}

}  // namespace cardan
