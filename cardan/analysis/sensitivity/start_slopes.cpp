#include "cardan/analysis/sensitivity/start_slopes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/start/assembly.h"

namespace cardan {

namespace {

constexpr double same_state = 1e-9;  // in units of the mechanism's size

}  // namespace

Diagnostic not_derived(const std::string& found, std::string expected) {
  Diagnostic d = fault_at("model.not-available", "sensitivities: " + found);
  d.expected = std::move(expected);
  return d;
}

std::optional<Diagnostic> start_slopes(const System& system,
                                       const std::vector<char>& active,
                                       const ParameterSteps& steps,
                                       const State& start,
                                       std::vector<StateSlope>& out) {
  out.assign(steps.size(), StateSlope(system));
  const AssemblyOptions tight;
  const Assembly again = assemble(system, start.t, system.given_state(), tight);
  std::vector<double> d(static_cast<std::size_t>(system.v_size()));
  system.difference(again.state.q, start.q, d);
  double off = system.largest_move(d);
  for (std::size_t k = 0; k < d.size(); ++k)
    off = std::max(off, std::abs(again.state.v[k] - start.v[k]));
  if (!again.ok || off > same_state * std::max(1.0, system.length()))
    return not_derived("a motion that begins where another analysis ended",
                       "a motion from the start of the model");
  for (std::size_t p = 0; p < steps.size(); ++p) {
    const ParameterStep& step = steps[p];
    StateSlope& slope = out[p];
    for (std::size_t k = 0; k < step.systems.size(); ++k) {
      const System& varied = *step.systems[k];
      const Assembly other = assemble(varied, start.t, varied.given_state(), tight);
      if (!other.ok)
        return not_derived(fmt::format("the mechanism cannot be assembled with '{}' = {:.9g}",
                                       step.parameter.name,
                                       step.parameter.value + step.offsets[k] * step.h),
                           "a start that changes smoothly with it");
      system.difference(other.state.q, again.state.q, d);
      const double w = step.weights[k];
      for (std::size_t i = 0; i < d.size(); ++i) {
        slope.theta[i] += w * d[i];
        slope.v[i] += w * (other.state.v[i] - again.state.v[i]);
      }
      for (std::size_t i = 0; i < slope.z.size(); ++i)
        slope.z[i] += w * (other.state.z[i] - again.state.z[i]);
    }
  }
  ParameterSlopes slopes(system, active, steps);
  if (!slopes.evaluate(start)) return no_slopes(start.t);
  for (std::size_t p = 0; p < steps.size(); ++p) {
    const int k = static_cast<int>(p);
    slopes.close_positions(k, out[p].theta);
    if (const int row = slopes.violated(k, out[p].theta); row >= 0)
      return contradicts(system, steps[p], row, start.t);
    slopes.close_velocities(k, out[p].theta, out[p].v);
    if (!slopes.accelerate(k, out[p])) return no_slopes(start.t);
  }
  return {};
}

}  // namespace cardan
