#include "cardan/formulation/explicit/absolute.h"

#include <algorithm>

#include "cardan/formulation/coordinate_tolerances.h"
#include "cardan/formulation/method_settings.h"

namespace cardan {

namespace {

constexpr int most_near = 5;           // passes towards the constraints by the matrices of a step
constexpr double nearer = 0.5;         // what one leaves at most, to be worth another
constexpr double near_enough = 1e-13;  // of the mechanism's size and speed

bool wants_second_order(const DynamicOptions& options) {
  const FormulationEntry* formulation = find_formulation(options.formulation);
  if (formulation != nullptr && formulation->built_in_integrator) return false;
  const auto traits = integrator_traits(options);
  return traits && traits->second_order;
}

}  // namespace

class Absolute::SecondOrder final : public SecondOrderProblem {
 public:
  explicit SecondOrder(Absolute& of) : of_(of), q_dot_(of.n_q_) { share_stats(of.stats()); }

  int velocities() const override { return static_cast<int>(of_.n_v_); }

  int positions() const override { return static_cast<int>(of_.n_q_); }

  Eval acceleration(double t, CView q, CView v, View a) override {
    return of_.accelerate(t, q, v, q_dot_, a, of_.lambda_);
  }

  void rate(CView q, CView v, View dq) const override { of_.system_.rate(q, v, dq); }

  void increment(CView q, CView d, View out) const override { of_.system_.advance(q, d, out); }

  void difference(CView q0, CView q1, View d) const override { of_.system_.difference(q1, q0, d); }

  double natural_size() override { return of_.natural_size(0); }

  std::string position_name(int i) const override { return of_.component_name(i); }

  std::string velocity_name(int i) const override { return of_.component_name(positions() + i); }

