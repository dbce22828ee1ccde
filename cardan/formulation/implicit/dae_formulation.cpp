#include "cardan/formulation/implicit/dae_formulation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/formulation/explicit/independent_choice.h"
#include "cardan/formulation/explicit/partition.h"
#include "cardan/formulation/explicit/wanted_coordinates.h"
#include "cardan/formulation/method_settings.h"
#include "cardan/ode/archive_lists.h"
#include "cardan/ode/registry.h"

namespace cardan {

namespace {

// Dependent coordinates are chosen anew when unit motions of the independent ones move them by so
// much, and by so many times what it was at first.
constexpr double wide_spread = 20, times_wider = 5;
constexpr double open_position = 1e-6;  // of the mechanism's size
constexpr int most_approaches = 5;      // towards the constraints, by Newton's matrix of the step
constexpr double good_enough = 1e-13;   // of the mechanism's size and speed
constexpr double closer = 0.5;          // and what a pass leaves at most, to be worth another

Result<std::unique_ptr<Method>> make_dae_method(const DynamicOptions& options,
                                                OdeProblem& problem) {
  MethodOptions o = method_options(options);
  const bool fixed = options.step > 0;
  if (fixed) o.variant.clear();  // those of bdf control their error
  const std::string_view bdf = fixed ? "bdf-fixed" : "bdf",
                         radau = fixed ? "radau-fixed" : "radau5";
  return make_method(options.integrator == "radau5" ? radau : bdf, o, problem);
}

}  // namespace

DaeFormulation::DaeFormulation(const FormulationSetting& setting,
                               const DaeKind& kind,
                               std::vector<int> wanted)
    : Absolute(setting),
      kind_(kind),
      equations_(motion_),
      at_(equations_, kind),
      watch_(setting),
      algebraic_(at_.size, 0),
      wanted_(std::move(wanted)),
      pose_(at_.q),
      velocity_(at_.v),
      force_(at_.v),
      zero_(at_.lambda, 0.0),
      residual_(at_.size),
      there_y_(at_.size),
      row_(at_.size) {
  std::fill(algebraic_.begin() + static_cast<std::ptrdiff_t>(at_.at_a),
            algebraic_.begin() + static_cast<std::ptrdiff_t>(at_.at_z),
            1);
}

std::unique_ptr<Method> DaeFormulation::own_method(const DynamicOptions& options) {
  auto made = make_dae_method(options, *this);
  return made ? std::move(made).value() : nullptr;
}

MadeFormulation make_dae(const FormulationSetting& setting, const DaeKind& kind) {
  auto wanted = wanted_coordinates(setting);
  if (!wanted) return wanted.why();
  auto made = std::make_unique<DaeFormulation>(setting, kind, std::move(wanted).value());
  if (const auto method = make_dae_method(setting.options, *made); !method) return method.why();
  return std::unique_ptr<Formulation>(std::move(made));
}

// ---------------------------------------------------------------- states

void DaeFormulation::parametrize(const State& state, View y) {
  std::fill(y.begin(), y.end(), 0.0);
  Absolute::parametrize(state, y);
  begun_ = state;
  stale_ = false;
  if (!kind_.dependent) return;
  const bool again = newton_ != nullptr;
  choose_dependent(state);
  if (again) events_.push_back({"repartition", "dependent coordinates were chosen anew"});
  newton_.reset();
  if (shifts_reserved_ > 0) reserve(shifts_reserved_);
}

// Equations and dependent coordinates are paired as they come: B spans the same space.
void DaeFormulation::choose_dependent(const State& state) {
  equations_.evaluate_constraints(state.t, state.q);
  std::vector<int> rows;
  for (std::size_t r = 0; r < at_.lambda; ++r)
    if (motion_.active()[r] != 0) rows.push_back(static_cast<int>(r));
  std::vector<double> weights(at_.v);
  for (std::size_t k = 0; k < at_.v; ++k)
    weights[k] = equations_.is_angle(static_cast<int>(k)) ? 1 / equations_.length() : 1;
  if (std::isnan(first_choice_)) first_choice_ = state.t;
  if (state.t != first_choice_) wanted_.clear();  // later choices follow the pose
  const bool first =
      !wanted_.empty() &&
      wanted_first(wanted_, active_jacobian(system_, motion_.active(), state.t, state.q));
  independent_ =
      first ? wanted_ : independent_velocities(equations_.constraint_jacobian(), rows, weights);
  const std::vector<int>& free = independent_;
  dependent_.assign(at_.lambda, -1);
  int k = 0;
  for (std::size_t r = 0; r < at_.lambda; ++r) {
    if (motion_.active()[r] == 0) continue;
    while (std::binary_search(free.begin(), free.end(), k)) ++k;
    dependent_[r] = k++;
  }
  first_spread_ = 0;
}

bool DaeFormulation::accepted_state(CView y, State& state) const {
  std::copy_n(y.begin(), n_q_, state.q.begin());
  std::copy_n(v(y).begin(), n_v_, state.v.begin());
  std::copy_n(z(y).begin(), n_z_, state.z.begin());
  return true;
}

Tolerance DaeFormulation::tolerance(const DynamicOptions& options) const {
  Tolerance tolerance = Absolute::tolerance(options);
  for (std::size_t i = 0; i < at_.size; ++i)
    if (algebraic_[i] != 0) tolerance.ignored[i] = true;
  return tolerance;
}

std::string DaeFormulation::component_name(int i) const {
  const auto k = static_cast<std::size_t>(i);
  const auto equation = [&](std::size_t first) {
    return system_.equation_label(static_cast<int>(k - first));
  };
  if (k < at_.at_v) return system_.position_label(i);
  const auto coordinate = [&](std::size_t first) {
    return system_.coordinate_label(static_cast<int>(k - first));
  };
  if (k < at_.at_a) return "velocity of " + coordinate(at_.at_v);
  if (k < at_.at_lambda) return "equation of motion of " + coordinate(at_.at_a);
  const std::string velocities = ", of velocities";
  if (k < at_.at_mu)
    return equation(at_.at_lambda) + (kind_.accelerations ? ", of accelerations" : velocities);
  if (k < at_.at_eta) return equation(at_.at_mu);
  if (k < at_.at_z) return equation(at_.at_eta) + velocities;
  return system_.states().label(static_cast<int>(k - at_.at_z));
}

std::optional<Diagnostic> DaeFormulation::accepted(double t, CView y, double, long) {
  const bool far = pivot_ratio(motion_) > watched_ratio;
  return watch_.step(motion_, t, q(y), v(y), z(y), events_, far);
}

Eval DaeFormulation::complete(double t, View y) {
  std::fill(y.begin() + static_cast<std::ptrdiff_t>(at_.at_a),
            y.begin() + static_cast<std::ptrdiff_t>(at_.at_z),
            0.0);
  renew_quaternions(y);
  const View a = y.subspan(at_.at_a, at_.v);
  const Eval e = equations_.accelerations(t, q(y), v(y), z(y), a, lambda_);
  for (std::size_t r = 0; r < at_.lambda; ++r)
    if (motion_.active()[r] == 0) lambda_[r] = 0;
  if (!kind_.split)
    std::copy(
        lambda_.begin(), lambda_.end(), y.begin() + static_cast<std::ptrdiff_t>(at_.at_lambda));
  return e;
}

Eval DaeFormulation::project(double t, View y, View) {
  renew_quaternions(y);
  if (!keeps_constraints()) return Eval::ok;
  motion_.use_states(z(y));
  if (const Eval e = motion_.linearise(t, q(y)); e != Eval::ok) return e;
  near_constraints(t, y);
  if (const Eval e = motion_.project_positions(t, q(y)); e != Eval::ok) return e;
  if (const Eval e = motion_.project_velocities(t, q(y), v(y)); e != Eval::ok) return e;
  settle(t, y);
  return Eval::ok;
}

// Right sides c phi and c (phi_q v - nu) into residual_; how many times they are larger than what is near enough.
double DaeFormulation::take_violations(double t, CView y, double c) {
  equations_.evaluate_constraints(t, unit_pose(y));
  const double reach = system_.length() + as_vector(q(y)).cwiseAbs().maxCoeff(),
               speed = as_vector(v(y)).cwiseAbs().maxCoeff() * std::max(1.0, system_.length()),
               least = std::numeric_limits<double>::min();
  std::fill(residual_.begin(), residual_.end(), 0.0);
  const View first = View(residual_).subspan(at_.at_mu, at_.lambda),
             second = View(residual_).subspan(kind_.accelerations ? at_.at_eta : at_.at_lambda,
                                              at_.lambda);
  equations_.multiply_phi_q(v(y), second);
  double largest = 0;
  for (std::size_t r = 0; r < at_.lambda; ++r) {
    const bool kept = motion_.active()[r] != 0;
    const bool holonomic = kept && !equations_.at_velocity_level(static_cast<int>(r));
    first[r] = holonomic ? equations_.phi()[r] : 0;
    second[r] = kept ? second[r] - equations_.nu()[r] : 0;
    largest = std::max({largest,
                        std::abs(first[r]) / (good_enough * reach + least),
                        std::abs(second[r]) / (good_enough * speed + least)});
    first[r] *= c;
    second[r] *= c;
  }
  return largest;
}

// Towards the constraints by Newton's matrix of the step, in which stiff forces go along. Not next to a singular pose,
// which motion_ knows of: there the matrix of another pose is none for this one.
void DaeFormulation::near_constraints(double t, View y) {
  const auto real =
      std::find_if(shifts_.begin(), shifts_.end(), [](const Shift& s) { return s.im == 0; });
  if (newton_ == nullptr || real == shifts_.end() || !rates_.stiff(std::abs(real->re))) return;
  if (pivot_ratio(motion_) < near_singular_ratio) return;
  const int k = static_cast<int>(real - shifts_.begin());
  double before = take_violations(t, y, real->re);
  for (int pass = 0; pass < most_approaches && before > 1; ++pass) {
    std::copy(y.begin(), y.end(), there_y_.begin());
    newton_->solve(k, residual_, {});
    for (std::size_t i = 0; i < at_.at_a; ++i) y[i] += residual_[i];
    const double now = take_violations(t, y, real->re);
    if (!(now < closer * before)) {
      if (!(now < before)) std::copy(there_y_.begin(), there_y_.end(), y.begin());
      return;
    }
    before = now;
  }
}

// Newton's iteration ends when q and v are right, which may leave accelerations and multipliers as far off as
// the derivatives are old. Methods predict from them, and polynomials make such a rest several times as
// large: it would grow from step to step where drivers leave nothing to iterate for.
void DaeFormulation::settle(double t, View y) {
  const View a = y.subspan(at_.at_a, at_.v);
  ++stats().f;
  if (equations_.accelerations(t, q(y), v(y), z(y), velocity_, lambda_) != Eval::ok) return;
  std::copy(velocity_.begin(), velocity_.end(), a.begin());
  for (std::size_t r = 0; r < at_.lambda; ++r)
    if (motion_.active()[r] == 0) lambda_[r] = 0;
  const View rest = y.subspan(at_.at_lambda, at_.at_z - at_.at_lambda);
  std::fill(rest.begin(), rest.end(), 0.0);
  if (!kind_.split) std::copy(lambda_.begin(), lambda_.end(), rest.begin());
}

// With the factor of the pose: the last one may be from far away.
Eval DaeFormulation::recover(double t, CView y, State& full) {
  if (const Eval e = motion_.linearise(t, unit_pose(y)); e != Eval::ok) return e;
  row_.assign(y.begin(), y.end());
  if (keeps_constraints()) near_constraints(t, row_);
  return Absolute::recover(t, row_, full);
}

void DaeFormulation::serialize(Archive& archive) {
  archive.mark(kind_.name);
  watch_.serialize(archive);
  passage_.serialize(archive);
  if (kind_.dependent) {
    archive.io(dependent_);
    require_within(archive, dependent_, -1, system_.v_size() - 1);
    archive.io(first_spread_);
    archive.io(stale_);
    if (archive.loading() && archive.good()) {
      newton_.reset();
      if (shifts_reserved_ > 0) reserve(shifts_reserved_);
    }
  }
  if (newton_ != nullptr) newton_->serialize(archive);
}

// ---------------------------------------------------------------- the equations

CView DaeFormulation::unit_pose(CView y) {
  const CView given = q(y);
  if (system_.space() == Space::planar) return given;
  std::copy(given.begin(), given.end(), pose_.begin());
  equations_.normalise(pose_);
  return pose_;
}

CView DaeFormulation::multipliers(CView y) {
  return kind_.split ? CView(lambda_) : part(y, at_.at_lambda, at_.lambda);
}

// The multipliers for which the rest of the equations of motion has no part along the normals.
Eval DaeFormulation::split(double t, CView y) {
  const CView here = unit_pose(y), a = part(y, at_.at_a, at_.v);
  if (const Eval e = equations_.factor(t, here); e != Eval::ok) return e;
  ++stats().factorization;
  if (const Eval e = equations_.evaluate(t, here, v(y), zero_, z(y)); e != Eval::ok) return e;
  equations_.multiply_M(a, force_);
  for (std::size_t k = 0; k < at_.v; ++k) force_[k] = equations_.Q()[k] - force_[k];
  equations_.solve(force_, zero_, velocity_, lambda_);
  return Eval::ok;
}

Eval DaeFormulation::f(double t, CView y, View dy) {
  if (newton_ == nullptr) reserve(1);
  if (kind_.split)
    if (const Eval e = split(t, y); e != Eval::ok) return e;
  const CView here = unit_pose(y), speed = v(y), a = part(y, at_.at_a, at_.v),
              lambda = multipliers(y);
  if (const Eval e = equations_.evaluate(t, here, speed, lambda, z(y)); e != Eval::ok) return e;
  std::copy(speed.begin(), speed.end(), velocity_.begin());
  if (kind_.carried) newton_->add_normals(part(y, at_.at_mu, at_.lambda), -1, velocity_);
  equations_.rate(here, velocity_, q(dy));
  const View v_dot = v(dy), motion = dy.subspan(at_.at_a, at_.v);
  std::copy(a.begin(), a.end(), v_dot.begin());
  if (kind_.carried && kind_.accelerations)
    newton_->add_normals(part(y, at_.at_eta, at_.lambda), -1, v_dot);
  equations_.multiply_M(a, motion);
  for (std::size_t k = 0; k < at_.v; ++k) motion[k] = equations_.Q()[k] - motion[k];
  equations_.add_phi_qT(lambda, -1, motion);
  const View third = dy.subspan(at_.at_lambda, at_.lambda),
             first = dy.subspan(at_.at_mu, at_.lambda),
             second = kind_.accelerations ? dy.subspan(at_.at_eta, at_.lambda) : third;
  if (kind_.accelerations) equations_.multiply_phi_q(a, third);
  for (std::size_t r = 0; r < at_.lambda; ++r) {
    const bool kept = motion_.active()[r] != 0;
    const bool holonomic = kept && !equations_.at_velocity_level(static_cast<int>(r));
    first[r] = holonomic ? equations_.phi()[r] : 0;
    if (kind_.accelerations) third[r] = kept ? third[r] - equations_.gamma()[r] : 0;
  }
  equations_.multiply_phi_q(speed, second);
  for (std::size_t r = 0; r < at_.lambda; ++r)
    second[r] = motion_.active()[r] != 0 ? second[r] - equations_.nu()[r] : 0;
  std::copy(equations_.w().begin(), equations_.w().end(), z(dy).begin());
  return Eval::ok;
}

// ---------------------------------------------------------------- Newton's systems

void DaeFormulation::make_newton() {
  equations_.linearise(begun_.t, begun_.q, begun_.v, velocity_, zero_, begun_.z);
  newton_ = std::make_unique<DaeNewton>(equations_, kind_, dependent_);
}

void DaeFormulation::reserve(int shifts) {
  shifts_reserved_ = std::max(shifts_reserved_, shifts);
  if (newton_ == nullptr) {
    std::fill(velocity_.begin(), velocity_.end(), 0.0);
    make_newton();
  }
  newton_->reserve(shifts_reserved_);
  shifts_.reserve(static_cast<std::size_t>(shifts_reserved_));
  shifts_.clear();
}

Eval DaeFormulation::setup(double t, CView y, CView, std::span<const Shift> shifts, Reuse allowed) {
  if (allowed == Reuse::nothing) {
    shifts_.clear();
    if (kind_.split)
      if (const Eval e = split(within(t), y); e != Eval::ok) return e;
    ++stats().jacobian;
    newton_->linearise(within(t), unit_pose(y), y, multipliers(y));
    rates_ = {equations_.M(), equations_.Q_q(), equations_.Q_v()};
  }
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const bool same =
        k < shifts_.size() && shifts[k].re == shifts_[k].re && shifts[k].im == shifts_[k].im;
    if (allowed == Reuse::factors && same) continue;
    ++stats().factorization;
    if (!newton_->factor(static_cast<int>(k), {shifts[k].re, shifts[k].im})) {
      shifts_.clear();
      return Eval::retry;
    }
  }
  shifts_.assign(shifts.begin(), shifts.end());
  if (kind_.dependent && allowed == Reuse::nothing && shifts.size() == 1)
    watch_dependent(unit_pose(y));
  return Eval::ok;
}

