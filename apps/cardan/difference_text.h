#pragma once
// What `cardan diff` and `cardan verify` say about two runs.
#include "cardan/results/run_difference.h"
#include "console.h"

namespace cardan::app {

// Prints the difference and gives the exit code: 0 for the same bits, 1 otherwise. `lines`: so many
// channels and other differences are listed.
int tell_difference(const RunDifference&, const Console&, std::size_t lines);

}  // namespace cardan::app
