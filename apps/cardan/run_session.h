#pragma once
// One run from the command line: progress, interruption and what is said at the end.
#include <functional>

#include "cardan/session/session.h"
#include "command_line.h"
#include "console.h"

namespace cardan::app {

// Gives the exit code. strict: that of a doubtful run is 6. open: show the report at the end.
int run_session(const std::function<Result<RunResult>(const Control&)>& run,
                const Console&,
                bool strict,
                bool open = false);

// What a run of one or several analyses says of itself.
std::string summary_words(const Summary&);

void add_output(CommandLine&, OutputSetting&);

}  // namespace cardan::app
