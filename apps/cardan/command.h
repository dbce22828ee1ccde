#pragma once
// A subcommand: its name, one line about it, and how it adds its options to the command line. One
// file each; the table of all of them is in commands.cpp.
#include <functional>
#include <vector>

#include "command_line.h"
#include "console.h"

namespace cardan::app {

struct Command {
  const char* name;
  const char* summary;
  // Adds the options; the function it returns does the work once they are read, and gives the exit
  // code.
  std::function<std::function<int()>(CommandLine&, Console&)> define;
};

const std::vector<Command>& commands();

}  // namespace cardan::app
