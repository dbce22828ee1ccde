// Pictures of a solution: columns over time, and phase portraits; in the terminal or a file.
#include <filesystem>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "browser.h"
#include "cardan/report/svg_plot.h"
#include "cardan/report/terminal_plot.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"
#include "command_ode_text.h"
#include "drawing.h"

namespace cardan::app {

namespace {

constexpr int width = 800, height = 450, portrait_height = 640;

TerminalSize terminal_size() {
  TerminalSize size;
  winsize window{};
  size.colour = isatty(STDOUT_FILENO) != 0;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    size.columns = window.ws_col;
  return size;
}

std::string blanks_off(std::string s) {
  while (!s.empty() && s.back() == ' ') s.pop_back();
  s.erase(0, std::min(s.find_first_not_of(' '), s.size()));
  return s;
}

const std::vector<double>* column(const OdePath& path, const std::string& name) {
  for (std::size_t k = 0; k < path.names.size(); ++k)
    if (path.names[k] == name) return &path.values[k];
  return name == "t" ? &path.t : nullptr;
}

class Pictures {
 public:
  explicit Pictures(const std::vector<OdePath>& paths) : paths_(paths) {}

  Diagnostics faults;
  std::vector<Plot> plots;

  void over_time(const std::vector<std::string>& names) {
    Plot plot;
    plot.width = width, plot.height = height;
    plot.x = {"t", "", false, {}};
    plot.y = {names.size() == 1 ? names[0] : "", "", false, {}};
    for (const std::string& name : names) curves(plot, "t", name, names.size() > 1);
    plots.push_back(std::move(plot));
  }

  void portrait(const std::string& pair) {
    const std::vector<std::string> two = split_list(pair);
    if (two.size() != 2) {
      faults.push_back(
          usage_fault("usage.bad-value", "--phase " + pair, "two columns, as --phase \"x, x'\""));
      return;
    }
    Plot plot;
    plot.width = width, plot.height = portrait_height;
    const std::string x = blanks_off(two[0]), y = blanks_off(two[1]);
    plot.x = {x, "", false, {}};
    plot.y = {y, "", false, {}};
    curves(plot, x, y, false);
    plots.push_back(std::move(plot));
  }

 private:
  void curves(Plot& plot, const std::string& x, const std::string& y, bool named) {
    for (const OdePath& path : paths_) {
      PlotCurve curve;
      const std::vector<double>*across = find(path, x), *up = find(path, y);
      if (across == nullptr || up == nullptr) return;
      curve.x = *across;
      curve.y = *up;
      if (named) curve.name = y;
      if (!path.label.empty()) curve.name += (named ? ", " : "") + path.label;
      if (path.label.empty() && paths_.size() > 1) curve.name += named ? ", as given" : "as given";
      plot.curves.push_back(std::move(curve));
    }
  }

  const std::vector<double>* find(const OdePath& path, const std::string& name) {
    if (const auto* found = column(path, name)) return found;
    std::string all = "t";
    for (const std::string& n : path.names) all += ", " + n;
    faults.push_back(usage_fault(
        "usage.bad-value", fmt::format("no column '{}' to draw", name), "one of " + all));
    return nullptr;
  }

  const std::vector<OdePath>& paths_;
};

Diagnostics write(const std::vector<Plot>& plots, const OdeOptions& o, const Console& console) {
  const std::filesystem::path path = o.output;
  const std::string ending = path.extension().string();
  if (ending != ".svg" && ending != ".html" && ending != ".png" && ending != ".pdf")
    return {usage_fault("usage.bad-value",
                        fmt::format("a plot as '{}'", ending),
                        "name a file that ends in .svg, .html, .png or .pdf")};
  std::error_code error;
  if (!o.force && std::filesystem::exists(path, error)) return {already_there(path)};
  std::string text = svg(plots);
  int whole = 0;
  for (const Plot& plot : plots) whole += plot.height;
  if (ending == ".html")
    text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta "
        "charset=\"utf-8\"><title>{}</title></head>\n"
        "<body>\n{}\n</body>\n</html>\n",
        "cardan ode",
        text);
  if (ending == ".png" || ending == ".pdf") {
    auto drawn = ending == ".png" ? png_of_svg(text, width, whole) : pdf_of_svg(text, width, whole);
    if (!drawn) return drawn.why();
    text = std::move(drawn).value();
  }
  if (const auto fault = write_file(path, text)) return {*fault};
  console.print(path.string() + "\n");
  return {};
}

}  // namespace

bool wants_plots(const OdeOptions& o) {
  return o.plot.has_value() || !o.phase.empty() || !o.output.empty();
}

Diagnostics show_plots(const std::vector<OdePath>& paths,
                       const OdeOptions& o,
                       const Console& console) {
  Pictures pictures(paths);
  if (o.plot || o.phase.empty())
    pictures.over_time(o.plot && !o.plot->empty() ? *o.plot : paths.front().names);
  for (const std::string& pair : o.phase) pictures.portrait(pair);
  if (!pictures.faults.empty()) return pictures.faults;
  if (!o.output.empty()) return write(pictures.plots, o, console);
  for (const Plot& plot : pictures.plots)
    if (!console.json()) draw(console, terminal_plot(plot, terminal_size()) + "\n");
  return {};
}

}  // namespace cardan::app
