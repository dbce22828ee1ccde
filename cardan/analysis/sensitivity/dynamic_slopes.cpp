#include "cardan/analysis/sensitivity/dynamic_slopes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/dynamic/time_breaks_of.h"
#include "cardan/analysis/sensitivity/slope_formulation.h"
#include "cardan/analysis/sensitivity/start_slopes.h"
#include "cardan/ode/registry.h"

namespace cardan {

namespace {

constexpr double same_break = 1e-12;  // of the duration

}  // namespace

DynamicSlopes::DynamicSlopes(const AnalysisTask& task, const DynamicOptions& options)
    : task_(task), options_(options), store_(task.parameters->size(), StateSlope(task.system)) {}

std::optional<Diagnostic> DynamicSlopes::start() {
  if (auto fault = refuse_events()) return fault;
  if (auto fault = rolling_slopes(task_.system, task_.assembly.mobility.active)) return fault;
  return start_slopes(task_.system,
                      task_.assembly.mobility.active,
                      *task_.parameters,
                      task_.assembly.state,
                      store_);
}

void DynamicSlopes::extend(Simulation& simulation) {
  if (carried())
    return simulation.extend_by(
        [this](std::unique_ptr<Formulation> inner) {
          return std::make_unique<SlopeFormulation>(
              std::move(inner), *task_.parameters, store_, fault_);
        },
        [this] { return fault_; });
  behind_.emplace(task_.system, *task_.parameters, store_);
  simulation.follow_by(&*behind_);
}

// Formulations that are methods of their own, or evaluate more than one state at once, and methods
// that work in positions and velocities or do not iterate, know nothing of more equations.
bool DynamicSlopes::carried() const {
  const FormulationEntry* entry = find_formulation(options_.formulation);
  if (entry != nullptr && (entry->built_in_integrator || entry->name == "reduced")) return false;
  const MethodEntry* method = find_method(options_.integrator);
  return method == nullptr || !(method->traits({}).second_order || method->name == "rosenbrock");
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

}  // namespace cardan
