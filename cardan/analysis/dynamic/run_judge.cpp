#include "cardan/analysis/dynamic/run_judge.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"

namespace cardan {

namespace {

constexpr double share = 30;              // of rtol and the energy: what a step may change it by
constexpr double least_share = 3e-4;      // of the energy: below, no run is doubtful
constexpr double most_share = 0.03;       // of the energy: above, no run is right
constexpr double hardly_begun = 1e-3;     // of the energy moved since
constexpr double usual_part = 0.01;       // of rtol: the usual atol
constexpr double most_of_time = 0.05;     // of the run: longer is no beginning
constexpr double explosion = 1e4;         // times the energy while it was sound
constexpr double mostly_explained = 0.5;  // imbalance of the energy moved: it has a source
constexpr long settled = 5;          // steps until an explosion has something to be compared with
constexpr double round_off = 1e-11;  // of the potential energy's level
constexpr long few_steps = 10;       // over a span in which something may happen at any time

}  // namespace

RunJudge::RunJudge(const System& system)
    : system_(system), work_(system.workspace()), lengths_(system) {
  for (const auto& body : system.bodies()) weight_ += body.mass * 9.81;
}

void RunJudge::begin(const Setting& setting, const State& state) {
  setting_ = setting;
  if (steps_ > 0) return;
  const Energy e = energy_of(system_, state, work_);
  balance_ = e.balance();
  potential_ = e.potential;
  level_ = std::abs(e.potential);
  moved_ = sound_ = std::abs(e.kinetic);  // of coordinates that turn it may be negative
  t_ = state.t;
  dissipated_ = e.dissipated;
  lowest_ = e.potential;
}

double RunJudge::energy_bound() const {
  const double noise = round_off * level_ + 10 * weight_ * setting_.atol;
  if (!setting_.controlled) {
    const double counted = std::min(moved_, 2 * std::max(exchanged_, most_share * moved_));
    return most_share * counted + noise;
  }
  const double part =
      std::clamp(share * setting_.rtol * static_cast<double>(steps_), least_share, most_share);
  return part * moved_ + noise;
}

std::optional<Diagnostic> RunJudge::step(const State& state) {
  ++steps_;
  if (auto stop = judge_constraints(state)) return stop;
  return judge_energy(state);
}

std::optional<Diagnostic> RunJudge::judge_energy(const State& state) {
  if (state.mode.size() == work_.mode.size()) work_.mode = state.mode;
  const Energy e = energy_of(system_, state, work_);
  const double exchanged = std::abs(e.potential - potential_) + std::abs(e.dissipated) +
                           std::abs(e.applied) + std::abs(e.drivers);
  const double moved = std::abs(e.kinetic) + exchanged;
  const double imbalance = std::abs(e.balance() - balance_);
  moved_ = std::max(moved_, moved);
  exchanged_ = std::max(exchanged_, exchanged);
  level_ = std::max(level_, std::abs(e.potential));
  worst_ = std::max(worst_, imbalance);
  const double bound = energy_bound(), lasted = std::abs(state.t - t_);
  t_ = state.t;
  lowest_ = std::min(lowest_, e.potential);
  const double lost = e.dissipated - dissipated_,
               moving = std::abs(e.kinetic) + e.potential - lowest_;
  damping_ = lost > 0 && moving > 0 ? std::min(1.0, 0.5 * lost / moving) : 0;
  dissipated_ = e.dissipated;
  // Where a motion had hardly begun, its noise was that of the usual tolerance.
  if (unbalanced_.found && unbalanced_.energy < hardly_begun * moved_ &&
      worst_ <= bound + 10 * weight_ * usual_part * setting_.rtol)
    unbalanced_.found = false;
  if (imbalance <= mostly_explained * moved) sound_ = std::max(sound_, moved);
  if (imbalance <= bound) return {};
  beyond_ += lasted;
  if (!unbalanced_.found) unbalanced_ = {true, state.t, imbalance, bound, moved_};
  const double known = std::max(sound_, std::abs(potential_));
  const bool exploded =
      !setting_.own_bound && steps_ > settled && known > 0 && imbalance > explosion * known;
  if (!exploded && std::isfinite(imbalance)) return {};
  Diagnostic d =
      fault_at("numeric.unstable",
               fmt::format("the energy grew by {:.3g} J out of nothing, where the motion "
                           "has had {:.3g} J",
                           imbalance,
                           known),
               state.t);
  d.expected = "an energy that changes by the work of forces and drivers alone";
  d.hint = setting_.controlled ? "use a tighter tolerance or another formulation"
                               : "use a smaller step, or an integrator that chooses its steps";
  return d;
}

double RunJudge::violation(const State& state) {
  const Equations& equations = system_.equations();
  system_.rotations(state.q, work_);
  equations.phi(system_.config(state.t, state.q, work_), work_.phi);
  double worst = 0;
  scaled_.resize(static_cast<std::size_t>(system_.joint_rows()));
  for (int row = 0; row < system_.joint_rows(); ++row) {
    const auto r = static_cast<std::size_t>(row);
    scaled_[r] = lengths_.length(row, work_.phi[r]);
    if (!(std::abs(scaled_[r]) <= worst)) worst = std::abs(scaled_[r]);
  }
  violations_.take(scaled_);
  if (rates_) take_rates(state);
  return worst;
}

// phi_q v - nu, in the pose that work_ has the rotations of.
void RunJudge::take_rates(const State& state) {
  const Equations& equations = system_.equations();
  const Config here = system_.config(state.t, state.q, work_);
  equations.phi_q(here, work_.packed);
  equations.nu(here, work_.nu);
  residual_.resize(static_cast<std::size_t>(equations.rows()));
  equations.multiply(work_.packed, state.v, residual_);
  rate_.resize(scaled_.size());
  for (int row = 0; row < system_.joint_rows(); ++row) {
    const auto r = static_cast<std::size_t>(row);
    const double scale = system_.unit_kind(row) == UnitKind::angle ? system_.length() : 1.0;
    rate_[r] = scale * (residual_[r] - work_.nu[r]);
  }
  rate_violations_.take(rate_);
  joints_.take(system_, scaled_, rate_);
}

std::optional<Diagnostic> RunJudge::judge_constraints(const State& state) {
  if (system_.joint_rows() == 0) return {};
  const double found = violation(state);
  if (!std::isfinite(setting_.kept_violation) || found <= setting_.kept_violation) return {};
  Diagnostic d =
      fault_at("numeric.drift", fmt::format("the joints are open by {:.3g} m", found), state.t);
  d.expected = fmt::format("at most {:.3g} m, as in the rest of the run", setting_.kept_violation);
  d.hint = "the mechanism may lock here; look at the pose, or use a tighter tolerance";
  int worst = 0;
  for (int row = 0; row < system_.joint_rows(); ++row) {
    const double value = work_.phi[static_cast<std::size_t>(row)];
    d.worst.push_back({system_.equation_label(row), value});
    if (std::abs(value) > std::abs(work_.phi[static_cast<std::size_t>(worst)])) worst = row;
  }
  std::stable_sort(d.worst.begin(), d.worst.end(), [](const Gap& a, const Gap& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  d.worst.resize(std::min<std::size_t>(d.worst.size(), 3));
  d.element = system_.constraints()[static_cast<std::size_t>(system_.constraint_of(worst))].words();
  return d;
}

bool RunJudge::lasting(double span) const {
  if (!unbalanced_.found) return false;
  return setting_.controlled || beyond_ > most_of_time * span || worst_ > energy_bound();
}

Diagnostics RunJudge::doubts(double span) const {
  Diagnostics list;
  const auto add = [&](std::string found, std::string expected, std::string hint, double t) {
    Diagnostic d = fault_at("numeric.doubtful", std::move(found), t);
    d.severity = Severity::warning;
    d.expected = std::move(expected);
    d.hint = std::move(hint);
    list.push_back(std::move(d));
  };
  if (lasting(span))
    add(fmt::format("these results are doubtful: the energy balance is off by {:.3g} J (up to "
                    "{:.3g} J later), the energy moved is {:.3g} J",
                    unbalanced_.imbalance,
                    worst_,
                    unbalanced_.energy),
        fmt::format("at most {:.3g} J with these settings", unbalanced_.bound),
        setting_.controlled
            ? "compare with a tighter rtol, a smaller max_step, or `cardan compare`"
            : "compare with a smaller step, or with an integrator that chooses its steps",
        unbalanced_.t);
  if (setting_.short_events && steps_ < few_steps && span > 0)
    add(fmt::format("these results are doubtful: {} steps for {:.3g} s, in a model whose forces, "
                    "drivers or contacts may act within a short time",
                    steps_,
                    span),
        fmt::format("at least {} steps", few_steps),
        "compare with a smaller step or max_step",
        0);
  return list;
}

void RunJudge::serialize(Archive& archive) {
  archive.mark("judge");
  archive.io(steps_);
  violations_.serialize(archive);
  archive.io(rates_);
  if (rates_) {
    rate_violations_.serialize(archive);
    joints_.serialize(archive, system_.constraints().size());
  }
  for (double* x : {&balance_,
                    &potential_,
                    &moved_,
                    &exchanged_,
                    &sound_,
                    &level_,
                    &worst_,
                    &t_,
                    &beyond_,
                    &dissipated_,
                    &lowest_,
                    &damping_,
                    &unbalanced_.t,
                    &unbalanced_.imbalance,
                    &unbalanced_.bound,
                    &unbalanced_.energy})
    archive.io(*x);
  archive.io(unbalanced_.found);
}

}  // namespace cardan