// How far dependent coordinates move with the independent ones.
void DaeFormulation::watch_dependent(CView pose) {
  std::fill(residual_.begin(), residual_.end(), 0.0);
  std::fill(velocity_.begin(), velocity_.end(), 1.0);
  for (const int k : dependent_)
    if (k >= 0) velocity_[static_cast<std::size_t>(k)] = 0;
  const View moved = View(residual_).first(at_.q);
  equations_.rate(pose, velocity_, moved);
  newton_->solve(0, residual_, {});
  equations_.tangent(pose, moved, velocity_);
  const double spread = as_vector(CView(velocity_)).cwiseAbs().maxCoeff();
  if (first_spread_ == 0) first_spread_ = spread;
  stale_ = spread > std::max(wide_spread, times_wider * first_spread_);
}

Eval DaeFormulation::solve(int k, View re, View im) {
  ++stats().solve;
  if (im.empty()) {
    std::copy(re.begin(), re.end(), residual_.begin());
    residual_shift_ = shifts_[static_cast<std::size_t>(k)].re;
  }
  newton_->solve(k, re, im);
  return Eval::ok;
}

// A joint that is open, or else the equation of motion that is worst met.
std::string DaeFormulation::residual_text() const {
  const auto worst = [&](std::size_t first, std::size_t last) {
    const auto begin = residual_.begin();
    const auto smaller = [](double a, double b) {
      return std::abs(a) < std::abs(b);
    };
    return static_cast<std::size_t>(std::max_element(begin + static_cast<std::ptrdiff_t>(first),
                                                     begin + static_cast<std::ptrdiff_t>(last),
                                                     smaller) -
                                    begin);
  };
  if (at_.v == 0) return {};
  std::size_t at = worst(at_.at_a, at_.at_lambda);
  if (at_.lambda > 0) {
    const std::size_t open = worst(at_.at_mu, at_.at_eta);
    if (std::abs(residual_[open] / residual_shift_) > open_position * system_.length()) at = open;
  }
  return fmt::format(
      "{}: residual {:.3g}", component_name(static_cast<int>(at)), residual_[at] / residual_shift_);
}

}  // namespace cardan