 private:
  Absolute& of_;
  std::vector<double> q_dot_;
};

Absolute::Absolute(const FormulationSetting& setting)
    : system_(setting.system),
      motion_(setting.system, setting.active),
      numbers_(motion_.work()),
      n_q_(static_cast<std::size_t>(setting.system.q_size())),
      n_v_(static_cast<std::size_t>(setting.system.v_size())),
      n_z_(static_cast<std::size_t>(setting.system.states().size())),
      lambda_(static_cast<std::size_t>(setting.system.equations().rows())),
      passage_(motion_),
      there_(setting.system),
      d_(n_v_) {
  if (!wants_second_order(setting.options)) return;
  n_z_ = 0;
  second_ = std::make_unique<SecondOrder>(*this);
}

Absolute::~Absolute() = default;

SecondOrderProblem* Absolute::second_order() {
  return second_.get();
}

Eval Absolute::accelerate(double t, CView q, CView v, View q_dot, View a, View lambda) {
  const Eval e = motion_.accelerations(t, q, v, a, lambda);
  system_.rate(q, v, q_dot);
  return e;
}

Eval Absolute::accelerate_on_constraints(
    double t, CView q, CView v, View q_dot, View a, View lambda) {
  const Eval e = passage_.motion(t, q, v, there_);
  system_.rate(there_.q, there_.v, q_dot);
  std::copy(there_.a.begin(), there_.a.end(), a.begin());
  std::copy(there_.lambda.begin(), there_.lambda.end(), lambda.begin());
  return e;
}

Eval Absolute::put_onto_constraints(double t, View q, View v) {
  if (pivot_ratio(motion_) > near_singular_ratio) {
    come_near_constraints(t, q, v);
    std::copy(q.begin(), q.end(), there_.q.begin());
    std::copy(v.begin(), v.end(), there_.v.begin());
    Eval e = motion_.project_positions(t, there_.q);
    bool near = pivot_ratio(motion_) <= near_singular_ratio;
    if (e == Eval::ok && !near) e = motion_.project_velocities(t, there_.q, there_.v);
    // The factor may be one from elsewhere: where it did not serve, the pose itself says whether a
    // singular one is near.
    if (e != Eval::ok)
      near = motion_.linearise(t, q) != Eval::ok || pivot_ratio(motion_) <= watched_ratio;
    if (!near) {
      if (e != Eval::ok) return e;
      std::copy(there_.q.begin(), there_.q.end(), q.begin());
      std::copy(there_.v.begin(), there_.v.end(), v.begin());
      return Eval::ok;
    }
  }
  if (const Eval e = passage_.motion(t, q, v, there_); e != Eval::ok) return e;
  std::copy(there_.q.begin(), there_.q.end(), q.begin());
  std::copy(there_.v.begin(), there_.v.end(), v.begin());
  return Eval::ok;
}

// Mass-orthogonal changes leave a light body behind that a stiff spring holds to a heavy one: what is
// round-off of the motion would be an acceleration.
void Absolute::come_near_constraints(double t, View q, View v) {
  const auto real =
      std::find_if(shifts_.begin(), shifts_.end(), [](const Shift& s) { return s.im == 0; });
  if (implicit_ == nullptr || !exact_ || real == shifts_.end()) return;
  if (!implicit_->rates().stiff(std::abs(real->re))) return;
  const int k = static_cast<int>(real - shifts_.begin());
  const Equations& equations = system_.equations();
  const double reach = as_vector(CView(q)).cwiseAbs().maxCoeff();
  const auto close = [&](double aim, auto&& gap, auto&& move) {
    double before = gap(CView(moved_q_), CView(moved_v_));
    for (int pass = 0; pass < most_near && before > aim; ++pass) {
      for (double& g : gaps_) g = -g;
      implicit_->meet(k, gaps_, d_);
      move();
      const double now = gap(CView(moved_q_), CView(moved_v_));
      if (!(now < before)) return;
      std::copy(moved_q_.begin(), moved_q_.end(), q.begin());
      std::copy(moved_v_.begin(), moved_v_.end(), v.begin());
      if (now > nearer * before) return;
      before = now;
    }
  };
  std::copy(q.begin(), q.end(), moved_q_.begin());
  std::copy(v.begin(), v.end(), moved_v_.begin());
  close(
      near_enough * (system_.length() + reach),
      [&](CView at, CView) {
        const double gap = motion_.position_violation(t, at, MotionSolver::Rows::active);
        for (std::size_t r = 0; r < gaps_.size(); ++r)
          gaps_[r] = equations.at_velocity_level(static_cast<int>(r)) ? 0 : numbers_.phi[r];
        return gap;
      },
      [&] { system_.advance(q, d_, moved_q_); });
  std::copy(q.begin(), q.end(), moved_q_.begin());
  std::copy(v.begin(), v.end(), moved_v_.begin());
  close(
      near_enough * as_vector(CView(v)).cwiseAbs().maxCoeff() * std::max(1.0, system_.length()),
      [&](CView at, CView speed) {
        const double gap = motion_.velocity_violation(t, at, speed, MotionSolver::Rows::active);
        equations.multiply(motion_.work().packed, speed, gaps_);
        for (std::size_t r = 0; r < gaps_.size(); ++r) gaps_[r] -= numbers_.nu[r];
        return gap;
      },
      [&] {
        for (std::size_t i = 0; i < n_v_; ++i) moved_v_[i] = v[i] + d_[i];
      });
}

void Absolute::project_error(CView y, View error) {
  if (error.empty()) return;
  if (n_q_ == n_v_) {
    motion_.project_increment(q(error));
  } else {  // the error of quaternions as rotations
    system_.tangent(q(y), q(error), d_);
    motion_.project_increment(d_);
    system_.rate(q(y), d_, q(error));
  }
  motion_.project_increment(v(error));
}

void Absolute::renew_quaternions(View y) {
  quaternion_drift_ = std::max(quaternion_drift_, system_.normalise(q(y)));
}

Eval Absolute::project(double, View y, View) {
  renew_quaternions(y);
  return Eval::ok;
}

void Absolute::rate_states(double t, CView q, CView v, View dy) {
  if (n_z_ > 0) system_.state_rates(t, q, v, lambda_, numbers_, z(dy));
}

Eval Absolute::f(double t, CView y, View dy) {
  motion_.use_states(z(y));
  const CView here = pose(y);
  if (const Eval e = accelerate(t, here, v(y), q(dy), v(dy), lambda_); e != Eval::ok) return e;
  rate_states(t, here, v(y), dy);
  return Eval::ok;
}

void Absolute::reserve(int shifts) {
  if (implicit_ == nullptr)
    implicit_ = std::make_unique<ImplicitMotion>(system_, motion_.active(), n_z_ > 0);
  implicit_->reserve(shifts);
  shifts_.clear();
  shifts_.reserve(static_cast<std::size_t>(shifts));
  gaps_.resize(lambda_.size());
  moved_q_.resize(n_q_);
  moved_v_.resize(n_v_);
  evaluated_.resize(static_cast<std::size_t>(size()));
}

Eval Absolute::setup(double t, CView y, CView dy, std::span<const Shift> shifts, Reuse allowed) {
  if (allowed == Reuse::nothing) {
    shifts_.clear();
    if (const Eval e = evaluate(t, y, evaluated_); e != Eval::ok) return e;
    const auto fed_back = feedback();
    exact_ = fed_back.has_value();
    if (exact_) {
      ++stats().jacobian;
      implicit_->linearise(
          t, pose(y), v(y), v(CView(evaluated_)), lambda_, motion_.work(), *fed_back);
    }
  }
  if (!exact_) return OdeProblem::setup(t, y, dy, shifts, allowed);
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const bool same =
        k < shifts_.size() && shifts[k].re == shifts_[k].re && shifts[k].im == shifts_[k].im;
    if (allowed == Reuse::factors && same) continue;
    ++stats().factorization;
    if (!implicit_->factor(static_cast<int>(k), shifts[k])) {
      shifts_.clear();
      return Eval::retry;
    }
  }
  shifts_.assign(shifts.begin(), shifts.end());
  return Eval::ok;
}

