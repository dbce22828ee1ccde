#pragma once

// Ctrl-C: the first asks the run to stop at its next step, so that everything is kept; a second one
// ends the program at once.

namespace cardan::app {

void catch_interrupt();  // from now on
bool interrupted();

// A write beyond a limit or into a closed pipe must come back as an error, not end the program.
void ignore_write_signals();

}  // namespace cardan::app
