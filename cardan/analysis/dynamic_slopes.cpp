#include "cardan/analysis/dynamic_slopes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/time_breaks_of.h"
#include "cardan/ode/registry.h"

namespace cardan {

namespace {

constexpr double same_state = 1e-9;   // in units of the mechanism's size
constexpr double same_break = 1e-12;  // of the duration

Diagnostic not_derived(std::string found, std::string expected) {
  Diagnostic d = fault_at("model.not-available", "sensitivities: " + std::move(found));
  d.expected = std::move(expected);
  return d;
}

}  // namespace

DynamicSlopes::DynamicSlopes(const AnalysisTask& task, const DynamicOptions& options)
    : task_(task), options_(options), store_(task.parameters->size(), StateSlope(task.system)) {}

std::optional<Diagnostic> DynamicSlopes::start() {
  if (auto fault = refuse_method()) return fault;
  if (auto fault = refuse_events()) return fault;
  if (auto fault = rolling_slopes(task_.system, task_.assembly.mobility.active)) return fault;
  return derive_start();
}

std::unique_ptr<Formulation> DynamicSlopes::extend(std::unique_ptr<Formulation> inner) {
  return std::make_unique<SlopeFormulation>(std::move(inner), *task_.parameters, store_);
}

std::optional<Diagnostic> DynamicSlopes::refuse_method() const {
  const FormulationEntry* entry = find_formulation(options_.formulation);
  if (entry != nullptr && (entry->own_integrator || entry->name == "reduced"))
    return not_derived(fmt::format("formulation \"{}\"", options_.formulation),
                       "formulation = \"auto\", \"projected\" or \"partitioned\"");
  const MethodEntry* method = find_method(options_.integrator);
  if (method != nullptr && (method->traits({}).second_order || method->name == "rosenbrock"))
    return not_derived(
        fmt::format("integrator \"{}\"", options_.integrator),
        "an integrator of first-order equations that iterates, or an explicit one, such as "
        "radau5 or dop853");
  return {};
}

// Where something jumps at a time that depends on a parameter, the derivative jumps too.
std::optional<Diagnostic> DynamicSlopes::refuse_events() const {
  const System& system = task_.system;
  if (!system.contacts().empty()) {
    const auto& contact = system.contacts().front();
    Diagnostic d =
        not_derived("stops and contacts, whose times depend on parameters", "a model without them");
    d.element = fmt::format("{} '{}'", kind_name(contact.kind), contact.name);
    d.where = contact.where;
    return d;
  }
  if (!system.conditions().empty()) {
    Diagnostic d = not_derived("a condition in a formula, whose time may depend on parameters",
                               "formulas without comparisons, sign and heaviside");
    d.element = system.conditions().front();
    return d;
  }
  const double from = task_.assembly.state.t;
  const auto kinks = driver_kinks(system, from, options_.until);
  if (!kinks.empty()) {
    const auto& driver = system.constraints()[static_cast<std::size_t>(kinks.front().driver)];
    Diagnostic d = not_derived("a driver whose velocity jumps", "smooth drivers");
    d.element = driver.words();
    d.where = driver.where;
    d.t = kinks.front().t;
    return d;
  }
  const TimeBreaks here = breaks_of(system, from, options_.until);
  for (const ParameterStep& step : *task_.parameters)
    for (const auto& varied : step.systems) {
      const TimeBreaks there = breaks_of(*varied, from, options_.until);
      const bool same =
          std::equal(here.times.begin(),
                     here.times.end(),
                     there.times.begin(),
                     there.times.end(),
                     [&](double a, double b) {
                       return std::abs(a - b) <= same_break * std::abs(options_.until - from);
                     });
      if (!same)
        return not_derived(
            fmt::format("'{}', which moves a time at which a force, input or driver jumps or bends",
                        step.parameter.name),
            "parameters that leave such times as they are");
    }
  return {};
}

std::optional<Diagnostic> DynamicSlopes::derive_start() {
  const System& system = task_.system;
  const State& start = task_.assembly.state;
  AssemblyOptions tight;
  const Assembly again = assemble(system, start.t, system.given_state(), tight);
  std::vector<double> d(static_cast<std::size_t>(system.v_size()));
  system.difference(again.state.q, start.q, d);
  double off = system.largest_move(d);
  for (std::size_t k = 0; k < d.size(); ++k)
    off = std::max(off, std::abs(again.state.v[k] - start.v[k]));
  if (!again.ok || off > same_state * std::max(1.0, system.length()))
    return not_derived("a motion that begins where another analysis ended",
                       "a motion from the start of the model");
  for (std::size_t p = 0; p < store_.size(); ++p) {
    const ParameterStep& step = (*task_.parameters)[p];
    StateSlope& slope = store_[p] = StateSlope(system);
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
  ParameterSlopes slopes(system, task_.assembly.mobility.active, *task_.parameters);
  if (!slopes.evaluate(start)) return no_slopes(start.t);
  for (std::size_t p = 0; p < store_.size(); ++p) {
    slopes.close_positions(static_cast<int>(p), store_[p].theta);
    if (const int row = slopes.violated(static_cast<int>(p), store_[p].theta); row >= 0)
      return contradicts(system, (*task_.parameters)[p], row, start.t);
    slopes.close_velocities(static_cast<int>(p), store_[p].theta, store_[p].v);
    if (!slopes.accelerate(static_cast<int>(p), store_[p])) return no_slopes(start.t);
  }
  return {};
}

}  // namespace cardan
