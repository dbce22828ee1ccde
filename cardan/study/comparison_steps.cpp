// The largest given steps with which implicit methods succeed, and how many iterations of Newton's
// method a step takes there. The definition is that of largest_step.h: every step of the run is
// solved.
#include <algorithm>
#include <cmath>

#include "cardan/formulation/formulation.h"
#include "cardan/formulation/method_settings.h"
#include "cardan/formulation/option_table.h"
#include "cardan/study/comparison.h"

namespace cardan {

namespace {

// Methods whose steps are given by tradition.
constexpr const char* of_given_steps[] = {
    "newmark", "hht", "generalized-alpha", "trapezoidal", "backward-euler"};
constexpr long runs_each = 40;

bool asked_for(const std::vector<std::string>& list, std::string_view name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

bool brings(const FormulationEntry& entry, std::string_view integrator) {
  const auto& own = entry.integrators;
  return std::find(own.begin(), own.end(), integrator) != own.end();
}

// Formulations that the integrator works on: those that bring it themselves; of the others the one
// in independent coordinates, or the one in positions and velocities.
std::vector<std::string_view> formulations_for(const char* integrator) {
  std::vector<std::string_view> names;
  for (const FormulationEntry& entry : formulations())
    if (brings(entry, integrator)) names.push_back(entry.name);
  const MethodEntry* method = find_method(integrator);
  if (method != nullptr && !method->traits({}).second_order) names.emplace_back("partitioned");
  return names;
}

}  // namespace

double StepLimit::iterations() const {
  return found.steps > 0
             ? static_cast<double>(found.newton_iterations) / static_cast<double>(found.steps)
             : Summary::unknown;
}

std::vector<StepLimit> find_step_limits(const Checked& checked,
                                        const DynamicOptions& given,
                                        const ComparisonOptions& asked,
                                        const std::function<bool()>& stop) {
  std::vector<StepLimit> all;
  for (const char* integrator : of_given_steps) {
    if (!asked_for(asked.integrators, integrator)) continue;
    for (const std::string_view formulation : formulations_for(integrator)) {
      if (!asked_for(asked.formulations, formulation)) continue;
      DynamicOptions options = with_method(
          given, {std::string(formulation), integrator, 0, true, std::abs(given.until) / 1000});
      for (const char* jacobian : {"exact", "fv"}) {
        options.jacobian = jacobian;
        if (foreign_options(options)) continue;  // the choice is not this formulation's
        if (stop()) return all;
        StepSearch search;
        search.most_runs = runs_each;
        search.stop = stop;
        std::string name = std::string(formulation) + " + " + integrator;
        if (options.jacobian != DynamicOptions{}.jacobian) name += ", jacobian " + options.jacobian;
        all.push_back({std::move(name),
                       find_largest_step(*checked.system,
                                         checked.assembly.mobility,
                                         checked.assembly.state,
                                         options,
                                         search)});
      }
    }
  }
  return all;
}

}  // namespace cardan
