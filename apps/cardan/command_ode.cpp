// cardan ode: the integrators for their own sake, on equations written on the command line or in a
// file.
#include "command_ode.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "cardan/results/faults.h"
#include "command.h"

namespace cardan::app {

namespace {

void add_options(CLI::App& app, OdeOptions& o) {
  app.add_option(
      "SYSTEM",
      o.system,
      "Equations as \"x' = x\" or \"x'' = -x\", several arguments or separated by ';'; or "
      "a file that holds them");
  const auto each = [&](const char* name, std::vector<std::string>& list, const char* what) {
    app.add_option(name, list, what)->allow_extra_args(false);
  };
  each("--start", o.start, "Values of variables at the start, as x=1,y=0 or \"x'=0\"");
  each("--set", o.set, "Values of parameters, as k=4,m=1");
  each("--exact", o.exact, "Exact solution, as \"exp(t)\" or x=\"exp(t)\": adds the errors");
  each("--event", o.event, "Reports the times where this formula passes zero");
  each("--show", o.show, "A further column, as \"x + y\" or E=\"x^2 + y^2\"");
  app.add_flag("--stop-at-event", o.stop_at_event, "End at the first event");
  app.add_option("--from", o.from, "Start time (0)");
  app.add_option("--until", o.until, "End time");
  app.add_option("--integrator", o.integrator, "Method by name (ode45); --list shows all");
  app.add_option("--order", o.order, "Order of the method");
  app.add_option("--step", o.step, "Step of a fixed-step method; first step of another");
  app.add_option("--rtol", o.rtol, "Relative tolerance (1e-6)");
  app.add_option("--atol", o.atol, "Absolute tolerance (1e-9)");
  app.add_option("--output-step", o.output_step, "Time between rows; without it every step is one");
  app.add_option("--alpha", o.alpha, "Parameter of rk2 and hht");
  app.add_option("--gamma", o.gamma, "Parameter of newmark");
  app.add_option("--beta", o.beta, "Parameter of newmark");
  app.add_option("--rho", o.rho, "Parameter of generalized-alpha: spectral radius at infinity");
  app.add_option("--variant", o.variant, "Variant of a method: ndf, direct, print");
  app.add_option("--starter", o.starter, "Start of multistep methods: self, accurate, small-steps");
  app.add_flag("--csv", o.csv, "The table as CSV");
  app.add_flag("--steps", o.steps, "Step size, order and error of every step as columns");
  app.add_flag("--differences", o.differences, "Backward differences and their error estimates");
  app.add_flag("--list", o.list, "List the methods with their properties");
  app.add_option("-o,--output", o.output, "SVG file of --stability and --study");
  app.add_flag("--force", o.force, "Replace that file");
  app.add_option("--watch", o.watch, "Variable that --study looks at; without it all");
  app.add_option("--halvings", o.halvings, "First and last n of the steps T/2^n of --study (4 14)")
      ->expected(2);
}

// An option whose list may be empty: present or not matters.
void add_lists(CLI::App& app, OdeOptions& o) {
  const auto list =
      [&](const char* name, std::optional<std::vector<std::string>>& to, const char* what) {
        app.add_option_function<std::vector<std::string>>(
               name,
               [&to](const std::vector<std::string>& words) {
                 to.emplace();
                 for (const std::string& w : words) {
                   if (!w.empty()) to->push_back(w);
                 }
               },
               what)
            ->expected(0, -1)
            ->type_name("METHOD...");
      };
  list("--stability", o.stability, "Stability regions and limits of these methods, as rk4 or ab:3");
  list("--study", o.study, "Step halving and work-precision of these methods");
}

int work(const OdeOptions& o, const Console& console) {
  if (o.list) return list_integrators(console);
  if (o.stability) return show_stability(o, console);
  Result<OdeCase> made = make_ode_case(o);
  if (!made) return console.fail(made.why());
  if (o.study) return study_ode(made.value(), o, console);
  if (o.differences) return show_differences(made.value(), console);
  return run_ode(made.value(), o, console);
}

std::function<int()> define(CLI::App& app, Console& console) {
  auto options = std::make_shared<OdeOptions>();
  add_options(app, *options);
  add_lists(app, *options);
  add_json_flag(app, console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace

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
    "ode", "Integrate ordinary differential equations; compare integrators", define};

}  // namespace cardan::app
