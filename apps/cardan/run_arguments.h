#pragma once
// RUN and the channels wanted from it: the same for every command that shows samples.
#include <string>
#include <vector>

#include "cardan/results/run_reader.h"
#include "command_line.h"

namespace cardan::app {

struct RunArguments {
  std::string run;
  std::vector<std::string> channels;  // names or patterns
  int analysis = 0;                   // as counted by people; 0: the one that matters

  void add_to(CommandLine&);
};

// --units of a command; DisplayUnits::parse reads what was given.
void add_units(CommandLine&, std::string& units);

struct ChosenRun {
  RunReader reader;
  int segment = 0;
  std::vector<int> channels;
};

// Opens the run and finds the channels in it.
Result<ChosenRun> choose(const RunArguments&);

}  // namespace cardan::app
