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

namespace command_report {

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
    console.print("Built without the viewer: the report has no plots and no animation.\n");
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("RUN", options->runs, "The run's folder or its run.db; two of them are compared")
      .required()
      .values(1, 2);
  line.option("-o,--output",
              options->output,
              "The file to write; otherwise report.html in the run's folder");
  line.flag("--full", options->report.full, "Keep every sample, however large the file gets");
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_report

extern const Command report_command;
const Command report_command{
    "report",
    "Write the report of a run, or the comparison of two, as one HTML file",
    command_report::define};

}  // namespace cardan::app
