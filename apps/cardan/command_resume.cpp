// cardan resume RUN: goes on with a run that was stopped or killed, from its last checkpoint.
#include <memory>

#include "command.h"
#include "run_session.h"

namespace cardan::app {

namespace command_resume {

struct Options {
  std::string run;
  OutputSetting output;
  bool strict = false;
};

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("RUN", options->run, "The run's folder or its run.db").required();
  line.flag("--strict", options->strict, "End with exit code 6 when the results are doubtful");
  line.flag("--csv", options->output.csv, "Write samples.csv too");
  line.flag("!--no-report", options->output.report, "Leave out report.html");
  line.json_flag(console);
  return [options, &console] {
    return run_session(
        [&](const Control& control) { return resume_run(options->run, options->output, control); },
        console,
        options->strict);
  };
}

}  // namespace command_resume

extern const Command resume_command;
const Command resume_command{
    "resume", "Go on with a run that was stopped or killed", command_resume::define};

}  // namespace cardan::app
