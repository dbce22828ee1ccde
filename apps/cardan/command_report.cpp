// cardan report RUN ...: one HTML file with animation, plots and all that is known of the run;
// several runs are compared. --pdf: two sheets that can be handed over.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "browser.h"
#include "cardan/report/report.h"
#include "cardan/report/report_document.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"
#include "command.h"
#include "open_page.h"

namespace cardan::app {

namespace command_report {

struct Options {
  std::vector<std::string> runs;
  std::string output, pdf;
  ReportOptions report;
  bool open = false, force = false;
};

struct Written {
  std::filesystem::path path;
  std::size_t bytes = 0;
  bool running = false;  // a run in it was still being written
};

Result<Written> write_once(const Options& options) {
  std::vector<RunReader> readers;
  for (const std::string& run : options.runs) {
    auto reader = RunReader::open(run);
    if (!reader) return reader.why();
    readers.push_back(std::move(reader).value());
  }
  Written out;
  std::vector<const RunReader*> pointers;
  for (const RunReader& reader : readers) {
    pointers.push_back(&reader);
    out.running = out.running || run_status(reader) == "running";
  }
  const char* name = readers.size() > 1 ? "comparison.html" : report_name;
  out.path = options.output.empty() ? readers.front().path().parent_path() / name
                                    : std::filesystem::path(options.output);
  std::error_code error;  // the run's own report belongs to it and is renewed
  if (!options.output.empty() && !options.force && std::filesystem::exists(out.path, error))
    return already_there(out.path);
  const auto html = report_html(pointers, options.report);
  if (!html) return html.why();
  if (const auto fault = write_file(out.path, html.value())) return *fault;
  out.bytes = html.value().size();
  return out;
}

bool any_running(const Options& options) {
  return std::any_of(options.runs.begin(), options.runs.end(), [](const std::string& run) {
    const auto reader = RunReader::open(run);
    return reader && run_status(reader.value()) == "running";
  });
}

// The page lays itself out as two sheets, and the browser prints them.
Result<std::string> sheets(const std::filesystem::path& page) {
  auto browser = Browser::start(1200, 900);
  if (!browser) return browser.why();
  const auto ready = browser.value()->open(page, "document.documentElement.dataset.ready");
  if (!ready) return ready.why();
  const auto made = browser.value()->evaluate("cardan.paper()");
  if (!made) return made.why();
  return browser.value()->pdf(0, 0);
}

Sink::Fault write_pdf(const Options& options) {
  namespace fs = std::filesystem;
  if (viewer_page().empty()) {
    Diagnostic d;
    d.id = "io.no-viewer";
    return d;
  }
  const auto run = RunReader::open(options.runs.front());
  if (!run) return run.why().front();
  const auto html = report_html({&run.value()}, options.report);
  if (!html) return html.why().front();
  std::string folder = (fs::temp_directory_path() / "cardan-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return write_fault(folder, "no temporary folder could be made");
  const fs::path page = fs::path(folder) / report_name;
  auto fault = write_file(page, html.value());
  if (!fault) {
    const auto printed = sheets(page);
    fault = printed ? write_file(options.pdf, printed.value()) : Sink::Fault(printed.why().front());
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return fault;
}

int pdf(const Options& options, const Console& console) {
  std::error_code error;
  if (!options.force && std::filesystem::exists(options.pdf, error))
    return console.fail(already_there(options.pdf));
  if (options.runs.size() > 1)
    return console.fail(usage_fault("usage.bad-value",
                                    fmt::format("--pdf with {} runs", options.runs.size()),
                                    "give one run: the sheets are about one"));
  if (const auto fault = write_pdf(options)) return console.fail(*fault);
  console.print(options.pdf + "\n");
  console.print_json("report", {{"path", options.pdf}});
  return 0;
}

// A run that ends while its report is made writes its own, which ours may replace: so once more.
int work(Options& options, const Console& console) {
  if (options.pdf.empty() && std::filesystem::path(options.output).extension() == ".pdf")
    options.pdf = options.output;
  if (!options.pdf.empty()) return pdf(options, console);
  auto written = write_once(options);
  if (written && written.value().running && !any_running(options)) {
    Options again = options;
    again.force = true;
    written = write_once(again);
  }
  if (!written) return console.fail(written.why());
  const auto& [path, bytes, ignored] = written.value();
  console.print(fmt::format("{} ({:.2f} MB)\n", path.string(), static_cast<double>(bytes) / 1e6));
  console.print_json("report", {{"path", path.string()}, {"bytes", bytes}});
  if (viewer_page().empty())
    console.print("Built without the viewer: the report has no plots and no animation.\n");
  if (options.open)
    if (const auto fault = open_page(path)) console.report(*fault);
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("RUN", options->runs, "The run's folder or its run.db; several are compared")
      .required()
      .values(1, 12);
  const Described output =
      line.option("-o,--output",
                  options->output,
                  "The file to write; otherwise report.html in the run's folder");
  line.flag("--force", options->force, "Replace the file if it is there");
  const Described open = line.flag("--open", options->open, "Show it in the browser");
  line.option("--pdf", options->pdf, "Write two sheets of paper instead (needs Chromium)")
      .excludes(output)
      .excludes(open);
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
    "Write the report of a run, or the comparison of several, as one HTML file",
    command_report::define};

}  // namespace cardan::app
