// cardan optimise MODEL: values of parameters that make a measure least, or channels follow data. The search is
// SciPy's, so the Python package does it (python/cardan/optimise.py); this command asks for it.
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardan/results/json.h"
#include "cardan/results/manifest.h"
#include "cardan/session/model_request.h"
#include "command.h"
#include "model_arguments.h"

extern char** environ;

namespace cardan::app {

namespace command_optimise {

using Json = nlohmann::ordered_json;

struct Options {
  ModelRequest model;
  AnalysisArguments analysis;
  std::vector<std::string> over, subject_to;
  std::string minimise, maximise, fit;
  int starts = 1, seed = 0;
};

std::string interpreter() {
  const char* named = std::getenv("CARDAN_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

// Does it have the package and SciPy?
bool has_package(const std::string& python) {
  std::string program = python, flag = "-c",
              text = "import cardan.optimise_command, scipy.optimize";
  std::array<char*, 4> words{program.data(), flag.data(), text.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program.c_str(), &quiet, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Diagnostic no_package(const std::string& python) {
  Diagnostic d;
  d.id = "io.no-part";
  d.found = fmt::format("no package cardan with SciPy in {}", python);
  d.expected = "the Python package";
  d.hint = "pip install '.[sweep]' in the repository, or name an interpreter in CARDAN_PYTHON";
  return d;
}

int work(Options& options, const Console& console) {
  const int aims = static_cast<int>(!options.minimise.empty()) +
                   static_cast<int>(!options.maximise.empty()) +
                   static_cast<int>(!options.fit.empty());
  if (aims != 1)
    return console.fail(usage_fault("usage.bad-option",
                                    fmt::format("{} of --minimise, --maximise, --fit", aims),
                                    "one of them"));
  if (!options.fit.empty() && !options.subject_to.empty())
    return console.fail(usage_fault(
        "usage.bad-option", "--subject-to with --fit", "it with --minimise or --maximise"));
  if (options.over.empty())
    return console.fail(
        usage_fault("usage.bad-option", "no --over", "--over 'parameter=low:high unit'"));
  const std::string python = interpreter();
  if (!has_package(python)) return console.fail(no_package(python));
  options.analysis.give_to(options.model);
  std::string asked = to_line({{"version", version()},
                               {"model", options.model.path},
                               {"set", options.model.set},
                               {"spatial", options.model.spatial},
                               {"options", options.model.options},
                               {"analysis", options.model.analysis},
                               {"over", options.over},
                               {"minimise", options.minimise},
                               {"maximise", options.maximise},
                               {"fit", options.fit},
                               {"subject_to", options.subject_to},
                               {"starts", options.starts},
                               {"seed", options.seed},
                               {"json", console.json()}});
  std::string program = python, flag = "-m", name = "cardan.optimise_command";
  const std::array<char*, 5> words{program.data(), flag.data(), name.data(), asked.data(), nullptr};
  execvp(program.c_str(), words.data());
  return console.fail(no_package(python));
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("MODEL", options->model.path, "The model file, or a folder with a model.toml")
      .required();
  add_model_options(line, options->model);
  line.option("--over", options->over, "parameter=low:high unit; may be repeated").one_each();
  line.option("--minimise", options->minimise, "A measure, e.g. 'max(abs(\"wrist pin.force\"))'");
  line.option("--maximise", options->maximise, "A measure");
  line.option("--fit", options->fit, "A CSV file: t and channels that the model shall follow");
  line.option("--subject-to",
              options->subject_to,
              "measure <= value or measure >= value; may be repeated")
      .one_each();
  line.option("--starts", options->starts, "Searches from so many starts between the bounds")
      .within(1, 1000);
  line.option("--seed", options->seed, "Of the starts").within(0, 2'000'000'000);
  line.option(
      "--analysis", options->model.analysis, "Only this analysis; otherwise those of the model");
  options->analysis.add_to(line, "dynamic");
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_optimise

extern const Command optimise_command;
const Command optimise_command{
    "optimise",
    "Values of parameters that make a measure least, or that fit measured data",
    command_optimise::define};

}  // namespace cardan::app
