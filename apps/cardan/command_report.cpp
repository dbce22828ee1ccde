// cardan report RUN [RUN]: one HTML file with animation, plots and all that is known of the run;
// two runs are compared.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/results/report.h"
#include "cardan/results/run_folder.h"
#include "command.h"

namespace cardan::app {

namespace {

struct Options {
  std::vector<std::string> runs;
  std::string output;
  ReportOptions report;
};

int work(const Options& options, const Console& console) {
  std::vector<RunReader> readers;
  for (const std::string& run : options.runs) {
    auto reader = RunReader::open(run);
    if (!reader) return console.fail(reader.why());
    readers.push_back(std::move(reader).value());
  }
  std::vector<const RunReader*> pointers;
  for (const RunReader& reader : readers) pointers.push_back(&reader);
  const auto html = report_html(pointers, options.report);
  if (!html) return console.fail(html.why());
  const char* name = readers.size() > 1 ? "comparison.html" : report_name;
  const std::filesystem::path path = options.output.empty()
                                         ? readers.front().path().parent_path() / name
                                         : std::filesystem::path(options.output);
  if (const auto fault = write_file(path, html.value())) return console.fail(*fault);
  console.print(fmt::format(
      "{} ({:.2f} MB)\n", path.string(), static_cast<double>(html.value().size()) / 1e6));
  console.print_json("report", {{"path", path.string()}, {"bytes", html.value().size()}});
  if (viewer_page().empty())
    console.print("Built without Node.js: the report has no plots and no animation.\n");
  return 0;
}

std::function<int()> define(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  app.add_option("RUN", options->runs, "The run's folder or its run.db; two of them are compared")
      ->required()
      ->expected(1, 2);
  app.add_option("-o,--output",
                 options->output,
                 "The file to write; otherwise report.html in the run's folder");
  app.add_flag("--full", options->report.full, "Keep every sample, however large the file gets");
  add_json_flag(app, console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace

extern const Command report_command;
const Command report_command{
    "report", "Write the report of a run, or the comparison of two, as one HTML file", define};

}  // namespace cardan::app
