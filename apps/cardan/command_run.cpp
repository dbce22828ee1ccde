// cardan run MODEL, and a command for every analysis: cardan assemble MODEL, cardan dynamic MODEL ...
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "cardan/model/analysis_type.h"
#include "command.h"
#include "model_arguments.h"
#include "run_session.h"

namespace cardan::app {

namespace command_run {

struct Options {
  RunRequest request;
  AnalysisArguments analysis;
  bool strict = false;    // a doubtful run is a failure
  bool trace = false;     // every iteration is printed
  bool branches = false;  // all ways to put the mechanism together
  bool open = false;      // show the report
};

std::function<int()> define(CommandLine& line, Console& console, const AnalysisType* only) {
  auto options = std::make_shared<Options>();
  RunRequest& request = options->request;
  add_model(line, request.model);
  if (only != nullptr) request.model.analysis = only->name;
  options->analysis.add_to(line, only == nullptr ? "dynamic" : only->name);
  if (only != nullptr && only->name == "assembly")
    line.flag("--branches", options->branches, "List all ways to put the mechanism together");
  add_output(line, request.output);
  line.flag("--open", options->open, "Show the report in the browser at the end");
  line.flag("--trace", options->trace, "Print every iteration of the solvers");
  line.flag("--strict", options->strict, "End with exit code 6 when the results are doubtful");
  line.json_flag(console);
  return [options, &console] {
    RunRequest& asked = options->request;
    options->analysis.give_to(asked.model);
    return run_session(
        [&](const Control& control) {
          asked.control = control;
          asked.control.branches = options->branches;
          if (options->trace)
            asked.control.trace = [&console](std::string_view text) {
              console.print(std::string(text) + '\n');
              console.print_json("trace", {{"line", text}});
            };
          return run_model_file(asked);
        },
        console,
        options->strict,
        options->open);
  };
}

std::function<int()> define_run(CommandLine& line, Console& console) {
  return define(line, console, nullptr);
}

}  // namespace command_run

extern const Command run_command;
const Command run_command{"run", "Run the analyses that a model asks for", command_run::define_run};

namespace {

// For the list of commands, in the tone of the others.
const char* summary_of(const AnalysisType& type) {
  static constexpr std::pair<std::string_view, const char*> table[] = {
      {"assemble", "Put the mechanism together"},
      {"kinematic", "Follow the motion that the drivers determine"},
      {"inverse", "Find the forces that the driven motion needs"},
      {"dynamic", "Simulate the motion"},
      {"linearise", "Linearise the motion about the state it starts from"},
      {"equilibrium", "Find where all forces balance"}};
  for (const auto& [command, summary] : table)
    if (command == type.command) return summary;
  return type.doc.data();
}

}  // namespace

Command analysis_command(const AnalysisType& type) {
  return {type.command.data(), summary_of(type), [&type](CommandLine& line, Console& console) {
            return command_run::define(line, console, &type);
          }};
}

}  // namespace cardan::app
