#include "cardan/results/run_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "cardan/results/asked_output.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_reader.h"

namespace cardan {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 7> run_files{run_store_name,
                                               "run.db-wal",
                                               "run.db-shm",
                                               "run.db-journal",
                                               summary_name,
                                               report_name,
                                               samples_name};

// The largest number that a folder in here has as its name.
int largest_number(const fs::path& folder) {
  int largest = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int number = 0;
    const auto [stop, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (fault == std::errc() && stop == name.data() + name.size())
      largest = std::max(largest, number);
  }
  return largest;
}

// The model file of the newest run in a folder; empty where no run tells it.
fs::path model_of_newest(const fs::path& folder) {
  const int number = largest_number(folder);
  std::error_code error;
  const fs::path newest = folder / std::to_string(number);
  if (number == 0 || !fs::exists(newest / run_store_name, error)) return {};
  const auto run = RunReader::open(newest);
  if (!run) return {};
  const auto manifest = run.value().manifest();
  if (!manifest || !manifest.value().contains("arguments")) return {};
  const auto& arguments = manifest.value()["arguments"];
  const auto model = arguments.find("model");
  return model != arguments.end() && model->is_string() ? fs::path(model->get<std::string>())
                                                        : fs::path();
}

fs::path in_folder(const fs::path& model) {
  std::error_code error;
  return fs::is_directory(model, error) ? model / "model.toml" : model;
}

// What the run that is there made for its model ([output] tables, ...), as its store says; without one, nothing.
void remove_asked(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / run_store_name, error)) return;
  const auto run = RunReader::open(folder);
  if (!run) return;
  const auto manifest = run.value().manifest();
  if (!manifest || !manifest.value().contains(asked_key)) return;
  if (!fs::is_directory(fs::symlink_status(folder / asked_folder, error))) return;
  for (const std::string& file : asked_output_from_json(manifest.value()[asked_key]).files())
    fs::remove(folder / file, error);
  fs::remove(folder / asked_folder, error);  // where nothing else is in it
}

}  // namespace

fs::path run_file(const fs::path& run) {
  std::error_code error;
  return fs::is_directory(run, error) ? run / run_store_name : run;
}

std::string run_name(const fs::path& model) {
  const fs::path full = fs::absolute(model).lexically_normal();
  std::string name = full.stem().string();
  if (name == "model") name = full.parent_path().filename().string();
  return name.empty() ? "model" : name;
}

std::string run_name_of_its_own(const fs::path& under, const fs::path& model) {
  const auto is_free = [&](const std::string& name) {
    const fs::path other = in_folder(model_of_newest(under / name));
    std::error_code error;
    return other.empty() || !fs::exists(other, error) || !fs::exists(in_folder(model), error) ||
           fs::equivalent(other, in_folder(model), error);
  };
  const std::string name = run_name(model);
  if (is_free(name)) return name;
  const fs::path folder = fs::absolute(in_folder(model)).lexically_normal().parent_path();
  const std::string above =
      folder.filename() == name ? folder.parent_path().filename() : folder.filename();
  std::string longer = above.empty() ? name : above + "-" + name;
  for (int k = 2; !is_free(longer); ++k) longer = name + "-" + std::to_string(k);
  return longer;
}

Result<fs::path> new_run_folder(const fs::path& under, std::string_view name) {
  const fs::path parent = under / name;
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) return write_fault(parent, error.message());
  for (int number = largest_number(parent) + 1;; ++number) {
    fs::path folder = parent / std::to_string(number);
    if (mkdir(folder.c_str(), 0777) == 0) return folder;
    if (errno != EEXIST) return write_fault(folder, std::strerror(errno));
  }
}

Sink::Fault find_run(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) return already_there(folder);
  for (const char* name : run_files)
    if (fs::exists(fs::symlink_status(folder / name, error))) return already_there(folder / name);
  return {};
}

Result<RunFolder> prepare_run_folder(const fs::path& folder, bool force) {
  std::error_code error;
  const auto in_the_way = [&]() -> Sink::Fault {
    const auto run = find_run(folder);
    return run && force && fs::is_directory(folder, error) ? Sink::Fault() : run;
  };
  if (const auto run = in_the_way()) return *run;
  fs::create_directories(folder, error);
  if (error) return write_fault(folder, error.message());
  auto lock = RunLock::take(folder / run_store_name);
  if (!lock) return lock.why();
  if (const auto run = in_the_way()) return *run;  // it may have come before the lock was ours
  remove_asked(folder);
  for (const char* name : run_files) {
    fs::remove(folder / name, error);
    if (error) return write_fault(folder / name, error.message());
    remove_parts(folder / name);
  }
  return RunFolder{folder, std::move(lock).value()};
}

Result<std::optional<RunLock>> lock_of_run_beside(const fs::path& file) {
  const fs::path store = file.parent_path() / run_store_name;
  std::error_code error;
  if (!fs::exists(store, error)) return std::optional<RunLock>();
  auto lock = RunLock::take(store);
  if (!lock) return lock.why();
  return std::optional(std::move(lock).value());
}

}  // namespace cardan
