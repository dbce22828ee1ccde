#include "cardan/formulation/explicit/local.h"

#include <algorithm>

#include "cardan/formulation/coordinate_tolerances.h"

namespace cardan {

namespace {

constexpr int many_iterations = 7;  // of Newton's method
constexpr long many_repeats = 4;    // repeated predictions
constexpr double late_stretch = 4;  // beyond: another choice even near a singular pose

}  // namespace

Local::Local(const FormulationSetting& setting)
    : system_(setting.system),
      motion_(setting.system, setting.active),
      chart_(motion_),
      n_q_(static_cast<std::size_t>(setting.system.q_size())),
      n_v_(static_cast<std::size_t>(setting.system.v_size())),
      n_p_(static_cast<std::size_t>(chart_.freedoms())),
      n_z_(static_cast<std::size_t>(setting.system.states().size())),
      watch_(setting),
      crossing_(motion_),
      there_(setting.system),
      guess_(n_q_) {}

Eval Local::motion(double t, CView y) {
  motion_.use_states(y.last(n_z_));
  const Chart::Place place{t, y.first(n_p_), y.subspan(n_p_, n_p_), y.subspan(2 * n_p_, n_q_)};
  const Eval e = chart_.motion(place, last_.velocity(t), crossing_, there_);
  stats().newton += chart_.iterations();
  if (e == Eval::ok) last_.set(t, there_.v, there_.a);
  return e;
}

Eval Local::f(double t, CView y, View dy) {
  if (const Eval e = motion(t, y); e != Eval::ok) return e;
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n_p_), n_p_, dy.begin());
  chart_.accelerations(there_.q, there_.v, there_.a, dy.subspan(n_p_, n_p_));
  system_.rate(there_.q, there_.v, dy.subspan(2 * n_p_, n_q_));
  system_.state_rates(t, there_.q, there_.v, there_.lambda, motion_.work(), dy.last(n_z_));
  return Eval::ok;
}

std::string Local::component_name(int i) const {
  const auto p = static_cast<int>(n_p_), n = static_cast<int>(n_q_);
  if (i < p) return coordinate_name(i);
  if (i < 2 * p) return "velocity of " + coordinate_name(i - p);
  if (i < 2 * p + n) return system_.position_label(i - 2 * p);
  return system_.states().label(i - 2 * p - n);
}

Eval Local::project(double t, View y, View) {
  const View q = y.subspan(2 * n_p_, n_q_);
  std::copy(q.begin(), q.end(), guess_.begin());
  const Eval solved = chart_.positions(t, y.first(n_p_), guess_);
  stats().newton += chart_.iterations();
  if (solved != Eval::ok || pivot_ratio(motion_) < near_singular_ratio) {
    if (const Eval e = motion(t, y); e != Eval::ok) return e;
    guess_ = there_.q;
  }
  std::copy(guess_.begin(), guess_.end(), q.begin());
  return Eval::ok;
}

void Local::parametrize(const State& state, View y) {
  const std::vector<int> before = chart_.selected();
  choose(state.t, state.q, chart_);
  last_.set(state.t, state.v, state.a);
  chart_.coordinates(state.q, y.first(n_p_));
  chart_.rates(state.q, state.v, y.subspan(n_p_, n_p_));
  std::copy(state.q.begin(), state.q.end(), y.begin() + static_cast<std::ptrdiff_t>(2 * n_p_));
  std::copy_n(state.z.begin(), n_z_, y.last(n_z_).begin());
  motion_.use_states(state.z);
  motion_.use_inputs(state.u);
  if (chosen_ && chart_.selected() != before) {
    std::string names;
    for (int j = 0; j < chart_.freedoms(); ++j) names += (j > 0 ? ", " : "") + coordinate_name(j);
    events_.push_back({"repartition", "independent coordinates: " + names});
  }
  chosen_ = true;
  stale_ = false;
  looked_at_ = 0;
}

std::optional<Diagnostic> Local::accepted(double t, CView y, double, long attempts) {
  stale_ = false;
  evaluated_ = motion(t, y) == Eval::ok;
  if (!evaluated_) return {};
  const double stretch = chart_.stretch();
  const int iterations = chart_.iterations();
  const double limit = pivot_ratio(motion_) < approached_ratio ? near_stretch() : widest_stretch();
  const bool may_choose = pivot_ratio(motion_) > near_singular_ratio ||
                          (stretch > late_stretch && !crossing_.crossed());
  if (may_choose && (stretch > std::max(limit, 1.5 * looked_at_) || iterations > many_iterations ||
                     attempts > many_repeats)) {
    stale_ = better(t, there_.q);
    if (!stale_) looked_at_ = std::max(looked_at_, stretch);
  }
  if (chart_.rotation(there_.q) > Chart::widest_rotation) stale_ = true;
  return watch_.step(motion_, t, there_.q, there_.v, y.last(n_z_), events_);
}

bool Local::accepted_state(CView y, State& state) const {
  state.q = there_.q;
  state.v = there_.v;
  std::copy_n(y.end() - static_cast<std::ptrdiff_t>(n_z_), n_z_, state.z.begin());
  return evaluated_;
}

Eval Local::recover(double t, CView y, State& full) {
  if (const Eval e = motion(t, y); e != Eval::ok) return e;
  full.t = t;
  full.q = there_.q;
  full.v = there_.v;
  full.a = there_.a;
  full.lambda = there_.lambda;
  std::copy_n(y.end() - static_cast<std::ptrdiff_t>(n_z_), n_z_, full.z.begin());
  return Eval::ok;
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
  if (n_p_ > 0) system_.states().mark_ignored(tolerance.ignored);
  const auto all = static_cast<std::size_t>(size());
  tolerate_each(system_, options, {all, 0, n_p_, n_p_, n_p_, all - n_z_, n_z_, false}, tolerance);
  return tolerance;
}

void Local::serialize(Archive& archive) {
  archive.mark(name());
  chart_.serialize(archive);
  watch_.serialize(archive);
  last_.serialize(archive, n_v_);
  archive.io(looked_at_);
  archive.io(chosen_);
}

}  // namespace cardan
