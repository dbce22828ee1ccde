#include "cardan/report/report_document.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cardan/report/asked_report.h"
#include "cardan/results/json.h"
#include "cardan/results/run_folder.h"
#include "cardan/results/run_process.h"

namespace cardan {
namespace {

using Json = nlohmann::ordered_json;

Json channel_list(const Segment& segment, const PackedColumns& columns) {
  Json list = Json::array();
  for (std::size_t c = 0; c < segment.channels.size(); ++c) {
    const Channel& channel = segment.channels[c];
    Json entry{{"name", channel.name},
               {"unit", channel.unit},
               {"element", channel.element},
               {"quantity", channel.quantity},
               {"thinned", columns.thinned()}};
    if (columns.not_finite[c] > 0) entry["not_finite"] = columns.not_finite[c];
    list.push_back(std::move(entry));
  }
  return list;
}

Json event_list(const Log& log, int segment) {
  Json list = Json::array();
  for (const StoredEvent& e : log.events)
    if (e.analysis == segment)
      list.push_back({{"t", e.t}, {"kind", e.kind}, {"element", e.element}, {"text", e.text}});
  return list;
}

Json diagnostic_list(const Diagnostics& all) {
  Json list = Json::array();
  for (const Diagnostic& d : all) {
    Json entry{{"element", ""},
               {"found", ""},
               {"expected", ""},
               {"hint", ""},
               {"line", 0},
               {"t", nullptr},
               {"h", nullptr},
               {"worst", Json::array()}};
    entry.update(to_json(d));
    list.push_back(std::move(entry));
  }
  return list;
}

Json mobility_of(const Json& manifest) {
  if (!manifest.contains("mobility")) return nullptr;
  const Json& stored = manifest["mobility"];
  Json out{{"bodies", 0},
           {"coordinates", 0},
           {"equations", 0},
           {"dof", 0},
           {"redundant", 0},
           {"singular", ""},
           {"text", ""}};
  if (stored.is_string()) out["text"] = stored;
  if (stored.is_object()) out.update(stored);
  return out;
}

std::string text_of(const Json& tree, const char* key) {
  return tree.is_object() && tree.contains(key) && tree[key].is_string()
             ? tree[key].get<std::string>()
             : "";
}

// The title the model gives itself, else the name of its file.
std::string title_of(const Json& manifest, const std::string& path) {
  if (manifest.contains("scene")) {
    const std::string given = text_of(manifest["scene"], "title");
    if (!given.empty()) return given;
  }
  const std::string named = text_of(manifest, "title");
  if (!named.empty()) return named;
  return path.empty() ? "Run" : run_name(path);
}

// What one analysis says of itself in a summary that may tell of several.
Json summary_of(const Json& summary, int segment) {
  if (segment >= 0 && summary.contains("earlier") && summary["earlier"].is_array() &&
      segment < static_cast<int>(summary["earlier"].size()))
    return summary["earlier"][static_cast<std::size_t>(segment)];
  Json last = summary;
  if (last.is_object()) last.erase("earlier");
  return last;
}

}  // namespace

Json run_summary(const RunReader& run) {
  if (const auto stored = run.summary(); stored && stored.value().is_object())
    return stored.value();
  const auto path = run.path().parent_path() / summary_name;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return Json::object();
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const auto summary = parse_json(text.str());
  return summary && summary->is_object() ? *summary : Json::object();
}

namespace {

// Whether somebody wrote to the store lately: for stores that do not say who writes them, or that
// another machine writes.
bool written_lately(const RunReader& run) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(run.path(), error);
  auto journal = run.path();
  journal += "-wal";
  const auto logged = std::filesystem::last_write_time(journal, error);
  const auto latest = error ? written : std::max(written, logged);
  return std::filesystem::file_time_type::clock::now() - latest < std::chrono::seconds(30);
}

}  // namespace

std::string run_status(const RunReader& run) {
  const auto words = [](const std::string& status) {
    return status == "complete" ? std::string("completed") : status;
  };
  const auto manifest = run.manifest();
  const Json facts = manifest ? manifest.value() : Json::object();
  const std::string stored = text_of(facts, "status");
  if (!stored.empty()) return words(stored);
  const auto there = still_there(facts.contains("process") ? facts["process"] : Json());
  if (there) return *there ? "running" : "interrupted";
  const std::string summary = text_of(run_summary(run), "status");
  if (!summary.empty()) return words(summary);
  return written_lately(run) ? "running" : "interrupted";
}

std::string run_title(const RunReader& run) {
  const auto manifest = run.manifest();
  if (!manifest) return "Run";
  const Json& facts = manifest.value();
  return title_of(facts, facts.contains("model") ? text_of(facts["model"], "path") : "");
}

int main_segment(const RunReader& run) {
  const auto& all = run.segments();
  for (int k = static_cast<int>(all.size()) - 1; k >= 0; --k)
    if (all[static_cast<std::size_t>(k)].rows > 1) return k;
  return static_cast<int>(all.size()) - 1;
}

Result<Json> report_document(const ReportRun& from, const PackedColumns& columns) {
  const auto manifest = from.run->manifest();
  if (!manifest) return manifest.why();
  const auto log = from.run->log();
  if (!log) return log.why();
  Json facts = manifest.value();
  const Json scene = facts.contains("scene") ? facts["scene"] : Json();
  const Json model = facts.contains("model") ? facts["model"] : Json::object();
  const std::string path = text_of(model, "path");
  const Json whole = run_summary(*from.run);
  const Json summary = summary_of(whole, from.segment);
  const Segment nothing;
  const Segment& segment =
      from.segment < 0 ? nothing : from.run->segments()[static_cast<std::size_t>(from.segment)];

  Json out;
  out["format"] = "cardan-report/1";
  out["id"] = from.id;
  out["name"] = from.run->path().parent_path().filename().string();
  out["title"] = title_of(facts, path);
  out["status"] = run_status(*from.run);
  out["analysis"] = text_of(summary, "analysis");
  out["segment"] = from.segment;
  out["segments"] = from.run->segments().size();
  out["abscissa"] = "t";
  out["rows"] = columns.rows;
  out["kept"] = columns.kept;
  out["channels"] = channel_list(segment, columns);
  out["columns"] = {{"bytes", columns.bytes}, {"packed", columns.data.size()}};
  if (columns.thinned())
    out["spectra"] = {{"channels", columns.spectra},
                      {"lines", columns.spectrum_lines},
                      {"data", base64(columns.spectra_data)}};
  out["scene"] = scene;
  out["events"] = event_list(log.value(), from.segment);
  out["diagnostics"] = diagnostic_list(log.value().diagnostics);
  out["mobility"] = mobility_of(facts);
  out["equations"] = facts.contains("equations") ? facts["equations"] : Json();
  out["model"] = {{"path", path}, {"text", text_of(model, "text")}};
  out["summary"] = summary;
  out["changed"] = whole.contains("changed") ? whole["changed"] : Json::array();
  auto asked = asked_json(*from.run, from.segment, facts);
  if (!asked) return asked.why();
  out["asked"] = std::move(asked).value();
  facts.erase("scene");
  facts.erase("mobility");
  facts.erase("equations");
  facts.erase("process");
  if (facts.contains("model")) facts["model"].erase("text");
  out["manifest"] = std::move(facts);
  return out;
}

}  // namespace cardan
