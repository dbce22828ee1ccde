#include "cardan/formulation/local.h"

#include <algorithm>

#include "cardan/system/energy.h"

namespace cardan {

namespace {

constexpr int many_iterations = 7;  // of Newton's method
constexpr long many_attempts = 4;   // repeated predictions

}  // namespace

Local::Local(const FormulationSetting& setting)
    : system_(setting.system),
      motion_(setting.system, setting.active),
      chart_(motion_),
      n_q_(static_cast<std::size_t>(setting.system.q_size())),
      n_v_(static_cast<std::size_t>(setting.system.v_size())),
      n_p_(static_cast<std::size_t>(chart_.freedoms())),
      n_z_(energy_states),
      watch_(setting),
      q_(n_q_),
      v_(n_v_),
      a_(n_v_),
      lambda_(static_cast<std::size_t>(setting.system.equations().rows())) {}

Eval Local::pose(double t, CView y) {
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(2 * n_p_), n_q_, q_.begin());
  if (const Eval e = chart_.positions(t, y.first(n_p_), q_); e != Eval::ok) return e;
  if (const Eval e = chart_.tangents(t, q_); e != Eval::ok) return e;
  return chart_.velocities(t, q_, y.subspan(n_p_, n_p_), v_);
}

Eval Local::f(double t, CView y, View dy) {
  const long before = motion_.factorizations();
  Eval e = pose(t, y);
  if (e == Eval::ok) {
    motion_.load(t, q_, v_);
    e = motion_.finish(t, q_, a_, lambda_);
  }
  stats().factorization += motion_.factorizations() - before;
  stats().newton += chart_.iterations();
  if (e != Eval::ok) return e;
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n_p_), n_p_, dy.begin());
  chart_.rates(a_, dy.subspan(n_p_, n_p_));
  system_.rate(q_, v_, dy.subspan(2 * n_p_, n_q_));
  energy_rates(system_, t, q_, v_, lambda_, motion_.work(), dy.last(n_z_));
  return Eval::ok;
}

std::string Local::component_name(int i) const {
  const auto p = static_cast<int>(n_p_), n = static_cast<int>(n_q_);
  if (i < p) return coordinate_name(i);
  if (i < 2 * p) return "velocity of " + coordinate_name(i - p);
  if (i < 2 * p + n) return system_.position_words(i - 2 * p);
  static constexpr const char* names[] = {"dissipated energy", "work of forces", "work of drivers"};
  return names[i - 2 * p - n];
}

Eval Local::project(double t, View y, View) {
  return chart_.positions(t, y.first(n_p_), y.subspan(2 * n_p_, n_q_));
}

void Local::parametrize(const State& state, View y) {
  const std::vector<int> before = chart_.selected();
  choose(state.t, state.q, chart_);
  chart_.coordinates(state.q, y.first(n_p_));
  chart_.rates(state.v, y.subspan(n_p_, n_p_));
  std::copy(state.q.begin(), state.q.end(), y.begin() + static_cast<std::ptrdiff_t>(2 * n_p_));
  for (std::size_t k = 0; k < n_z_; ++k)
    y[2 * n_p_ + n_q_ + k] = k < state.z.size() ? state.z[k] : 0.0;
  if (chosen_ && chart_.selected() != before) {
    std::string names;
    for (int j = 0; j < chart_.freedoms(); ++j) names += (j > 0 ? ", " : "") + coordinate_name(j);
    events.push_back({"repartition", "independent coordinates: " + names});
  }
  chosen_ = true;
  stale_ = false;
  looked_at_ = 0;
}

std::optional<Diagnostic> Local::accepted(double t, CView y, double, long attempts) {
  stale_ = false;
  if (pose(t, y) != Eval::ok) return {};
  const double stretch = chart_.stretch();
  const int iterations = chart_.iterations();
  if (stretch > std::max(widest_stretch(), 1.5 * looked_at_) || iterations > many_iterations ||
      attempts > many_attempts) {
    stale_ = better(t, q_);
    if (!stale_) looked_at_ = std::max(looked_at_, stretch);
  }
  return watch_.step(motion_, t, q_, v_, y.last(n_z_), events);
}

Eval Local::recover(double t, CView y, State& full) {
  if (const Eval e = pose(t, y); e != Eval::ok) return e;
  full.t = t;
  std::copy(q_.begin(), q_.end(), full.q.begin());
  std::copy(v_.begin(), v_.end(), full.v.begin());
  std::copy_n(y.end() - static_cast<std::ptrdiff_t>(n_z_), n_z_, full.z.begin());
  motion_.load(t, q_, v_);
  return motion_.finish(t, q_, full.a, full.lambda);
}

Tolerance Local::tolerance(const DynamicOptions& options) const {
  Tolerance tolerance;
  tolerance.rtol = options.rtol;
  tolerance.atol = options.atol;
  tolerance.norm = Tolerance::Norm::max;
  tolerance.ignored.assign(static_cast<std::size_t>(size()), false);
  std::fill(tolerance.ignored.begin() + static_cast<std::ptrdiff_t>(2 * n_p_),
            tolerance.ignored.end(),
            n_p_ > 0);
  return tolerance;
}

void Local::serialize(Archive& archive) {
  archive.mark(name());
  chart_.serialize(archive);
  watch_.serialize(archive);
  archive.io(looked_at_);
  archive.io(chosen_);
}

}  // namespace cardan
