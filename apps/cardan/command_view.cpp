// cardan view RUN|DIR: a local page with the viewer, which follows runs while they grow.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/results/faults.h"
#include "cardan/results/report.h"
#include "command.h"
#include "serve/run_server.h"

namespace cardan::app {

namespace {

struct Options {
  std::string root = "runs";
  int port = 0;
};

Diagnostic plain_fault(const char* id, std::string found) {
  Diagnostic d;
  d.id = id;
  d.found = std::move(found);
  return d;
}

int work(const Options& options, const Console& console) {
  if (viewer_page().empty())
    return console.fail(plain_fault("io.no-viewer", "no viewer in this program"));
  std::error_code error;
  if (!std::filesystem::exists(options.root, error))
    return console.fail(missing_file(options.root, "a run, or a folder with runs"));
  RunServer server(options.root);
  if (!server.bind(options.port))
    return console.fail(plain_fault("io.port", fmt::format("port {} of 127.0.0.1", options.port)));
  console.print(fmt::format(
      "{} run{}. Open {}\nThe link works on this machine only, until this program ends (Ctrl-C).\n",
      server.runs().size(),
      server.runs().size() == 1 ? "" : "s",
      server.address()));
  console.print_json("serving", {{"address", server.address()}, {"port", server.port()}});
  server.serve();
  return 0;
}

std::function<int()> define(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  app.add_option("RUN|DIR", options->root, "A run, or a folder with runs below it")
      ->capture_default_str();
  app.add_option("--port", options->port, "Port on the loopback address; otherwise any free one")
      ->check(CLI::Range(1, 65535));
  add_json_flag(app, console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace

extern const Command view_command;
const Command view_command{"view", "Show runs in the browser, also while they are running", define};

}  // namespace cardan::app
