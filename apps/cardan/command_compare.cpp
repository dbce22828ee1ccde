// cardan compare MODEL: this model by every method that makes sense, measured against a converged
// reference, with a recommendation.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cardan/io/edit_analysis.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"
#include "cardan/study/comparison_report.h"
#include "command.h"
#include "interrupt.h"
#include "model_arguments.h"

namespace cardan::app {

namespace fs = std::filesystem;

namespace command_compare {

struct Options {
  ModelRequest model;
  AnalysisArguments analysis;
  ComparisonOptions comparison;
  std::string output;
  bool write = false, force = false;
};

void show_progress(const Console& console,
                   const std::string& what,
                   std::size_t done,
                   std::size_t all) {
  if (console.json()) {
    console.print_json("progress", {{"what", what}, {"done", done}, {"all", all}});
  } else if (isatty(STDERR_FILENO) != 0) {
    fmt::print(stderr, "\r\x1b[K{}/{} {}", done + 1, all, what);
    std::fflush(stderr);
  } else if (20 * (done + 1) / all != 20 * done / all) {  // a file need not hear of each
    fmt::print(stderr, "{}/{} {}\n", done + 1, all, what);
  }
}

std::vector<AnalysisEdit> edits_of(const DynamicOptions& given, const Trial& best) {
  const DynamicOptions o = with_method(given, best.method);
  std::vector<AnalysisEdit> edits{{"formulation", fmt::format("\"{}\"", o.formulation)}};
  const auto text = [](bool there, std::string value) {
    return there ? std::optional(std::move(value)) : std::nullopt;
  };
  edits.emplace_back("integrator",
                     text(o.integrator != "auto", fmt::format("\"{}\"", o.integrator)));
  edits.emplace_back("order", text(o.order > 0, fmt::format("{}", o.order)));
  edits.emplace_back("step", text(best.method.fixed, fmt::format("\"{} s\"", o.step)));
  if (!best.method.fixed) {
    edits.emplace_back("rtol", fmt::format("{:.6g}", o.rtol));
    edits.emplace_back("atol", fmt::format("{:.6g}", o.atol));
  }
  return edits;
}

// Puts the recommendation into the model's file, unless that has changed meanwhile.
int write_back(const Model& model, const Comparison& result, const Console& console) {
  if (result.winners == 0) {
    console.print("Nothing was written: no method is accurate enough.\n");
    return 0;
  }
  const DynamicOptions& given = *compared_analysis(model);
  const fs::path path = model.path;
  if (given.where.file == nullptr || fs::path(*given.where.file) != path) {
    Diagnostic d;
    d.id = "model.not-editable";
    d.where = given.where;
    d.found = "the analysis stands in a file that the model includes";
    d.expected = "an analysis in the model's own file";
    return console.fail(d);
  }
  std::ifstream file(path, std::ios::binary);
  const std::string now{std::istreambuf_iterator<char>(file), {}};
  if (now != model.text) return console.fail(write_fault(path, "it has changed since it was read"));
  const auto edited = edit_analysis(
      model.text, given.where, edits_of(given, result.trials[result.ranking.front()]));
  if (!edited) return console.fail(edited.why());
  if (const auto fault = write_file(path, edited.value())) return console.fail(*fault);
  console.print(fmt::format("{} was changed: {} with {}.\n",
                            path.string(),
                            result.trials[result.ranking.front()].method.name(),
                            result.trials[result.ranking.front()].method.settings_text()));
  console.print_json("written", {{"file", path.string()}});
  return 0;
}

Sink::Fault store(const fs::path& folder, const Comparison& result, const std::string& title) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return write_fault(folder, error.message());
  auto fault = write_file(folder / "work-precision.svg",
                          svg(work_precision_plot(result, title + ": work and precision")));
  if (!fault)
    fault = write_file(folder / "drift.svg", svg(drift_plot(result, title + ": constraint error")));
  if (!fault) fault = write_file(folder / "comparison.csv", comparison_csv(result));
  if (!fault)
    fault = write_file(folder / "comparison.json", comparison_json(result).dump(2) + "\n");
  if (!fault) fault = write_file(folder / "comparison.md", comparison_markdown(result, title));
  return fault;
}

int work(const Options& options, const Console& console) {
  auto model = read(options.model);
  if (!model) return console.fail(model.why());
  const fs::path folder = options.output.empty()
                              ? fs::path("compare") / run_name(model_file(options.model.path))
                              : fs::path(options.output);
  std::error_code error;
  if (!options.output.empty() && !options.force && fs::exists(folder / "comparison.md", error))
    return console.fail(already_there(folder));
  catch_interrupt();
  ComparisonControl control;
  control.cancelled = [] {
    return interrupted();
  };
  control.progress = [&](const std::string& what, std::size_t done, std::size_t all) {
    show_progress(console, what, done, all);
  };
  auto result = compare_methods(model.value(), options.comparison, control);
  if (!console.json() && isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\x1b[K");
  if (!result) return console.fail(result.why());
  console.report(result.value().reference.failures);
  console.print(comparison_text(result.value()));
  const std::string title =
      model.value().title.empty() ? run_name(model_file(options.model.path)) : model.value().title;
  if (const auto fault = store(folder, result.value(), title)) return console.fail(*fault);
  console.print(fmt::format("\nTables and plots: {}\n", folder.string()));
  nlohmann::ordered_json json{{"folder", folder.string()}};
  json.update(comparison_json(result.value()));
  console.print_json("comparison", json);
  if (interrupted()) return 130;
  return options.write ? write_back(model.value(), result.value(), console) : 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  ComparisonOptions& o = options->comparison;
  add_model(line, options->model);
  line.option("--accuracy", o.accuracy, "Largest error allowed, relative to the largest value")
      .within(1e-13, 1.0)
      .shows_default();
  line.option("--formulations", o.formulations, "Only these; otherwise all").comma_separated();
  line.option("--integrators", o.integrators, "Only these, 'mampc:3' with an order")
      .comma_separated();
  line.option("--tolerances", o.tolerances, "For methods that control their error")
      .comma_separated()
      .within(1e-14, 1.0);
  line.option("--steps", o.steps, "In seconds, for methods with a fixed step")
      .comma_separated()
      .above_zero();
  line.option("--channels", o.channels, "What is compared; otherwise positions of the bodies")
      .comma_separated();
  line.option("--budget", o.budget, "Seconds that all of it may take").above_zero().shows_default();
  options->analysis.add_to(line, "dynamic", {"until", "output_step", "newton_iterations"});
  line.flag("--write", options->write, "Put the recommendation into the model's file");
  line.option("-o,--output", options->output, "A folder; otherwise compare/<model>");
  line.flag("--force", options->force, "Replace a comparison that is in the folder");
  line.json_flag(console);
  return [options, &console] {
    options->analysis.give_to(options->model);
    return work(*options, console);
  };
}

}  // namespace command_compare

extern const Command compare_command;
const Command compare_command{"compare",
                              "Try all methods on a model and recommend one for an accuracy",
                              command_compare::define};

}  // namespace cardan::app
