#include "cardan/report/asked_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cardan/report/animation.h"
#include "cardan/report/report_document.h"
#include "cardan/report/report_table.h"
#include "cardan/report/run_plots.h"
#include "cardan/results/output_file.h"
#include "cardan/results/run_folder.h"

namespace cardan {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Of the patterns that this analysis has channels for: another one of the run may have more.
std::vector<int> channels_of(const Segment& segment, const std::vector<std::string>& patterns) {
  std::vector<int> out;
  for (const std::string& pattern : patterns)
    if (const auto found = select_channels(segment.channels, std::span(&pattern, 1)))
      for (const int k : found.value())
        if (std::find(out.begin(), out.end(), k) == out.end()) out.push_back(k);
  return out;
}

TableOptions options_of(const AskedTable& asked, bool file) {
  TableOptions out;
  out.times = asked.times;
  out.rows = asked.rows;
  out.digits = asked.digits;
  if (file && asked.format == "csv") out.format = TableFormat::csv;
  if (file && asked.format == "markdown") out.format = TableFormat::markdown;
  return out;
}

const Segment& segment_of(const RunReader& run, int segment) {
  return run.segments()[static_cast<std::size_t>(segment)];
}

Result<std::string> plot_text(const RunReader& run, int segment, const AskedPlot& asked) {
  std::vector<Channel> channels;
  for (const int k : channels_of(segment_of(run, segment), asked.channels))
    channels.push_back(segment_of(run, segment).channels[static_cast<std::size_t>(k)]);
  if (channels.empty()) return std::string();
  RunPlotOptions options;
  options.x = asked.x;
  options.log = asked.log, options.equal = asked.equal;
  const PlotSource source{&run, segment, ""};
  auto plots = run_plots(std::span(&source, 1), channels, options);
  if (!plots) return plots.why();
  plots.value().front().title = asked.title.empty() ? run_title(run) : asked.title;
  return svg(plots.value());
}

Result<std::string> table_text(const RunReader& run, int segment, const AskedTable& asked) {
  const auto channels = channels_of(segment_of(run, segment), asked.channels);
  if (channels.empty()) return std::string();
  return channel_table(run, segment, channels, options_of(asked, true));
}

class AskedFiles {
 public:
  AskedFiles(fs::path folder, bool only_missing)
      : folder_(std::move(folder)), only_missing_(only_missing) {}

  // Nothing is written where no channel of the analysis is asked for.
  template <class Make> Sink::Fault add(const std::string& name, Make&& make) {
    std::error_code error;
    if (only_missing_ && fs::exists(fs::symlink_status(folder_ / name, error))) return {};
    const Result<std::string> text = make();
    if (!text) return text.why().front();
    return text.value().empty() ? Sink::Fault() : write_file(folder_ / name, text.value());
  }

 private:
  fs::path folder_;
  bool only_missing_;
};

}  // namespace

AskedOutput asked_of(const Json& manifest) {
  return manifest.is_object() && manifest.contains(asked_key)
             ? asked_output_from_json(manifest[asked_key])
             : AskedOutput();
}

Sink::Fault write_asked(const fs::path& folder, bool only_missing) {
  const auto run = RunReader::open(folder);
  if (!run) return run.why().front();
  const auto manifest = run.value().manifest();
  if (!manifest) return manifest.why().front();
  const AskedOutput asked = asked_of(manifest.value());
  const int segment = main_segment(run.value());
  if (!asked.any() || segment < 0) return {};
  const fs::path into = folder / asked_folder;
  std::error_code error;
  fs::create_directory(into, error);  // a fault shows with the first file
  AskedFiles files(into, only_missing);
  for (const AskedTable& t : asked.tables)
    if (auto fault = files.add(t.file(), [&] { return table_text(run.value(), segment, t); }))
      return fault;
  for (const AskedPlot& p : asked.plots)
    if (auto fault = files.add(p.file(), [&] { return plot_text(run.value(), segment, p); }))
      return fault;
  if (!asked.animation || !manifest.value().contains("scene")) return {};
  return files.add(animation_name, [&] {
    return animation_svg(run.value(), segment, manifest.value()["scene"], *asked.animation);
  });
}

Result<Json> asked_json(const RunReader& run, int segment, const Json& manifest) {
  const AskedOutput asked = asked_of(manifest);
  if (!asked.any() || segment < 0) return Json();
  const Segment& of = segment_of(run, segment);
  Json out{{"tables", Json::array()}, {"plots", Json::array()}, {"animation", nullptr}};
  for (const AskedTable& t : asked.tables) {
    const auto channels = channels_of(of, t.channels);
    if (channels.empty()) continue;
    const auto cells = channel_table_cells(run, segment, channels, options_of(t, false));
    if (!cells) return cells.why();
    Json numbers = Json::array();
    for (const char number : cells.value().numbers) numbers.push_back(number != 0);
    out["tables"].push_back(
        {{"name", t.name}, {"lines", cells.value().lines}, {"numbers", numbers}});
  }
  for (const AskedPlot& p : asked.plots) {
    std::vector<std::string> names;
    for (const int k : channels_of(of, p.channels))
      names.push_back(of.channels[static_cast<std::size_t>(k)].name);
    if (!names.empty())
      out["plots"].push_back(
          {{"name", p.name}, {"title", p.title}, {"channels", names}, {"x", p.x}, {"log", p.log}});
  }
  if (asked.animation) out["animation"] = to_json(asked)["animation"];
  return out;
}

}  // namespace cardan
