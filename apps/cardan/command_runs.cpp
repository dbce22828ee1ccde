// cardan runs [FOLDER]: the runs below a folder, and what was changed for each.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/report/report_document.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"
#include "cardan/results/run_reader.h"
#include "cardan/results/stored_statistics.h"
#include "command.h"

namespace cardan::app {

namespace command_runs {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int deepest = 5;

std::vector<fs::path> stores(const fs::path& root) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() >= deepest) at.disable_recursion_pending();
    if (at->path().filename() == run_store_name && fs::is_regular_file(at->symlink_status(error)))
      found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Json described(const fs::path& store) {
  Json json{{"run", store.parent_path().string()}};
  const auto run = RunReader::open(store);
  if (!run) {
    json["status"] = "unreadable";
    json["fault"] = run.why().front().found;
    return json;
  }
  const RunReader& reader = run.value();
  const auto manifest = reader.manifest();
  const int main = main_segment(reader);
  json["title"] = run_title(reader);
  json["status"] = run_status(reader);
  json["rows"] = main < 0 ? 0 : reader.segments()[static_cast<std::size_t>(main)].rows;
  if (manifest) json["started"] = manifest.value().value("started", "");
  json["settings"] = changed_words(reader);
  return json;
}

std::string words(const Json& run) {
  std::string text = fmt::format("{:<28} {:<12} {:>8} rows  {}  {}\n",
                                 run.value("run", ""),
                                 run.value("status", ""),
                                 run.value("rows", 0L),
                                 run.value("started", ""),
                                 run.value("title", ""));
  if (const std::string changed = run.value("settings", ""); !changed.empty())
    text += fmt::format("    changed: {}\n", changed);
  if (run.contains("fault")) text += fmt::format("    {}\n", run.value("fault", ""));
  return text;
}

int work(const std::string& folder, bool asked, const Console& console) {
  if (std::error_code error; asked && !fs::is_directory(folder, error))
    return console.fail(not_a_run(folder, "there is no such folder"));
  Json list = Json::array();
  std::string text;
  for (const fs::path& store : stores(folder)) {
    list.push_back(described(store));
    text += words(list.back());
  }
  if (list.empty())
    text = fmt::format("no runs in {}: cardan run MODEL makes one\n", fs::path(folder).string());
  console.print(text);
  console.print_json("runs", {{"runs", list}});
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto folder = std::make_shared<std::string>();
  line.option("FOLDER", *folder, "Where to look; without it runs");
  line.json_flag(console);
  return [folder, &console] {
    return folder->empty() ? work("runs", false, console) : work(*folder, true, console);
  };
}

}  // namespace command_runs

extern const Command runs_command;
const Command runs_command{
    "runs", "List the runs in a folder and what was changed for each", command_runs::define};

}  // namespace cardan::app
