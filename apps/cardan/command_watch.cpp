// cardan watch MODEL: checks the model again at every save, with a page that shows the drawing and what
// is wrong, at its line.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cardan/analysis/record/recorder.h"
#include "cardan/analysis/run.h"
#include "cardan/analysis/start/model_overview.h"
#include "cardan/results/run_folder.h"
#include "cardan/session/model_picture.h"
#include "command.h"
#include "interrupt.h"
#include "model_arguments.h"
#include "open_page.h"

namespace cardan::app {

namespace command_watch {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds between_looks{200};

struct Options {
  ModelRequest model;
  bool open = false;
  int times = 0;  // checks; 0: until it is interrupted
};

std::string html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

// The file with what is said about each line below it.
std::string lines_of(const fs::path& file, const Diagnostics& all) {
  std::ifstream in(file);
  std::string line, text;
  for (int number = 1; std::getline(in, line); ++number) {
    text += fmt::format("{:>4}  {}\n", number, html(line));
    for (const Diagnostic& d : all)
      if (d.where.line == number && d.where.file &&
          fs::path(*d.where.file).filename() == file.filename())
        text += fmt::format("<b class=\"{}\">      {}{}</b>\n",
                            d.severity == Severity::error ? "error" : "note",
                            html(d.found),
                            d.hint.empty() ? "" : html(" - " + d.hint));
  }
  return text;
}

struct Looked {
  Diagnostics said;
  std::string overview, picture;
};

Looked look(const ModelRequest& request) {
  Looked out;
  const auto model = read(request);
  if (!model) {
    out.said = model.why();
    return out;
  }
  const Checked checked = check_model(model.value());
  out.said = checked.diagnostics;
  if (checked.system == nullptr) return out;
  if (checked.assembly.ok) {
    const Diagnostics judged = judge_analyses(model.value(), *checked.system, checked.assembly);
    out.said.insert(out.said.end(), judged.begin(), judged.end());
    out.overview = overview_text(overview_of(model.value(), *checked.system, checked.assembly)) +
                   mobility_text(checked.assembly.mobility);
  }
  if (model.value().own == nullptr) {
    State pose = checked.assembly.state;
    pose.a.resize(pose.v.size(), 0.0);
    out.picture = model_picture(model.value(), Recorder(*checked.system, {}).body_states(pose));
  }
  return out;
}

std::string page_of(const Looked& looked, const fs::path& file) {
  std::string said;
  for (const Diagnostic& d : looked.said) said += html(to_text(d)) + "\n";
  return fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"1\">"
      "<title>{}</title><style>body{{font-family:sans-serif;margin:1em}}pre{{font-size:13px}}"
      ".error{{color:#b00020}}.note{{color:#7a5200}}</style>"
      "<h1>{}: {}</h1>{}<pre>{}</pre><pre>{}</pre><h2>{}</h2><pre>{}</pre>\n",
      html(file.filename().string()),
      html(file.filename().string()),
      has_error(looked.said) ? "not sound" : "sound",
      looked.picture,
      said,
      html(looked.overview),
      html(file.string()),
      lines_of(file, looked.said));
}

int work(const Options& options, const Console& console) {
  catch_interrupt();
  fs::path file = model_file(options.model.path);
  std::error_code error;
  const fs::path page = fs::temp_directory_path() / fmt::format("cardan-watch-{}.html", getpid());
  fs::file_time_type last = fs::file_time_type::min();
  int code = 0;
  bool opened = false;
  for (int checks = 0; !interrupted() && (options.times == 0 || checks < options.times);) {
    const auto now = fs::last_write_time(file, error);
    if (error && checks > 0) {  // editors replace a file
      std::this_thread::sleep_for(between_looks);
      continue;
    }
    if (checks > 0 && now == last) {
      std::this_thread::sleep_for(between_looks);
      continue;
    }
    last = now;
    ++checks;
    const Looked looked = look(options.model);
    console.report(looked.said);
    console.print(looked.overview);
    code = exit_code(looked.said);
    if (const auto fault = write_file(page, page_of(looked, file))) return console.fail(*fault);
    if (!opened) {
      console.print(fmt::format("{} shows it and follows; Ctrl-C ends\n", page.string()));
      if (options.open)
        if (const auto fault = open_page(page)) console.report(*fault);
      opened = true;
    }
  }
  fs::remove(page, error);
  return code;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  add_model(line, options->model);
  line.flag("--open", options->open, "Show the page in the browser");
  line.option("--times", options->times, "End after so many checks").within(1, 1'000'000);
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_watch

extern const Command watch_command;
const Command watch_command{
    "watch", "Check a model at every save, with a page that follows", command_watch::define};

}  // namespace cardan::app
