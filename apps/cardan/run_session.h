#pragma once
// One run of a model from the command line: progress, interruption, storage and what is said at the
// end. Shared by run, assemble and resume.
#include <span>

#include "cardan/model/model.h"
#include "console.h"
#include "run_output.h"

namespace cardan::app {

// Gives the exit code. strict: that of a doubtful run is 6.
int run_session(
    const Model&, RunOutput&, std::span<const std::byte> checkpoint, const Console&, bool strict);

}  // namespace cardan::app
