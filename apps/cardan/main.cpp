// The command line: reads the arguments, calls the library, prints what it says.
#include <string_view>

#include "command_line.h"
#include "guard.h"
#include "interrupt.h"

int main(int argc, char** argv) {
  using namespace cardan::app;
  Console console;
  ignore_size_signal();
  for (int i = 1; i < argc; ++i)  // so that a fault of the command line itself is told as JSON, too
    if (std::string_view(argv[i]) == "--json" && std::string_view(argv[1]) != "export")
      console.use_json();
  return guarded(console, [&] { return parse_and_run(argc, argv, console); });
}
