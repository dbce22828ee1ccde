// cardan view RUN|DIR|SWEEP: a local page with the viewer, which follows runs while they grow, or with
// the points of a sweep.
#include <memory>

#include "command.h"
#include "part.h"

namespace cardan::app {

namespace command_view {

struct Options {
  std::string root = "runs";
  int port = 0;
};

int work(const Options& options, const Console& console) {
  return console.fail(
      become_part("cardan-view",
                  {options.root, std::to_string(options.port), console.json() ? "json" : "text"}));
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("RUN|DIR", options->root, "A run, a folder with runs below it, or a sweep")
      .shows_default();
  line.option("--port", options->port, "Port on the loopback address; otherwise any free one")
      .within(1, 65535);
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_view

extern const Command view_command;
const Command view_command{
    "view", "Show runs in the browser, also while they are running", command_view::define};

}  // namespace cardan::app
