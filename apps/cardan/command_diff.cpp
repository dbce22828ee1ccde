// cardan diff RUN RUN: whether two runs hold the same bits, and where they differ first.
// cardan verify RUN: runs a stored run again and compares.
#include <memory>

#include <fmt/format.h>

#include "cardan/results/run_reader.h"
#include "cardan/session/verify.h"
#include "command.h"
#include "difference_text.h"
#include "interrupt.h"
#include "progress.h"

namespace cardan::app {

namespace command_diff {

constexpr int exit_interrupted = 130;

struct Options {
  std::vector<std::string> runs;
  std::string run, keep;
  std::size_t lines = 20;
};

void add_lines(CommandLine& line, Options& options) {
  line.option("--lines", options.lines, "So many channels are listed").shows_default();
}

int diff(const Options& options, const Console& console) {
  const auto first = RunReader::open(options.runs[0]);
  if (!first) return console.fail(first.why());
  const auto second = RunReader::open(options.runs[1]);
  if (!second) return console.fail(second.why());
  const auto difference = difference_of(first.value(), second.value(), true);
  if (!difference) return console.fail(difference.why());
  return tell_difference(difference.value(), console, options.lines);
}

std::function<int()> define_diff(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("RUN", options->runs, "Two runs: their folders or run.db").required().values(2, 2);
  add_lines(line, *options);
  line.json_flag(console);
  return [options, &console] {
    return diff(*options, console);
  };
}

int verify(const Options& options, const Console& console) {
  catch_interrupt();
  Progress progress(console);
  Control control;
  control.cancelled = [] {
    return interrupted();
  };
  control.progress = [&](double t, double from, double until) {
    progress.update(t, from, until);
  };
  const auto result = verify_run(options.run, options.keep, control);
  progress.clear();
  if (!result) return console.fail(result.why());
  const Verification& found = result.value();
  if (found.interrupted) {
    console.print("interrupted: nothing was compared\n");
    return exit_interrupted;
  }
  if (!found.other_version.empty())
    console.print(fmt::format("stored by Cardan {}\n", found.other_version));
  if (!found.other_processor.empty())
    console.print(fmt::format("stored on: {}\n", found.other_processor));
  if (!found.whole) console.print("the stored run was stopped: compared as far as it goes\n");
  return tell_difference(found.difference, console, options.lines);
}

std::function<int()> define_verify(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("RUN", options->run, "The run's folder or its run.db").required();
  line.option("-o,--output", options->keep, "Keep the second run in this folder");
  add_lines(line, *options);
  line.json_flag(console);
  return [options, &console] {
    return verify(*options, console);
  };
}

}  // namespace command_diff

extern const Command diff_command;
const Command diff_command{"diff",
                           "Compare two runs bit by bit: the first difference by channel and time",
                           command_diff::define_diff};

extern const Command verify_command;
const Command verify_command{
    "verify", "Run a stored run again and compare it bit by bit", command_diff::define_verify};

}  // namespace cardan::app
