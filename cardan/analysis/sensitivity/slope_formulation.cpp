#include "cardan/analysis/sensitivity/slope_formulation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cardan {

SlopeFormulation::SlopeFormulation(std::unique_ptr<Formulation> inner,
                                   const ParameterSteps& steps,
                                   SlopeStore& store)
    : inner_(std::move(inner)),
      system_(inner_->equations_of_motion().system()),
      steps_(steps),
      store_(store),
      slopes_(system_, inner_->equations_of_motion().active(), steps),
      n_y_(static_cast<std::size_t>(inner_->size())),
      n_v_(static_cast<std::size_t>(system_.v_size())),
      n_z_(static_cast<std::size_t>(system_.states().size())),
      part_(2 * n_v_ + n_z_),
      state_(system_.given_state()),
      slope_(system_),
      work_(system_.workspace()) {
  for (const ParameterStep& step : steps)
    sizes_.push_back(step.parameter.value != 0 ? std::abs(step.parameter.value) : step.h);
}

void SlopeFormulation::take(CView from, double size, StateSlope& s) const {
  for (std::size_t k = 0; k < n_v_; ++k) {
    s.theta[k] = from[k] / size;
    s.v[k] = from[n_v_ + k] / size;
  }
  for (std::size_t k = 0; k < n_z_; ++k) s.z[k] = from[2 * n_v_ + k] / size;
}

void SlopeFormulation::give(const StateSlope& s, double size, View to) const {
  for (std::size_t k = 0; k < n_v_; ++k) {
    to[k] = s.theta[k] * size;
    to[n_v_ + k] = s.v[k] * size;
  }
  for (std::size_t k = 0; k < n_z_; ++k) to[2 * n_v_ + k] = s.z[k] * size;
}

void SlopeFormulation::count_costs() {
  const Stats& inside = inner_->stats();
  stats().jacobian = inside.jacobian;
  stats().factorization = inside.factorization;
  stats().projection = inside.projection;
}

Eval SlopeFormulation::evaluate_at(double t, CView y) {
  if (const Eval e = inner_->recover(t, y.first(n_y_), state_); e != Eval::ok) return e;
  inner_->show_modes(state_);
  return slopes_.evaluate(state_) ? Eval::ok : Eval::retry;
}

Eval SlopeFormulation::f(double t, CView y, View dy) {
  if (const Eval e = inner_->f(t, y.first(n_y_), dy.first(n_y_)); e != Eval::ok) return e;
  count_costs();
  if (const Eval e = evaluate_at(t, y); e != Eval::ok) return e;
  for (std::size_t p = 0; p < sizes_.size(); ++p) {
    take(part(y, p), sizes_[p], slope_);
    if (!slopes_.accelerate(static_cast<int>(p), slope_)) return Eval::retry;
    const View out = part(dy, p);
    slopes_.rate_states(static_cast<int>(p), slope_, out.last(n_z_));
    for (double& x : out.last(n_z_)) x *= sizes_[p];
    for (std::size_t k = 0; k < n_v_; ++k) {
      out[k] = slope_.v[k] * sizes_[p];
      out[n_v_ + k] = slope_.a[k] * sizes_[p];
    }
    if (system_.space() == Space::planar) continue;
    const Layout& layout = system_.layout();
    for (int b = 0; b < system_.body_count(); ++b)
      layout.rotation(View(out), b) +=
          sizes_[p] *
          layout.rotation(CView(slope_.theta), b).cross(layout.rotation(CView(state_.v), b));
  }
  return Eval::ok;
}

std::string SlopeFormulation::component_name(int i) const {
  const auto k = static_cast<std::size_t>(i);
  if (k < n_y_) return inner_->component_name(i);
  const std::size_t p = (k - n_y_) / part_, local = (k - n_y_) % part_;
  std::string of;
  if (local < 2 * n_v_)
    of = (local < n_v_ ? "" : "velocity of ") +
         system_.coordinate_label(static_cast<int>(local % n_v_));
  else
    of = system_.states().label(static_cast<int>(local - 2 * n_v_));
  return fmt::format("derivative by '{}' of {}", steps_[p].parameter.name, of);
}

void SlopeFormulation::reserve(int shifts) {
  inner_->reserve(shifts);
  if (matrix_ == nullptr)
    matrix_ = std::make_unique<ShiftedMatrix>(system_, inner_->equations_of_motion().active());
  matrix_->reserve(shifts);
  both_.resize(part_);
}

