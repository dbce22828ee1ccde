// cardan-view RUN|DIR PORT json|text: the part of `cardan view` that serves the page (part.h).
#include <csignal>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/report/report.h"
#include "cardan/results/faults.h"
#include "guard.h"
#include "serve/run_server.h"

namespace cardan::app {

namespace {

Diagnostic plain_fault(const char* id, std::string found) {
  Diagnostic d;
  d.id = id;
  d.found = std::move(found);
  return d;
}

RunServer* to_stop = nullptr;

// Points of a sweep lie in a temporary folder, which goes with the server.
void stop_on_a_signal(RunServer& server) {
  to_stop = &server;

  struct sigaction action {};

  action.sa_handler = [](int) {
    to_stop->stop();
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int view(const std::string& root, int port, const Console& console) {
  if (viewer_page().empty())
    return console.fail(plain_fault("io.no-viewer", "no viewer in this program"));
  std::error_code error;
  if (!std::filesystem::exists(root, error))
    return console.fail(missing_file(root, "a run, or a folder with runs"));
  RunServer server(root);
  if (!server.bind(port))
    return console.fail(plain_fault("io.port", fmt::format("port {} of 127.0.0.1", port)));
  const std::string what =
      server.of_a_sweep()
          ? std::string("A sweep")
          : fmt::format("{} run{}", server.runs().size(), server.runs().size() == 1 ? "" : "s");
  console.print(fmt::format(
      "{}. Open {}\nThe link works on this machine only, until this program ends (Ctrl-C).\n",
      what,
      server.address()));
  console.print_json("serving", {{"address", server.address()}, {"port", server.port()}});
  if (server.of_a_sweep()) stop_on_a_signal(server);
  server.serve();
  return 0;
}

}  // namespace

}  // namespace cardan::app

int main(int argc, char** argv) {
  using namespace cardan::app;
  Console console;
  if (argc != 4)
    return console.fail(usage_fault(
        "usage.bad-option", "cardan-view is a part of Cardan", "use cardan view --help"));
  if (std::string_view(argv[3]) == "json") console.use_json();
  return guarded(console, [&] { return view(argv[1], std::atoi(argv[2]), console); });
}
