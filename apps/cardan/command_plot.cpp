// cardan plot RUN CHANNEL...: channels over time or over another channel, as SVG, PNG or in the
// terminal.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "browser.h"
#include "cardan/report/report_document.h"
#include "cardan/report/run_plots.h"
#include "cardan/report/terminal_plot.h"
#include "cardan/results/display_units.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"
#include "command.h"
#include "drawing.h"
#include "run_arguments.h"

namespace cardan::app {

namespace command_plot {

struct Options {
  RunArguments run;
  std::vector<std::string> more_runs;
  std::string x, output, title, units;
  bool terminal = false, log = false, equal = false, error = false, force = false;
  DisplayUnits shown{};
  std::vector<int> size{900, 420};
};

TerminalSize terminal_size() {
  TerminalSize size;
  winsize window{};
  size.colour = isatty(STDOUT_FILENO) != 0;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    size.columns = window.ws_col;
  return size;
}

struct Source {
  RunReader reader;
  int segment;
  std::string label;
};

int write(const std::vector<Plot>& plots, const Options& options, const Console& console) {
  const std::string text = svg(plots);
  std::filesystem::path path = options.output;
  if (path.empty()) path = "plot.svg";
  std::error_code error;
  if (!options.force && std::filesystem::exists(path, error))
    return console.fail(already_there(path));
  const bool png = path.extension() == ".png", pdf = path.extension() == ".pdf";
  if (!png && !pdf && path.extension() != ".svg")
    return console.fail(usage_fault("usage.bad-value",
                                    fmt::format("a plot as {}", path.extension().string()),
                                    "name a file that ends in .svg, .png or .pdf"));
  if (png || pdf) {
    int height = 0;
    for (const Plot& plot : plots) height += plot.height;
    auto drawn =
        png ? png_of_svg(text, options.size[0], height) : pdf_of_svg(text, options.size[0], height);
    if (!drawn) return console.fail(drawn.why());
    if (const auto fault = write_file(path, drawn.value())) return console.fail(*fault);
  } else if (const auto fault = write_file(path, text)) {
    return console.fail(*fault);
  }
  console.print(path.string() + "\n");
  return 0;
}

int work(Options& options, const Console& console) {
  auto chosen = choose(options.run);
  if (!chosen) return console.fail(chosen.why());
  auto units = DisplayUnits::parse(options.units);
  if (!units) return console.fail(units.why());
  options.shown = std::move(units).value();
  std::vector<Channel> channels;
  for (const int c : chosen.value().channels)
    channels.push_back(chosen.value()
                           .reader.segments()[static_cast<std::size_t>(chosen.value().segment)]
                           .channels[static_cast<std::size_t>(c)]);
  if (options.run.channels.empty()) {  // what the model asks for, and what its drivers need
    const std::string first = channels.empty() ? "t" : channels.front().name;
    std::erase_if(channels, [](const Channel& c) {
      return c.quantity != "request" && c.quantity != "drive" && c.quantity != "state";
    });
    if (channels.empty())
      return console.fail(
          usage_fault("usage.bad-value",
                      "no channel to plot, and no requests and drivers in the model",
                      fmt::format("name one, for example '{}'; cardan table lists all", first)));
  }
  std::vector<Source> sources;
  sources.push_back({std::move(chosen.value().reader), chosen.value().segment, options.run.run});
  for (const std::string& other : options.more_runs) {
    auto reader = RunReader::open(other);
    if (!reader) return console.fail(reader.why());
    const int segment = main_segment(reader.value());
    if (segment < 0) return console.fail(not_a_run(other, "the run holds no samples"));
    sources.push_back({std::move(reader).value(), segment, other});
  }
  std::vector<PlotSource> of_runs;
  for (const Source& s : sources) of_runs.push_back({&s.reader, s.segment, s.label});
  RunPlotOptions drawn;
  drawn.x = options.x;
  drawn.log = options.log, drawn.equal = options.equal, drawn.error = options.error;
  drawn.units = options.shown;
  drawn.width = options.size[0], drawn.height = options.size[1];
  auto plots = run_plots(of_runs, channels, drawn);
  if (!plots) return console.fail(plots.why());
  plots.value().front().title =
      options.title.empty() ? run_title(sources.front().reader) : options.title;
  if (!options.terminal) return write(plots.value(), options, console);
  for (const Plot& plot : plots.value()) draw(console, terminal_plot(plot, terminal_size()) + "\n");
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  options->run.add_to(line);
  line.option("--with", options->more_runs, "Another run to lay over this one; may be repeated");
  const Described x = line.option("--x", options->x, "A channel for the x axis instead of time");
  const Described output = line.option(
      "-o,--output",
      options->output,
      "The file: .svg, .png or .pdf (the last two through headless Chromium); otherwise plot.svg");
  const Described force = line.flag("--force", options->force, "Replace the file if it is there");
  add_units(line, options->units);
  line.option("--title", options->title, "Title instead of the run's name");
  const Described size =
      line.option("--size", options->size, "Width and height of one plot in pixels")
          .values(2, 2)
          .within(100, 10000);
  const Described error = line.flag(
      "--error", options->error, "The estimated errors of the channels instead, logarithmic");
  line.flag("--log", options->log, "Logarithmic y axis").excludes(error);
  line.flag("--equal", options->equal, "One unit is as long in x as in y").needs(x);
  line.flag("--term", options->terminal, "Draw in the terminal")
      .excludes(output)
      .excludes(force)
      .excludes(size);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_plot

extern const Command plot_command;
const Command plot_command{
    "plot", "Plot channels as SVG, PNG or PDF, or in the terminal", command_plot::define};

}  // namespace cardan::app