Eval SlopeFormulation::setup(
    double t, CView y, CView dy, std::span<const Shift> shifts, Reuse allowed) {
  if (const Eval e = inner_->setup(t, y.first(n_y_), dy.first(n_y_), shifts, allowed);
      e != Eval::ok)
    return e;
  if (allowed == Reuse::nothing) {
    shifts_.clear();
    if (const Eval e = inner_->recover(t, y.first(n_y_), state_); e != Eval::ok) return e;
    inner_->show_modes(state_);
    system_.use(state_, work_);
    matrix_->linearise(t, state_.q, state_.v, state_.a, state_.lambda, work_);
  }
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const bool same =
        k < shifts_.size() && shifts[k].re == shifts_[k].re && shifts[k].im == shifts_[k].im;
    if (allowed == Reuse::factors && same) continue;
    if (!matrix_->factor(static_cast<int>(k), {shifts[k].re, shifts[k].im})) {
      shifts_.clear();
      return Eval::retry;
    }
  }
  shifts_.assign(shifts.begin(), shifts.end());
  return Eval::ok;
}

void SlopeFormulation::solve_part(int k, std::complex<double> c, View re, View im) {
  if (c.imag() == 0) {
    for (const View x : {re, im})
      if (!x.empty()) matrix_->solve(k, x.data(), x.data() + n_v_, x.data() + 2 * n_v_);
    return;
  }
  for (std::size_t i = 0; i < part_; ++i) both_[i] = {re[i], im[i]};
  matrix_->solve(k, both_.data(), both_.data() + n_v_, both_.data() + 2 * n_v_);
  for (std::size_t i = 0; i < part_; ++i) {
    re[i] = both_[i].real();
    im[i] = both_[i].imag();
  }
}

Eval SlopeFormulation::solve(int k, View re, View im) {
  const View none;
  if (const Eval e = inner_->solve(k, re.first(n_y_), im.empty() ? none : im.first(n_y_));
      e != Eval::ok)
    return e;
  for (std::size_t p = 0; p < sizes_.size(); ++p)
    solve_part(k, matrix_->shift(k), part(re, p), im.empty() ? none : part(im, p));
  return as_vector(CView(re)).allFinite() ? Eval::ok : Eval::retry;
}

Eval SlopeFormulation::project(double t, View y, View error) {
  const View none;
  if (inner_->projects()) {
    const Eval e = inner_->project(t, y.first(n_y_), error.empty() ? none : error.first(n_y_));
    quaternion_drift_ = inner_->quaternion_drift();
    if (e != Eval::ok) return e;
  }
  if (const Eval e = evaluate_at(t, y); e != Eval::ok) return e;
  for (std::size_t p = 0; p < sizes_.size(); ++p) {
    take(part(y, p), sizes_[p], slope_);
    slopes_.close_positions(static_cast<int>(p), slope_.theta);
    slopes_.close_velocities(static_cast<int>(p), slope_.theta, slope_.v);
    give(slope_, sizes_[p], part(y, p));
  }
  return Eval::ok;
}

void SlopeFormulation::parametrize(const State& state, View y) {
  inner_->parametrize(state, y.first(n_y_));
  inner_->take_events();
  for (std::size_t p = 0; p < sizes_.size(); ++p) give(store_[p], sizes_[p], part(y, p));
}

std::optional<Diagnostic> SlopeFormulation::accepted(double t, CView y, double h, long attempts) {
  auto fault = inner_->accepted(t, y.first(n_y_), h, attempts);
  for (auto& event : inner_->take_events()) events_.push_back(std::move(event));
  return fault;
}

Eval SlopeFormulation::recover(double t, CView y, State& full) {
  if (const Eval e = evaluate_at(t, y); e != Eval::ok) return e;
  const std::vector<int> mode = full.mode;
  full = state_;
  full.mode = mode;
  for (std::size_t p = 0; p < sizes_.size(); ++p) {
    StateSlope& s = store_[p];
    take(part(y, p), sizes_[p], s);
    slopes_.close_positions(static_cast<int>(p), s.theta);
    slopes_.close_velocities(static_cast<int>(p), s.theta, s.v);
    if (!slopes_.accelerate(static_cast<int>(p), s)) return Eval::retry;
  }
  return Eval::ok;
}

// Derivatives are controlled like the motion, except those of what is not.
Tolerance SlopeFormulation::tolerance(const DynamicOptions& options) const {
  Tolerance tolerance = inner_->tolerance(options);
  const auto n = static_cast<std::size_t>(size());
  tolerance.reach = nullptr;
  tolerance.ignored.resize(n_y_, false);
  tolerance.ignored.resize(n, false);
  std::vector<bool> states(2 * n_v_ + n_z_, false);
  if (n_z_ > 0) system_.states().mark_ignored(states);
  for (std::size_t p = 0; p < sizes_.size(); ++p)
    for (std::size_t k = 0; k < part_; ++k) tolerance.ignored[n_y_ + p * part_ + k] = states[k];
  if (!tolerance.rtol_each.empty()) tolerance.rtol_each.resize(n, options.rtol);
  if (!tolerance.atol_each.empty()) tolerance.atol_each.resize(n, options.atol);
  return tolerance;
}

}  // namespace cardan
