#include "serve/run_list.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/report/report_document.h"
#include "cardan/results/run_folder.h"
#include "cardan/results/stored_statistics.h"

namespace cardan::app {

namespace fs = std::filesystem;

namespace {

constexpr int deepest = 5;
constexpr std::size_t most = 2000;

// FNV-1a of the path: stable between starts, so that a link survives.
std::string id_of(const fs::path& path) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : path.string())
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

std::vector<fs::path> stores_below(const fs::path& root) {
  std::error_code error;
  if (!fs::is_directory(root, error)) return {fs::absolute(root)};
  if (fs::exists(root / run_store_name, error)) return {fs::absolute(root / run_store_name)};
  std::vector<fs::path> found;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator() && found.size() < most;
       at.increment(error)) {
    if (at.depth() >= deepest) at.disable_recursion_pending();
    // A link may lead out of the folder that was given: only files that lie in it count.
    if (at->path().filename() == run_store_name && fs::is_regular_file(at->symlink_status(error)))
      found.push_back(fs::absolute(at->path()));
  }
  return found;
}

}  // namespace

RunList::RunList(fs::path root) : root_(std::move(root)) {
  refresh();
}

void RunList::refresh() {
  std::map<std::string, fs::path> runs;
  for (const fs::path& store : stores_below(root_)) runs.emplace(id_of(store), store);
  const std::lock_guard lock(mutex_);
  runs_ = std::move(runs);
}

std::optional<fs::path> RunList::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find(id);
  return found == runs_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t RunList::size() const {
  const std::lock_guard lock(mutex_);
  return runs_.size();
}

nlohmann::ordered_json RunList::describe() const {
  std::map<std::string, fs::path> runs;
  {
    const std::lock_guard lock(mutex_);
    runs = runs_;
  }
  auto list = nlohmann::ordered_json::array();
  std::error_code ignored;
  const fs::path from =
      fs::is_directory(root_, ignored) ? fs::absolute(root_) : fs::absolute(root_).parent_path();
  for (const auto& [id, path] : runs) {
    nlohmann::ordered_json entry{
        {"id", id}, {"name", path.parent_path().lexically_relative(from).generic_string()}};
    const auto run = RunReader::open(path);
    if (run) {
      const int main = main_segment(run.value());
      entry["title"] = run_title(run.value());
      entry["status"] = run_status(run.value());
      entry["rows"] = main < 0 ? 0 : run.value().segments()[static_cast<std::size_t>(main)].rows;
      entry["settings"] = changed_words(run.value());
      entry["changed"] = std::chrono::duration_cast<std::chrono::seconds>(
                             fs::last_write_time(path, ignored).time_since_epoch())
                             .count();
    } else {
      entry["title"] = "";
      entry["status"] = "unreadable";
      entry["fault"] = run.why().front().found;
    }
    list.push_back(std::move(entry));
  }
  std::sort(
      list.begin(), list.end(), [](const auto& a, const auto& b) { return a["name"] < b["name"]; });
  return list;
}

}  // namespace cardan::app
