#include "cardan/analysis/sensitivity/parameter_steps.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/system/compile_like.h"

namespace cardan {

namespace {

constexpr double relative_step = 5e-4;  // of the natural size of the parameter, for differences

struct Differences {
  std::vector<double> offsets, weights;  // weights times h
};

const Differences& central() {
  static const Differences d{{-3, -2, -1, 1, 2, 3},
                             {-1.0 / 60, 9.0 / 60, -45.0 / 60, 45.0 / 60, -9.0 / 60, 1.0 / 60}};
  return d;
}

Differences one_sided(double side) {
  Differences d{
      {0, 1, 2, 3, 4, 5, 6},
      {-147.0 / 60, 360.0 / 60, -450.0 / 60, 400.0 / 60, -225.0 / 60, 72.0 / 60, -10.0 / 60}};
  for (double& x : d.offsets) x *= side;
  for (double& x : d.weights) x *= side;
  return d;
}

// What a parameter that is zero is small against.
double natural_size(const ParameterInfo& p, const System& system) {
  if (p.value != 0) return std::abs(p.value);
  if (p.dimension == dimension::length) return system.length();
  if (p.dimension == dimension::mass && !system.bodies().empty()) {
    double mass = 0;
    for (const auto& body : system.bodies()) mass = std::max(mass, body.mass);
    if (mass > 0) return mass;
  }
  return 1;
}

Diagnostic unknown_parameter(const std::string& name, const ModelVariants& variants) {
  std::vector<std::string> names;
  for (const auto& p : variants.parameters()) names.push_back(p.name);
  Diagnostic d = fault_at("usage.unknown-parameter", fmt::format("sensitivity: '{}'", name));
  d.expected = "a name from [parameters]";
  const std::string near = nearest_name(name, names);
  if (!near.empty()) d.hint = fmt::format("did you mean '{}'?", near);
  return d;
}

Diagnostic structural_parameter(const std::string& name) {
  Diagnostic d =
      fault_at("model.not-available",
               fmt::format("sensitivity: '{}', which decides how many elements there are", name));
  d.expected = "a parameter that only changes numbers";
  return d;
}

class StepMaker {
 public:
  StepMaker(const ModelVariants& variants, const System& system)
      : variants_(variants), system_(system) {}

  Result<ParameterStep> make(const ParameterInfo& parameter) {
    if (parameter.structural) return structural_parameter(parameter.name);
    ParameterStep step;
    step.parameter = parameter;
    step.unit = si_unit(parameter.dimension);
    step.h = relative_step * natural_size(parameter, system_);
    for (const Differences& d : {central(), one_sided(1), one_sided(-1)}) {
      if (!vary(step, d)) continue;
      return step;
    }
    return why_;
  }

 private:
  bool vary(ParameterStep& step, const Differences& d) {
    step.systems.clear();
    step.offsets = d.offsets;
    step.weights = d.weights;
    for (double& w : step.weights) w /= step.h;
    for (const double k : d.offsets) {
      const ParameterValue value{step.parameter.name, step.parameter.value + k * step.h};
      const auto model = variants_.with({&value, 1});
      if (!model) return keep(model.why());
      auto made = compile_like(model.value(), system_);
      if (!made) return keep(made.why());
      if (!made.value().same_structure) return keep({structural_parameter(step.parameter.name)});
      step.systems.push_back(
          std::make_unique<const System>(std::move(std::move(made).value().system)));
    }
    return true;
  }

  // The reason of the first attempt.
  bool keep(const Diagnostics& why) {
    if (why_.empty()) why_ = why;
    return false;
  }

  const ModelVariants& variants_;
  const System& system_;
  Diagnostics why_;
};

}  // namespace

Diagnostics unknown_parameters(const ModelVariants& variants,
                               const std::vector<std::string>& names) {
  Diagnostics faults;
  for (const std::string& name : names)
    if (std::none_of(variants.parameters().begin(),
                     variants.parameters().end(),
                     [&](const ParameterInfo& p) { return p.name == name; }))
      faults.push_back(unknown_parameter(name, variants));
  return faults;
}

Result<ParameterSteps> parameter_steps(const ModelVariants& variants,
                                       const System& system,
                                       const std::vector<std::string>& names) {
  ParameterSteps steps;
  Diagnostics faults = unknown_parameters(variants, names);
  for (const std::string& name : names) {
    const auto& all = variants.parameters();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const ParameterInfo& p) { return p.name == name; });
    if (found == all.end()) continue;
    auto made = StepMaker(variants, system).make(*found);
    if (made)
      steps.push_back(std::move(made).value());
    else
      faults.insert(faults.end(), made.why().begin(), made.why().end());
  }
  if (!faults.empty()) return faults;
  return steps;
}

}  // namespace cardan
