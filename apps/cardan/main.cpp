// The command line: reads the arguments, calls the library, prints what it says.
#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cardan/results/manifest.h"
#include "command.h"
#include "interrupt.h"

namespace cardan::app {

namespace {

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command* command : commands()) names.emplace_back(command->name);
  return names;
}

// The option nearest to the first that nobody knows.
std::string nearest_option(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  for (const auto& unknown : app.remaining(true)) {
    if (!unknown.starts_with("--")) continue;
    const std::string nearest = nearest_name(unknown.substr(0, unknown.find('=')), names);
    if (!nearest.empty()) return fmt::format("did you mean {}?", nearest);
  }
  return {};
}

int refuse(const CLI::App& app, const CLI::ParseError& error, const Console& console) {
  const auto chosen = app.get_subcommands();
  const CLI::App& part = chosen.empty() ? app : *chosen.front();
  std::string hint = nearest_option(part);
  if (hint.empty())
    hint = chosen.empty() ? "cardan --help" : fmt::format("cardan {} --help", part.get_name());
  return console.fail(usage_fault("usage.bad-option", error.what(), hint));
}

int parse_and_run(int argc, char** argv, Console& console) {
  CLI::App app("Cardan simulates mechanisms of rigid bodies, joints, drivers and forces.",
               "cardan");
  app.set_version_flag("--version", fmt::format("cardan {}", version()));
  app.require_subcommand(1);
  app.footer("cardan COMMAND --help tells the options of a command.");
  std::function<int()> action;
  for (const Command* command : commands()) {
    CLI::App* part = app.add_subcommand(command->name, command->summary);
    part->callback([&action, work = command->define(*part, console)] { action = work; });
  }
  const std::vector<std::string> names = command_names();
  if (argc > 1 && argv[1][0] != '-' &&
      std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    const std::string nearest = nearest_name(argv[1], names);
    const std::string hint =
        nearest.empty() ? "cardan --help" : fmt::format("did you mean 'cardan {}'?", nearest);
    return console.fail(usage_fault(
        "usage.unknown-command", fmt::format("there is no command '{}'", argv[1]), hint));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help and version
    return refuse(app, error, console);
  }
  return action();
}

}  // namespace

}  // namespace cardan::app

int main(int argc, char** argv) {
  using namespace cardan::app;
  Console console;
  ignore_size_signal();
  for (int i = 1; i < argc; ++i)  // so that a fault of the command line itself is told as JSON, too
    if (std::string(argv[i]) == "--json" && std::string(argv[1]) != "export") console.use_json();
  const std::string report_it =
      "report this with the model that led to it: it is a defect of Cardan";
  try {
    return parse_and_run(argc, argv, console);
  } catch (const std::bad_alloc&) {
    return console.fail(usage_fault(
        "limit.memory", "there is not enough memory", "a smaller model or fewer outputs"));
  } catch (const std::exception& error) {
    return console.fail(usage_fault("defect.internal", error.what(), report_it));
  } catch (...) {
    return console.fail(usage_fault("defect.internal", "an unknown exception", report_it));
  }
}
