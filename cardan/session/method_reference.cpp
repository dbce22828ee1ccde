#include "cardan/session/method_reference.h"

#include <fmt/format.h>

#include "cardan/formulation/formulation.h"
#include "cardan/ode/registry.h"

namespace cardan {

namespace {

std::string kind_of(const Traits& t) {
  return fmt::format("{}, {}{}",
                     t.implicit ? "implicit" : "explicit",
                     t.adaptive ? "chooses its steps" : "fixed steps",
                     t.second_order ? ", positions and velocities apart" : "");
}

std::string orders_of(const Traits& t) {
  return t.order_min == t.order_max ? fmt::format("{}", t.order_min)
                                    : fmt::format("{} to {}", t.order_min, t.order_max);
}

std::string integrators_of(const FormulationEntry& entry) {
  if (!entry.integrators.empty()) return fmt::format("{}", fmt::join(entry.integrators, ", "));
  if (entry.built_in_integrator) return "its own method";
  return entry.second_order ? "all" : "all of first order";
}

}  // namespace

const MethodWords& method_text() {
  static const std::vector<SchemaWord> formulation_words = [] {
    std::vector<SchemaWord> all{{"auto", "chosen for the mechanism"}};
    for (const FormulationEntry& entry : formulations()) all.push_back({entry.name, entry.summary});
    return all;
  }();
  static const std::vector<SchemaWord> integrator_words = [] {
    std::vector<SchemaWord> all{{"auto", "chosen for the mechanism"}};
    for (const MethodEntry* entry : list_methods()) all.push_back({entry->name, entry->summary});
    return all;
  }();
  static const MethodWords words{formulation_words, integrator_words};
  return words;
}

std::string method_lines() {
  std::string text = "Formulations (--formulation):\n";
  for (const SchemaWord& w : method_text().formulations)
    text += fmt::format("  {:<21} {}\n", w.name, w.doc);
  text += "\nIntegrators (--integrator):\n";
  for (const SchemaWord& w : method_text().integrators)
    text += fmt::format("  {:<21} {}\n", w.name, w.doc);
  return text;
}

std::string method_page() {
  std::string text =
      "# Formulations and integrators\n\n"
      "This page is generated from the program. `formulation` and `integrator` of a dynamic "
      "analysis, or `--formulation` "
      "and `--integrator` on the command line, take these names; left out, both are chosen for the "
      "mechanism, and `-v` "
      "tells which. `cardan compare MODEL` tries them all. Equations: `docs/theory`. `cardan "
      "method NAME` shows what an "
      "integrator is made of.\n\n"
      "## Formulations\n\n"
      "How the differential-algebraic equations of the mechanism are treated.\n\n"
      "| name | what | integrators | rolling | singular poses |\n|---|---|---|---|---|\n";
  for (const FormulationEntry& f : formulations())
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n",
                        f.name,
                        f.summary,
                        integrators_of(f),
                        f.rolls ? "yes" : "no",
                        f.passes ? "passed" : "may end there");
  text +=
      "\nOptions of formulations (`alpha`, `beta`, `zeta`, `omega`, `gains`, `stabilization`, "
      "`constraint_tolerance`, "
      "`jacobian`, `predictor`, ...) are keys of the analysis, described in [the model "
      "file](model-file.md), and options "
      "of the command line: `--alpha 20`.\n\n"
      "## Integrators\n\n| name | order | kind | what |\n|---|---|---|---|\n";
  for (const MethodEntry* m : list_methods()) {
    const Traits traits = m->traits({});
    const std::string alias = m->alias.empty() ? "" : fmt::format(" (also `{}`)", m->alias);
    text += fmt::format("| `{}`{} | {} | {} | {} |\n",
                        m->name,
                        alias,
                        orders_of(traits),
                        kind_of(traits),
                        m->summary);
  }
  text +=
      "\nMethods with fixed steps need `step`. Those that choose their steps follow `rtol` and "
      "`atol`, or `atol_each` for single components, with steps between `min_step` and `max_step`; "
      "a "
      "`step` given to them is only their first one. With `norm_control` an error counts beside "
      "the "
      "largest component, not beside its own.\n";
  return text;
}

}  // namespace cardan
