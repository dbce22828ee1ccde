#pragma once

// Ctrl-C: the first asks the run to stop at its next step, so that everything is kept; a second one
// ends the program at once.

namespace cardan::app {

void catch_interrupt();  // from now on; and a closed pipe no longer ends the program
bool interrupted();

// A write beyond a limit must come back as an error, not end the program.
void ignore_size_signal();

}  // namespace cardan::app
