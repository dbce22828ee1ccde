#include "cardan/analysis/equilibrium/balance_motion.h"

#include <algorithm>
#include <cmath>

#include "cardan/analysis/dynamic/simulation.h"

namespace cardan {

namespace {

constexpr double slow_energy = 1e-4;                 // kinetic energy relative to the largest
constexpr int longest_motion = 200, rows_each = 10;  // in times of a free swing, and rows in each
constexpr long step_budget = 20'000;

}  // namespace

std::vector<double> pose_of_slow_motion(ForceBalance& at,
                                        const Mobility& mobility,
                                        const State& start,
                                        const std::function<bool()>& cancelled) {
  const System& system = at.system();
  if (!system.force_dependence().rates && system.friction().count() == 0) return start.q;
  at.evaluate(start.q);
  double heaviest = 0;
  for (const auto& body : system.bodies()) heaviest = std::max(heaviest, body.mass);
  const double force = at.b().cwiseAbs().maxCoeff();
  if (!(force > 0) || !(heaviest > 0)) return start.q;
  const double swing = 2 * 3.14159265358979323846 * std::sqrt(at.length() * heaviest / force);
  DynamicOptions options;
  options.until = start.t + longest_motion * swing;
  options.max_steps = step_budget;
  State from = start;
  from.v = at.velocities(start.q);
  Simulation motion(system, mobility, options, from);
  std::vector<double> times, kinetic;
  for (int k = 1; k <= longest_motion * rows_each; ++k)
    times.push_back(start.t + swing * k / rows_each);
  double largest = 0;
  motion.rows_at(times);
  motion.watch({[&](double, const State& state, const StepInfo&) {
                  std::vector<double> v = at.velocities(state.q);
                  for (std::size_t k = 0; k < v.size(); ++k) v[k] = state.v[k] - v[k];
                  kinetic.push_back(system.mass().energy(v));
                  largest = std::max(largest, kinetic.back());
                  const bool quiet = kinetic.size() > 2 * rows_each &&
                                     *std::max_element(kinetic.end() - 2 * rows_each,
                                                       kinetic.end()) <= slow_energy * largest;
                  return quiet || cancelled() ? Flow::stop : Flow::go_on;
                },
                [](double) { return Flow::go_on; },
                [](const Event&) { return Flow::go_on; },
                {}});
  if (motion.prepare() || motion.start()) return start.q;
  const Simulation::Stop stop = motion.step_to(options.until);
  if (!stop.state_known) return start.q;
  return at.carried(motion.state().q, start.t - motion.state().t);
}

}  // namespace cardan
