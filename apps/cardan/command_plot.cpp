// cardan plot RUN CHANNEL...: channels over time or over another channel, as SVG, PNG or in the
// terminal.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "browser.h"
#include "cardan/report/report_document.h"
#include "cardan/report/svg_plot.h"
#include "cardan/report/terminal_plot.h"
#include "cardan/results/display_units.h"
#include "cardan/results/faults.h"
#include "cardan/results/not_unique.h"
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

struct Source {
  RunReader reader;
  int segment;
  std::string label;
};

std::string pretty_unit(std::string unit) {
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (std::size_t at; (at = unit.find(from)) != std::string::npos;)
      unit.replace(at, from.size(), to);
  };
  replace("^2", "²");
  replace("^3", "³");
  replace("*", "·");
  return unit;
}

const Channel* find(const Source& source, const std::string& name) {
  for (const Channel& c :
       source.reader.segments()[static_cast<std::size_t>(source.segment)].channels)
    if (c.name == name) return &c;
  return nullptr;
}

Result<std::vector<double>> values_of(const Source& source,
                                      const std::string& name,
                                      std::vector<double>* time,
                                      bool error = false) {
  const auto& channels =
      source.reader.segments()[static_cast<std::size_t>(source.segment)].channels;
  const auto selected = select_channels(channels, std::span(&name, 1));
  if (!selected) return selected.why();
  if (error) {
    if (!source.reader.has_estimate(source.segment))
      return not_a_run(source.label,
                       "the run has no error estimate; see cardan run --error-estimate");
    auto estimates = source.reader.estimates(source.segment, std::span(selected.value()).first(1));
    if (!estimates) return estimates.why();
    const auto times = source.reader.read(source.segment, {});
    if (!times) return times.why();
    if (time != nullptr) *time = times.value().t;
    return std::move(estimates.value().front());
  }
  auto columns = source.reader.read(source.segment, std::span(selected.value()).first(1));
  if (!columns) return columns.why();
  if (time != nullptr) *time = std::move(columns.value().t);
  return std::move(columns.value().values.front());
}

void scale(std::vector<double>& values, double factor) {
  if (factor != 1)
    for (double& x : values) x *= factor;
}

// One plot per unit, the channels of all runs in it.
Result<std::vector<Plot>> make_plots(const std::vector<Source>& sources,
                                     const std::vector<Channel>& channels,
                                     const Options& options) {
  std::vector<Plot> plots;
  std::vector<std::string> units;
  for (const Channel& channel : channels) {
    std::size_t k = static_cast<std::size_t>(std::find(units.begin(), units.end(), channel.unit) -
                                             units.begin());
    if (k == units.size()) {
      units.push_back(channel.unit);
      Plot plot;
      plot.width = options.size[0], plot.height = options.size[1];
      plot.x = {"time", "s", false, {}};
      if (!options.x.empty()) {
        const Channel* x = find(sources.front(), options.x);
        plot.x = {
            options.x, x == nullptr ? "" : pretty_unit(options.shown.of(x->unit).unit), false, {}};
        plot.equal_axes = options.equal || (x != nullptr && x->unit == channel.unit);
      }
      plot.y = {options.error ? "estimated error of " + channel.quantity : channel.quantity,
                pretty_unit(options.shown.of(channel.unit).unit),
                options.log || options.error,
                {}};
      plots.push_back(std::move(plot));
    }
    for (std::size_t r = 0; r < sources.size(); ++r) {
      if (find(sources[r], channel.name) == nullptr) continue;
      PlotCurve curve;
      auto y = values_of(sources[r], channel.name, &curve.x, options.error);
      if (!y) return y.why();
      curve.y = std::move(y).value();
      scale(curve.y, options.shown.of(channel.unit).factor);
      if (!options.x.empty()) {
        auto x = values_of(sources[r], options.x, nullptr);
        if (!x) return x.why();
        curve.x = std::move(x).value();
        if (const Channel* of = find(sources[r], options.x))
          scale(curve.x, options.shown.of(of->unit).factor);
      }
      const bool open =
          not_unique_channels(sources[r].reader, sources[r].segment).count(channel.name) > 0;
      curve.name = sources.size() > 1 ? channel.name + " (" + sources[r].label + ")" : channel.name;
      if (open) curve.name += " (not unique)";
      curve.dashed = r > 0;
      plots[k].curves.push_back(std::move(curve));
    }
  }
  return plots;
}

TerminalSize terminal_size() {
  TerminalSize size;
  winsize window{};
  size.colour = isatty(STDOUT_FILENO) != 0;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    size.columns = window.ws_col;
  return size;
}

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
  auto plots = make_plots(sources, channels, options);
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
  line.option("--x", options->x, "A channel for the x axis instead of time");
  line.option(
      "-o,--output",
      options->output,
      "The file: .svg, .png or .pdf (the last two through headless Chromium); otherwise plot.svg");
  line.flag("--force", options->force, "Replace the file if it is there");
  add_units(line, options->units);
  line.option("--title", options->title, "Title instead of the run's name");
  line.option("--size", options->size, "Width and height of one plot in pixels")
      .values(2, 2)
      .within(100, 10000);
  line.flag("--error", options->error, "The estimated errors of the channels instead");
  line.flag("--log", options->log, "Logarithmic y axis");
  line.flag("--equal", options->equal, "One unit is as long in x as in y");
  line.flag("--term", options->terminal, "Draw in the terminal");
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_plot

extern const Command plot_command;
const Command plot_command{
    "plot", "Plot channels as SVG, PNG or PDF, or in the terminal", command_plot::define};

}  // namespace cardan::app
