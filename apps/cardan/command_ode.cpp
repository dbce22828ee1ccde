// cardan ode: the integrators for their own sake, on equations written on the command line or in a
// file.
#include "command_ode.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "cardan/results/faults.h"
#include "command.h"
#include "command_ode_text.h"

namespace cardan::app {

namespace command_ode {

void add_options(CommandLine& line, OdeOptions& o) {
  line.option("SYSTEM",
              o.system,
              "Equations as \"x' = x\" or \"m*x'' = -k*x\", or energies and constraints as \"T = "
              "m/2*x'^2\", \"V = m*g*x\", \"0 = x - 1\", several arguments or separated by ';'; or "
              "a file that holds them");
  const auto each = [&](const char* name, std::vector<std::string>& list, const char* what) {
    line.option(name, list, what).one_each();
  };
  each("--start", o.start, "Values of variables at the start, as x=1,y=0 or \"x'=0\"");
  each("--set", o.set, "Values of parameters, as k=4,m=1");
  each("--exact", o.exact, "Exact solution, as \"exp(t)\" or x=\"exp(t)\": adds the errors");
  each("--event",
       o.event,
       "Tells when a formula passes zero: \"x\", \"x falling\", \"x falling: x' -> -0.8*x'\" to go "
       "on "
       "from a changed state, \"x rising: stop\" to end there");
  each("--show", o.show, "A further column, as \"x + y\" or E=\"x^2 + y^2\"");
  line.flag("--stop-at-event", o.stop_at_event, "End at the first event");
  line.option("--from", o.from, "Start time (0)");
  line.option("--until", o.until, "End time");
  line.option("--integrator", o.integrator, "Method by name (ode45); --list shows all");
  line.option(
      "--tableau", o.tableau, "File with a Butcher array of one's own, in the method's place");
  line.option("--formulation", o.formulation, "With energies: how constraints are met (auto)");
  line.option("--order", o.order, "Order of the method");
  line.option("--step", o.step, "Step of a fixed-step method; first step of another");
  line.option("--rtol", o.rtol, "Relative tolerance (1e-6)");
  line.option("--atol", o.atol, "Absolute tolerance (1e-9); or of variables, as x=1e-9,y=1e-6");
  line.flag("--norm-control", o.norm_control, "Error of the whole vector, not of each variable");
  line.option("--max-step", o.max_step, "Longest step of a method that chooses its steps");
  line.option("--min-step", o.min_step, "Shortest one; where it would not do, the run ends");
  line.option("--output-step", o.output_step, "Time between rows; without it every step is one");
  line.option("--alpha", o.alpha, "Parameter of rk2 and hht");
  line.option("--gamma", o.gamma, "Parameter of newmark");
  line.option("--beta", o.beta, "Parameter of newmark");
  line.option("--rho", o.rho, "Parameter of generalized-alpha: spectral radius at infinity");
  line.option("--variant", o.variant, "Variant of a method: ndf, direct, print, notes");
  line.option("--starter", o.starter, "Start of multistep methods: self, accurate, small-steps");
  line.flag("--csv", o.csv, "The table as CSV");
  line.flag("--steps", o.steps, "Step size, order and error of every step as columns");
  line.flag("--differences", o.differences, "Backward differences and their error estimates");
  line.flag("--list", o.list, "List the methods with their properties");
  each("--phase", o.phase, "Phase portrait of two columns, as \"x, x'\"");
  each("--with", o.with, "A further curve with other values, as k=4 or x=2");
  line.option("-o,--output",
              o.output,
              "File for the plots instead of the terminal: .svg, .html, .png or .pdf; SVG file of "
              "--stability and --study");
  line.flag("--force", o.force, "Replace that file");
  line.option("--watch", o.watch, "Variable that --study looks at; without it all");
  line.option("--halvings", o.halvings, "First and last n of the steps T/2^n of --study (4 14)")
      .values(2, 2);
}

void add_lists(CommandLine& line, OdeOptions& o) {
  line.list("--stability",
            o.stability,
            "METHOD...",
            "Stability regions and limits of these methods, as rk4 or ab:3");
  line.list(
      "--plot", o.plot, "NAME...", "Draw these columns over time; without names all variables");
  line.list("--study", o.study, "METHOD...", "Step halving and work-precision of these methods");
}

// --tableau takes the place of a method's name and of its settings.
Diagnostics tableau_faults(const OdeOptions& o) {
  if (o.tableau.empty()) return {};
  const std::pair<const char*, bool> others[] = {{"--integrator", !o.integrator.empty()},
                                                 {"--order", o.order != 0},
                                                 {"--alpha", !o.alpha.empty()},
                                                 {"--gamma", !o.gamma.empty()},
                                                 {"--beta", !o.beta.empty()},
                                                 {"--rho", !o.rho.empty()},
                                                 {"--variant", !o.variant.empty()},
                                                 {"--starter", !o.starter.empty()},
                                                 {"--list", o.list},
                                                 {"--stability", o.stability.has_value()},
                                                 {"--study", o.study.has_value()},
                                                 {"--differences", o.differences}};
  Diagnostics out;
  for (const auto& [name, given] : others)
    if (given)
      out.push_back(
          usage_fault("usage.bad-option", fmt::format("{} beside --tableau", name), "one of them"));
  return out;
}

int work(const OdeOptions& o, const Console& console) {
  if (const Diagnostics faults = tableau_faults(o); !faults.empty()) return console.fail(faults);
  OdeOptions copy = o;
  const Result<OdeTexts> texts =
      o.list || o.stability || o.system.empty() ? Result<OdeTexts>(OdeTexts{}) : gather_texts(copy);
  const bool energies = texts && has_energies(texts.value());
  if (const Diagnostics faults = useless_options(o, energies); !faults.empty())
    return console.fail(faults);
  if (o.list) return list_integrators(console);
  if (o.stability) return show_stability(o, console);
  if (energies) return run_energies(texts.value(), copy, console);
  if (!o.formulation.empty())
    return console.fail(usage_fault("usage.bad-value",
                                    "--formulation for equations without constraints",
                                    "energies, as \"T = m/2*x'^2\""));
  Result<OdeCase> made = make_ode_case(o);
  if (!made) return console.fail(made.why());
  if (o.study) return study_ode(made.value(), o, console);
  if (o.differences) return show_differences(made.value(), console);
  return run_ode(made.value(), o, console);
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<OdeOptions>();
  add_options(line, *options);
  add_lists(line, *options);
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_ode

Result<std::string> write_svg(const std::string& text,
                              const std::string& word,
                              const OdeOptions& o) {
  std::filesystem::path path = o.output;
  if (o.output.empty()) {
    path = word + ".svg";
    for (int k = 2; std::filesystem::exists(path) && !o.force; ++k) {
      path = fmt::format("{}-{}.svg", word, k);
    }
  } else if (std::filesystem::exists(path) && !o.force) {
    return already_there(path);
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return write_fault(path, "the file cannot be written");
  return path.string();
}

extern const Command ode_command;
const Command ode_command{
    "ode", "Integrate ordinary differential equations; compare integrators", command_ode::define};

}  // namespace cardan::app
