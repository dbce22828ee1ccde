// cardan animate RUN: the animation as PNG frames, a GIF or an MP4, drawn by the viewer in a
// headless Chromium.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "browser.h"
#include "cardan/report/report.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"
#include "command.h"

namespace cardan::app {

namespace fs = std::filesystem;

namespace command_animate {

struct Options {
  std::string run, output, frames, gif, mp4;
  std::vector<int> size{960, 600};
  double fps = 25, seconds = 0;
  bool dark = false, traces = false, arrows = false, names = false;
};

Diagnostic encoder_fault(std::string found) {
  Diagnostic d;
  d.id = "io.no-encoder";
  d.found = std::move(found);
  d.expected = "ffmpeg";
  return d;
}

// ffmpeg reads the frames one after the other from its standard input.
class Film {
 public:
  Film(const std::string& path, double fps) {
    std::string quoted = "'";
    for (const char c : path) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    const std::string command = fmt::format(
        "ffmpeg -y -loglevel error -f image2pipe -framerate {} -c:v png -i - -c:v libx264 -pix_fmt "
        "yuv420p -vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' {}' 2>/dev/null",
        fps,
        quoted);
    pipe_ = popen(command.c_str(), "w");
  }

  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  ~Film() { close(); }

  bool add(const std::string& png) {
    return pipe_ != nullptr && std::fwrite(png.data(), 1, png.size(), pipe_) == png.size();
  }

  bool close() {
    const bool well = pipe_ != nullptr && pclose(pipe_) == 0;
    pipe_ = nullptr;
    return well;
  }

 private:
  std::FILE* pipe_ = nullptr;
};

std::string setup_script(const Options& o) {
  return fmt::format(
      "cardan.film({{width: {}, height: {}, dark: {}, traces: {}, arrows: {}, names: {}}})",
      o.size[0],
      o.size[1],
      o.dark,
      o.traces,
      o.arrows,
      o.names);
}

Result<std::string> frame(Browser& browser, double part) {
  const auto image = browser.evaluate(fmt::format("cardan.frame({})", part));
  if (!image) return image.why();
  return from_base64(image.value().get<std::string>());
}

Sink::Fault write_frames(Browser& browser, const Options& o, int count) {
  std::error_code error;
  fs::create_directories(o.frames, error);
  if (error) return write_fault(o.frames, error.message());
  for (int k = 0; k < count; ++k) {
    const auto png = frame(browser, static_cast<double>(k) / std::max(1, count - 1));
    if (!png) return png.why().front();
    if (auto fault = write_file(fs::path(o.frames) / fmt::format("frame{:05}.png", k), png.value()))
      return fault;
  }
  return {};
}

Sink::Fault write_mp4(Browser& browser, const Options& o, int count) {
  Film film(o.mp4, o.fps);
  for (int k = 0; k < count; ++k) {
    const auto png = frame(browser, static_cast<double>(k) / std::max(1, count - 1));
    if (!png) return png.why().front();
    if (!film.add(png.value())) return encoder_fault("ffmpeg took no frame");
  }
  return film.close() ? Sink::Fault() : encoder_fault("ffmpeg failed");
}

Sink::Fault write_gif(Browser& browser, const Options& o, int count) {
  for (int k = 0; k < count; ++k) {
    const auto done = browser.evaluate(fmt::format(
        "cardan.gif_frame({}, {})", static_cast<double>(k) / std::max(1, count - 1), 100 / o.fps));
    if (!done) return done.why().front();
  }
  const auto gif = browser.evaluate("cardan.gif()");
  if (!gif) return gif.why().front();
  return write_file(o.gif, from_base64(gif.value().get<std::string>()));
}

// The report of the run in a folder of its own, for the browser to open.
Result<fs::path> temporary_report(const RunReader& run) {
  const auto html = report_html({&run}, {});
  if (!html) return html.why();
  std::string name = (fs::temp_directory_path() / "cardan-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    return write_fault(name, "no temporary folder could be made");
  const fs::path page = fs::path(name) / report_name;
  if (auto fault = write_file(page, html.value())) return *fault;
  return page;
}

Sink::Fault draw(const Options& o, const fs::path& page) {
  auto browser = Browser::start(o.size[0], o.size[1]);
  if (!browser) return browser.why().front();
  const auto ready = browser.value()->open(page, "document.documentElement.dataset.ready");
  if (!ready) return ready.why().front();
  const auto duration = browser.value()->evaluate(setup_script(o));
  if (!duration) return duration.why().front();
  const double seconds = o.seconds > 0 ? o.seconds : duration.value().get<double>();
  const int count = std::clamp(static_cast<int>(std::lround(seconds * o.fps)), 2, 10'000);
  Sink::Fault fault;
  if (!o.frames.empty()) fault = write_frames(*browser.value(), o, count);
  if (!fault && !o.gif.empty()) fault = write_gif(*browser.value(), o, count);
  if (!fault && !o.mp4.empty()) fault = write_mp4(*browser.value(), o, count);
  return fault;
}

int work(Options& options, const Console& console) {
  const std::string end = fs::path(options.output).extension().string();
  if (!options.output.empty()) {
    if (end != ".gif" && end != ".mp4" && !end.empty())
      return console.fail(usage_fault("usage.bad-value",
                                      fmt::format("an animation as {}", end),
                                      "name a file that ends in .gif or .mp4, or a folder"));
    (end == ".gif" ? options.gif : end == ".mp4" ? options.mp4 : options.frames) = options.output;
  }
  if (viewer_page().empty()) {
    Diagnostic d;
    d.id = "io.no-viewer";
    return console.fail(d);
  }
  if (options.frames.empty() && options.gif.empty() && options.mp4.empty())
    return console.fail(usage_fault(
        "usage.bad-value", "no output", "give -o FILE.gif, -o FILE.mp4 or --frames FOLDER"));
  if (!options.mp4.empty() && in_search_path("ffmpeg").empty())
    return console.fail(encoder_fault("no ffmpeg in the search path"));
  const auto run = RunReader::open(options.run);
  if (!run) return console.fail(run.why());
  const auto page = temporary_report(run.value());
  if (!page) return console.fail(page.why());
  const auto fault = draw(options, page.value());
  std::error_code ignored;
  fs::remove_all(page.value().parent_path(), ignored);
  if (fault) return console.fail(*fault);
  for (const std::string& made : {options.frames, options.gif, options.mp4})
    if (!made.empty()) console.print(made + "\n");
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("RUN", options->run, "The run's folder or its run.db").required();
  line.option("-o,--output", options->output, "FILE.gif, FILE.mp4 or a folder for PNG images");
  line.option("--gif", options->gif, "Write an animated GIF");
  line.option("--mp4", options->mp4, "Write a film (needs ffmpeg)");
  line.option("--frames", options->frames, "Write PNG images into this folder");
  line.option("--size", options->size, "Width and height in pixels").values(2, 2).within(64, 4096);
  line.option("--fps", options->fps, "Images a second").within(1.0, 60.0).shows_default();
  line.option(
      "--seconds", options->seconds, "Length of the film; otherwise as the report plays it");
  line.flag("--dark", options->dark, "Light on dark");
  line.flag("--traces", options->traces, "Draw the paths of points");
  line.flag("--arrows", options->arrows, "Draw the reactions");
  line.flag("--names", options->names, "Write the names of bodies and joints");
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_animate

extern const Command animate_command;
const Command animate_command{
    "animate", "Draw the animation as GIF, MP4 or single images", command_animate::define};

}  // namespace cardan::app
