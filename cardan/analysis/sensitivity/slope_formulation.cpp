#include "cardan/analysis/sensitivity/slope_formulation.h"

namespace cardan {

SlopeFormulation::SlopeFormulation(std::unique_ptr<Formulation> inner,
                                   const ParameterSteps& steps,
                                   SlopeStore& store,
                                   std::optional<Diagnostic>& fault)
    : inner_(std::move(inner)),
      system_(inner_->equations_of_motion().system()),
      store_(store),
      fault_(fault),
      equations_(system_, inner_->equations_of_motion().active(), steps),
      n_y_(static_cast<std::size_t>(inner_->size())),
      state_(system_.given_state()),
      multipliers_(system_),
      work_(system_.workspace()) {}

void SlopeFormulation::count_costs() {
  const Stats& inside = inner_->stats();
  stats().jacobian = inside.jacobian;
  stats().factorization = inside.factorization;
  stats().projection = inside.projection;
}

Eval SlopeFormulation::motion_at(double t, CView y) {
  if (const Eval e = inner_->recover(t, y.first(n_y_), state_); e != Eval::ok) return e;
  inner_->show_modes(state_);
  inner_->balance(multipliers_, state_);
  return Eval::ok;
}

Eval SlopeFormulation::noting(Eval e) {
  if (equations_.fault()) fault_ = equations_.fault();
  return e;
}

Eval SlopeFormulation::f(double t, CView y, View dy) {
  if (const Eval e = inner_->f(t, y.first(n_y_), dy.first(n_y_)); e != Eval::ok) return e;
  count_costs();
  if (const Eval e = motion_at(t, y); e != Eval::ok) return e;
  return noting(equations_.rates(state_, slopes(y), slopes(dy)));
}

std::string SlopeFormulation::component_name(int i) const {
  const auto k = static_cast<std::size_t>(i);
  return k < n_y_ ? inner_->component_name(i) : equations_.component_name(k - n_y_);
}

void SlopeFormulation::reserve(int shifts) {
  inner_->reserve(shifts);
  equations_.reserve(shifts);
}

Eval SlopeFormulation::setup(
    double t, CView y, CView dy, std::span<const Shift> shifts, Reuse allowed) {
  if (const Eval e = inner_->setup(t, y.first(n_y_), dy.first(n_y_), shifts, allowed);
      e != Eval::ok)
    return e;
  if (allowed == Reuse::nothing) {
    if (const Eval e = motion_at(t, y); e != Eval::ok) return e;
    system_.use(state_, work_);
    equations_.linearise(state_, work_);
  }
  return equations_.factor(shifts, allowed);
}

Eval SlopeFormulation::solve(int k, View re, View im) {
  const View none;
  const View im_y = im.empty() ? none : im.first(n_y_), im_s = im.empty() ? none : slopes(im);
  if (const Eval e = inner_->solve(k, re.first(n_y_), im_y); e != Eval::ok) return e;
  if (const Eval e = equations_.solve(k, slopes(re), im_s); e != Eval::ok) return e;
  return as_vector(CView(re)).allFinite() ? Eval::ok : Eval::retry;
}

Eval SlopeFormulation::project(double t, View y, View error) {
  const View none;
  if (inner_->projects()) {
    const Eval e = inner_->project(t, y.first(n_y_), error.empty() ? none : error.first(n_y_));
    quaternion_drift_ = inner_->quaternion_drift();
    if (e != Eval::ok) return e;
  }
  if (const Eval e = motion_at(t, y); e != Eval::ok) return e;
  return noting(equations_.close(state_, slopes(y)));
}

void SlopeFormulation::parametrize(const State& state, View y) {
  inner_->parametrize(state, y.first(n_y_));
  inner_->take_events();
  equations_.give(store_, slopes(y));
}

std::optional<Diagnostic> SlopeFormulation::accepted(double t, CView y, double h, long attempts) {
  auto fault = inner_->accepted(t, y.first(n_y_), h, attempts);
  for (auto& event : inner_->take_events()) events_.push_back(std::move(event));
  return fault;
}

Eval SlopeFormulation::recover(double t, CView y, State& full) {
  if (const Eval e = motion_at(t, y); e != Eval::ok) return e;
  const std::vector<int> mode = full.mode;
  full = state_;
  full.mode = mode;
  return noting(equations_.take(state_, slopes(y), store_));
}

// Derivatives are controlled like the motion, except those of what is not.
Tolerance SlopeFormulation::tolerance(const DynamicOptions& options) const {
  Tolerance tolerance = inner_->tolerance(options);
  const auto n = static_cast<std::size_t>(size());
  tolerance.reach = nullptr;
  tolerance.ignored.resize(n_y_, false);
  tolerance.ignored.resize(n, false);
  equations_.mark_ignored(tolerance.ignored, n_y_);
  if (!tolerance.rtol_each.empty()) tolerance.rtol_each.resize(n, options.rtol);
  if (!tolerance.atol_each.empty()) tolerance.atol_each.resize(n, options.atol);
  return tolerance;
}

}  // namespace cardan