Eval Absolute::solve(int k, View re, View im) {
  if (!exact_) return OdeProblem::solve(k, re, im);
  ++stats().solve;
  return implicit_->solve(k, re, im);
}

std::string Absolute::component_name(int i) const {
  const auto n = static_cast<int>(n_q_), m = static_cast<int>(n_v_);
  if (i < n) return system_.position_label(i);
  if (i < n + m) return "velocity of " + system_.coordinate_label(i - n);
  return system_.states().label(i - n - m);
}

void Absolute::parametrize(const State& state, View y) {
  std::copy(state.q.begin(), state.q.end(), y.begin());
  std::copy(state.v.begin(), state.v.end(), y.begin() + static_cast<std::ptrdiff_t>(n_q_));
  std::copy_n(state.z.begin(), n_z_, z(y).begin());
  motion_.use_states(state.z);
  motion_.use_inputs(state.u);
}

bool Absolute::accepted_state(CView y, State& state) const {
  std::copy_n(y.begin(), n_q_, state.q.begin());
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n_q_), n_v_, state.v.begin());
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n_q_ + n_v_), n_z_, state.z.begin());
  return true;
}

double Absolute::kept_violation() const {
  return keeps_constraints() ? solved_violation * system_.length()
                             : std::numeric_limits<double>::infinity();
}

Eval Absolute::recover(double t, CView y, State& full) {
  full.t = t;
  std::copy_n(y.begin(), n_q_, full.q.begin());
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n_q_), n_v_, full.v.begin());
  std::copy_n(z(y).begin(), n_z_, full.z.begin());
  motion_.use_states(z(y));
  return keeps_constraints() ? recover_on_constraints(t, full)
                             : motion_.accelerations(t, full.q, full.v, full.a, full.lambda);
}

Eval Absolute::recover_on_constraints(double t, State& full) {
  if (const Eval e = put_onto_constraints(t, full.q, full.v); e != Eval::ok) return e;
  const Eval e = motion_.accelerations(t, full.q, full.v, full.a, full.lambda);
  if (e == Eval::ok && pivot_ratio(motion_) > near_singular_ratio) return e;
  if (const Eval near = passage_.motion(t, full.q, full.v, there_); near != Eval::ok) return near;
  std::copy(there_.a.begin(), there_.a.end(), full.a.begin());
  std::copy(there_.lambda.begin(), there_.lambda.end(), full.lambda.begin());
  return Eval::ok;
}

Tolerance Absolute::tolerance(const DynamicOptions& options) const {
  Tolerance tolerance;
  tolerance.rtol = options.rtol;
  tolerance.atol = options.atol;
  tolerance.norm = Tolerance::Norm::max;
  tolerance.ignored.assign(static_cast<std::size_t>(size()), false);
  if (n_z_ > 0) system_.states().mark_ignored(tolerance.ignored);
  const auto end = tolerance.ignored.begin() + static_cast<std::ptrdiff_t>(n_q_);
  std::fill(end - system_.turn_count(), end, true);  // they only choose among whole turns
  const auto all = static_cast<std::size_t>(size());
  tolerate_each(system_, options, {all, 0, n_q_, n_q_, n_v_, all - n_z_, n_z_, true}, tolerance);
  return tolerance;
}

}  // namespace cardan
