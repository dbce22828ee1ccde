// cardan run MODEL and cardan assemble MODEL: analyse a model and store the results.
#include <memory>

#include "cardan/io/scene.h"
#include "cardan/results/manifest.h"
#include "command.h"
#include "model_arguments.h"
#include "run_session.h"

namespace cardan::app {

namespace command_run {

struct Options {
  ModelArguments model;
  AnalysisArguments analysis;
  OutputArguments output;
  bool assemble = false;  // only that
  bool strict = false;    // a doubtful run is a failure
};

int start(const Options& options, const Model& model, const Console& console) {
  auto manifest = make_manifest({model.path, model.text, model.included}, settings_of(model));
  manifest["arguments"] = to_json(options.model, options.analysis);
  manifest["arguments"]["assemble"] = options.assemble;
  manifest["scene"] = scene_of(model);
  manifest["status"] = "running";
  RunOutput output(options.output, model_file(options.model.path), std::move(manifest));
  if (const auto fault = output.check()) return console.fail(*fault);
  return run_session(model, output, {}, console, options.strict);
}

int work(const Options& options, const Console& console) {
  auto model = read(options.model);
  if (!model) return console.fail(model.why());
  const Diagnostics faults = apply(options.analysis, model.value());
  if (!faults.empty()) return console.fail(faults);
  if (options.assemble || model.value().analyses.empty()) keep_assembly_only(model.value());
  return start(options, model.value(), console);
}

void add_output(CommandLine& line, OutputArguments& output) {
  line.option("-o,--output", output.folder, "The run's folder; without it runs/<model>/<number>");
  line.flag("--force", output.force, "Replace a run that is in the folder");
  line.flag("--csv", output.csv, "Write samples.csv too");
  line.flag("!--no-report", output.report, "Leave out report.html");
}

std::function<int()> define_run(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  options->model.add_to(line);
  options->analysis.add_to(line);
  add_output(line, options->output);
  line.flag("--strict", options->strict, "End with exit code 6 when the results are doubtful");
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

std::function<int()> define_assemble(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  options->assemble = true;
  options->model.add_to(line);
  add_output(line, options->output);
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_run

extern const Command run_command, assemble_command;
const Command run_command{"run", "Run the analyses that a model asks for", command_run::define_run};
const Command assemble_command{
    "assemble", "Find the pose in which all joints are closed", command_run::define_assemble};

}  // namespace cardan::app
