// cardan matrices MODEL: the equations of a mechanism in numbers, at the start or at another time.
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/run.h"
#include "cardan/formulation/explicit/wanted_coordinates.h"
#include "cardan/results/faults.h"
#include "cardan/session/analysis_options.h"
#include "cardan/session/matrices_files.h"
#include "command.h"
#include "model_arguments.h"

namespace cardan::app {

namespace command_matrices {

struct Options {
  ModelRequest model;
  AnalysisArguments analysis;
  std::string at_text = "0";
  double at = 0;
  std::string output;
  bool force = false;
};

DynamicOptions method_of(const Model& model, double until) {
  DynamicOptions options;
  for (const Analysis& analysis : model.analyses)
    if (const auto* dynamic = std::get_if<DynamicOptions>(&analysis)) options = *dynamic;
  options.until = until;
  return options;
}

int work(Options& options, const Console& console) {
  namespace fs = std::filesystem;
  const auto time =
      option_number("--at", options.at_text, dimension::time, Range::not_negative, {});
  if (!time) return console.fail(time.why());
  options.at = time.value();
  std::error_code error;
  if (!options.output.empty() && !options.force &&
      fs::exists(fs::path(options.output) / "matrices.json", error))
    return console.fail(already_there(options.output));
  const auto model = read(options.model);
  if (!model) return console.fail(model.why());
  const Checked checked = check_model(model.value());
  console.report(checked.diagnostics);
  if (checked.system == nullptr || !checked.assembly.ok) return exit_code(checked.diagnostics);
  State state = checked.assembly.state;
  DynamicOptions method = method_of(model.value(), options.at);
  const auto independent = named_coordinates(
      *checked.system, checked.assembly.mobility.active, std::exchange(method.independent, {}));
  if (!independent) return console.fail(independent.why());
  if (options.at > 0) {
    Simulation simulation(*checked.system, checked.assembly.mobility, method, state);
    auto fault = simulation.prepare();
    if (!fault) fault = simulation.start();
    if (!fault) fault = simulation.step_to(options.at).reason;
    if (fault) return console.fail(*fault);
    state = simulation.state();
  }
  const auto found =
      matrices_of(*checked.system, checked.assembly.mobility, state, independent.value());
  if (!found) return console.fail(found.why());
  const MechanismMatrices& x = *found.value();
  std::string text = fmt::format(
      "t = {:g} s: {} coordinates, {} equations, rank {}, condition of the saddle-point matrix "
      "{:.3g}\n",
      x.t,
      x.coordinates.size(),
      x.equations.size(),
      x.rank,
      x.condition);
  if (!x.independent.empty())
    text += fmt::format("independent coordinates: {}\n", fmt::join(x.independent, ", "));
  if (is_small(x))
    for (const NamedMatrix& m : x.list)
      if (m.name != "KKT") text += "\n" + to_table(m);
  console.print(text);
  if (!options.output.empty()) {
    if (const auto fault = write_matrices(x, options.output)) return console.fail(*fault);
    console.print(fmt::format("\nwritten to {}\n", options.output));
  } else if (!is_small(x)) {
    console.print("too many to print: write them to files with -o FOLDER\n");
  }
  console.print_json("matrices", to_json(x));
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  add_model(line, options->model);
  options->analysis.add_to(
      line, "dynamic", {"formulation", "integrator", "step", "rtol", "atol", "independent"});
  line.option("--at", options->at_text, "Time, as 0.5 or 20ms; the model is simulated up to there");
  const Described output = line.option(
      "-o,--output", options->output, "A folder for matrices.json, matrices.m and CSV files");
  line.flag("--force", options->force, "Replace files that are in the folder").needs(output);
  line.json_flag(console);
  return [options, &console] {
    options->analysis.give_to(options->model);
    const std::string idle =
        options->analysis.given({"formulation", "integrator", "step", "rtol", "atol"});
    if (options->at == 0 && !idle.empty())
      return console.fail(usage_fault("usage.bad-option",
                                      idle + " without --at, so nothing is simulated",
                                      "leave it out, or give a time"));
    return work(*options, console);
  };
}

}  // namespace command_matrices

extern const Command matrices_command;
const Command matrices_command{"matrices",
                               "Show mass matrix, Jacobian and forces of a model in numbers",
                               command_matrices::define};

}  // namespace cardan::app
