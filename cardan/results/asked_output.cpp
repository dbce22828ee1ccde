#include "cardan/results/asked_output.h"

#include <nlohmann/json.hpp>

namespace cardan {

namespace {

using Json = nlohmann::ordered_json;

Json list_or_empty(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) && json[key].is_array() ? json[key] : Json::array();
}

}  // namespace

std::vector<std::string> AskedOutput::patterns() const {
  std::vector<std::string> all;
  for (const AskedTable& t : tables) all.insert(all.end(), t.channels.begin(), t.channels.end());
  for (const AskedPlot& p : plots) {
    all.insert(all.end(), p.channels.begin(), p.channels.end());
    if (!p.x.empty()) all.push_back(p.x);
  }
  return all;
}

std::string AskedTable::file() const {
  return name + (format == "text" ? ".txt" : format == "markdown" ? ".md" : ".csv");
}

std::vector<std::string> AskedOutput::files() const {
  std::vector<std::string> all;
  for (const AskedTable& t : tables) all.push_back(t.file());
  for (const AskedPlot& p : plots) all.push_back(p.file());
  if (animation) all.emplace_back(animation_name);
  for (std::string& file : all) file = std::string(asked_folder) + '/' + file;
  return all;
}

Json to_json(const AskedOutput& asked) {
  Json out = Json::object();
  for (const AskedTable& t : asked.tables)
    out["tables"].push_back({{"name", t.name},
                             {"channels", t.channels},
                             {"at", t.times},
                             {"rows", t.rows},
                             {"digits", t.digits},
                             {"format", t.format}});
  for (const AskedPlot& p : asked.plots)
    out["plots"].push_back({{"name", p.name},
                            {"title", p.title},
                            {"channels", p.channels},
                            {"x", p.x},
                            {"log", p.log},
                            {"equal", p.equal}});
  if (asked.animation) {
    const AskedAnimation& a = *asked.animation;
    out["animation"] = {{"seconds", a.seconds},
                        {"follow", a.follow},
                        {"view", a.view},
                        {"traces", a.traces},
                        {"arrows", a.arrows},
                        {"names", a.names}};
  }
  return out;
}

AskedOutput asked_output_from_json(const Json& json) {
  AskedOutput out;
  for (const Json& t : list_or_empty(json, "tables")) {
    AskedTable table;
    table.name = t.value("name", "");
    table.channels = t.value("channels", table.channels);
    table.times = t.value("at", table.times);
    table.rows = t.value("rows", table.rows);
    table.digits = t.value("digits", table.digits);
    table.format = t.value("format", table.format);
    out.tables.push_back(std::move(table));
  }
  for (const Json& p : list_or_empty(json, "plots")) {
    AskedPlot plot;
    plot.name = p.value("name", "");
    plot.title = p.value("title", "");
    plot.channels = p.value("channels", plot.channels);
    plot.x = p.value("x", "");
    plot.log = p.value("log", false);
    plot.equal = p.value("equal", false);
    out.plots.push_back(std::move(plot));
  }
  if (json.is_object() && json.contains("animation") && json["animation"].is_object()) {
    const Json& a = json["animation"];
    AskedAnimation animation;
    animation.seconds = a.value("seconds", 0.0);
    animation.follow = a.value("follow", "");
    animation.view = a.value("view", animation.view);
    animation.traces = a.value("traces", false);
    animation.arrows = a.value("arrows", false);
    animation.names = a.value("names", false);
    out.animation = std::move(animation);
  }
  return out;
}

}  // namespace cardan
