// Which methods are worth trying on a model, and with which settings.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/formulation/formulation.h"
#include "cardan/formulation/option_table.h"
#include "cardan/math/elementary.h"
#include "cardan/ode/registry.h"
#include "cardan/study/comparison.h"

namespace cardan {

namespace {

struct NamedIntegrator {
  std::string name;
  int order = 0;
};

NamedIntegrator parsed(const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) return {word, 0};
  return {word.substr(0, colon), std::atoi(word.c_str() + colon + 1)};
}

// Without a wish: error-controlled methods of several orders, two with fixed step, and implicit
// ones for problems that are stiff.
const std::vector<std::string> usual{
    "dop853", "ode45", "adams", "ode23", "rk4", "mampc:4", "bdf", "radau5", "esdirk", "rosenbrock"};

// Formulations that implicit and fixed-step methods are tried with when nobody asks for more.
bool first_choice(std::string_view formulation) {
  return formulation == "projected" || formulation == "partitioned" || formulation == "baumgarte";
}

bool wanted(const std::vector<std::string>& list, std::string_view name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

std::vector<double> nice_steps(double usual_step) {
  std::vector<double> steps;
  double power = elementary::pow(10.0, std::floor(elementary::log10(usual_step)) + 1);
  for (int k = 0; steps.size() < 6; ++k) {
    static constexpr double part[] = {1, 0.5, 0.2};
    const double h = part[k % 3] * power;
    if (h <= 4 * usual_step) steps.push_back(h);
    if (k % 3 == 2) power /= 10;
  }
  return steps;
}

std::vector<double> sorted_down(std::vector<double> list) {
  std::sort(list.begin(), list.end(), std::greater<>());
  return list;
}

}  // namespace

std::string Contender::name() const {
  std::string text = formulation;
  if (integrator != "auto") text += " + " + integrator;
  if (order > 0) text += fmt::format(":{}", order);
  return text;
}

std::string Contender::settings_text() const {
  return fixed ? fmt::format("step = {:.6g} s", setting) : fmt::format("rtol = {:.2g}", setting);
}

bool Contender::same_method(const Contender& other) const {
  return formulation == other.formulation && integrator == other.integrator &&
         order == other.order && fixed == other.fixed;
}

const DynamicOptions* compared_analysis(const Model& model) {
  const DynamicOptions* last = nullptr;
  for (const auto& analysis : model.analyses)
    if (const auto* dynamic = std::get_if<DynamicOptions>(&analysis)) last = dynamic;
  return last;
}

DynamicOptions with_method(const DynamicOptions& given, const Contender& method) {
  DynamicOptions o = given;
  o.formulation = method.formulation;
  o.integrator = method.integrator;
  if (o.integrator != given.integrator) o.integrator_settings = {};
  o.order = method.order;
  o.step = method.fixed ? method.setting : 0;
  (void)drop_foreign_options(o);  // those of the user's own formulation
  o.atol_each.clear();            // every method is measured alike
  o.norm_control = false;
  o.min_step = 0;
  if (method.fixed) return o;
  o.newton_iterations = 0;                            // of given steps
  o.atol = given.atol * method.setting / given.rtol;  // in the ratio that the user has chosen
  o.rtol = method.setting;
  o.max_step = std::min(o.max_step, method.longest);
  return o;
}

std::vector<std::vector<Contender>> contenders(const DynamicOptions& given,
                                               const ComparisonOptions& options,
                                               double usual_step) {
  const std::vector<double> tolerances = sorted_down(
      options.tolerances.empty() ? std::vector<double>{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}
                                 : options.tolerances);
  const std::vector<double> steps =
      sorted_down(options.steps.empty() ? nice_steps(usual_step) : options.steps);
  std::vector<std::vector<Contender>> all;
  const auto add =
      [&](std::string_view formulation, const NamedIntegrator& integrator, bool fixed) {
        std::vector<Contender> group;
        for (const double setting : fixed ? steps : tolerances)
          if (setting < std::abs(given.until))
            group.push_back(
                {std::string(formulation), integrator.name, integrator.order, fixed, setting});
        if (!group.empty()) all.push_back(std::move(group));
      };
  const bool chosen = !options.integrators.empty();
  for (const std::string& word : chosen ? options.integrators : usual) {
    const NamedIntegrator integrator = parsed(word);
    const MethodEntry* method = find_method(integrator.name);
    if (method == nullptr) continue;
    MethodOptions with_order;
    with_order.order = integrator.order;
    const Traits traits = method->traits(with_order);
    for (const FormulationEntry& f : formulations()) {
      if (f.built_in_integrator || !wanted(options.formulations, f.name)) continue;
      if (traits.second_order && !f.second_order) continue;
      const bool rare = traits.implicit || !traits.adaptive;
      if (rare && !chosen && options.formulations.empty() && !first_choice(f.name)) continue;
      add(f.name, {std::string(method->name), integrator.order}, !traits.adaptive);
    }
  }
  for (const FormulationEntry& f : formulations()) {
    if (!f.built_in_integrator || !wanted(options.formulations, f.name)) continue;
    if (chosen && options.formulations.empty()) continue;
    if (f.name == "rattle") {
      for (const int order : {2, 4}) add(f.name, {"auto", order}, true);
    } else if (!f.integrators.empty()) {
      for (const std::string_view name : f.integrators) add(f.name, {std::string(name), 0}, false);
    } else {
      add(f.name, {"auto", 0}, false);
    }
  }
  return all;
}

}  // namespace cardan
