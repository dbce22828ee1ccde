#include "cardan/analysis/dynamic/driver_impulse.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"

namespace cardan {

namespace {

double largest(const std::vector<double>& list) {
  double r = 0;
  for (const double x : list) r = std::max(r, std::abs(x));
  return r;
}

}  // namespace

bool DriverImpulses::at(double t) const {
  return std::any_of(kinks_.begin(), kinks_.end(), [&](const DriverKink& kink) {
    return std::abs(kink.t - t) <= 2 * beside_;
  });
}

std::optional<Diagnostic> DriverImpulses::apply(MotionSolver& motion,
                                                State& state,
                                                std::vector<Event>& events) const {
  std::vector<DriverKink> here;
  for (const DriverKink& kink : kinks_)
    if (std::abs(kink.t - state.t) <= 2 * beside_) here.push_back(kink);
  if (here.empty()) return {};
  const double t = here.front().t;
  state.t = t + direction_ * beside_;
  if (motion.linearise(state.t, state.q) != Eval::ok)
    return fault_at("numeric.singular", "no impulses answer the jump of a driver's velocity", t);
  Workspace& work = motion.work();
  const Equations& equations = system_.equations();
  std::vector<double> g(static_cast<std::size_t>(equations.rows())), impulse(g);
  std::vector<double> zero(state.v.size(), 0.0), change(zero);
  equations.multiply(work.packed, state.v, g);
  equations.nu(system_.config(state.t, state.q, work), work.nu);
  for (std::size_t row = 0; row < g.size(); ++row) g[row] = work.nu[row] - g[row];
  motion.solve(zero, g, change, impulse);
  if (largest(change) <= 1e-12 * largest(state.v)) return {};  // they follow already
  const double before = system_.mass().energy(state.v);
  for (std::size_t k = 0; k < change.size(); ++k) state.v[k] += change[k];
  if (motion.project_velocities(state.t, state.q, state.v) != Eval::ok)
    return fault_at("numeric.singular", "no velocities follow the jump of a driver's velocity", t);
  const double work_done = system_.mass().energy(state.v) - before;
  if (!state.z.empty())
    state.z[static_cast<std::size_t>(StateTable::index(EnergyState::drivers))] += work_done;
  for (const DriverKink& kink : here) {
    const auto& info = system_.constraints()[static_cast<std::size_t>(kink.driver)];
    const int row = info.rows.front();
    const bool turns = system_.unit_kind(row) == UnitKind::angle;
    events.push_back(
        {t,
         "impulse",
         info.words(),
         fmt::format("{0:.6g} {2}/s -> {1:.6g} {2}/s, impulse {3:.6g} {4}; the drivers "
                     "do {5:.6g} J",
                     direction_ > 0 ? kink.before : kink.after,
                     direction_ > 0 ? kink.after : kink.before,
                     turns ? "rad" : "m",
                     -impulse[static_cast<std::size_t>(row)],
                     turns ? "N*m*s" : "N*s",
                     work_done)});
  }
  return {};
}

}  // namespace cardan
