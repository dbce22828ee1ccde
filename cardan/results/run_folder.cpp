#include "cardan/results/run_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include <sys/stat.h>

#include "cardan/results/faults.h"

namespace cardan {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 8> run_files{run_store_name,
                                               "run.db-wal",
                                               "run.db-shm",
                                               "run.db-journal",
                                               "run.db.part",
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

Result<fs::path> prepare_run_folder(const fs::path& folder, bool force) {
  const auto run = find_run(folder);
  std::error_code error;
  const bool is_file = run && !fs::is_directory(folder, error);
  if (run && (!force || is_file)) return *run;
  fs::create_directories(folder, error);
  if (error) return write_fault(folder, error.message());
  for (const char* name : run_files) {
    fs::remove(folder / name, error);
    if (error) return write_fault(folder / name, error.message());
  }
  return folder;
}

Sink::Fault write_file(const fs::path& path, std::string_view content) {
  fs::path part = path;
  part += ".part";
  std::error_code error;
  errno = 0;
  {
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) {
      const std::string why = errno != 0 ? std::strerror(errno) : "the file was not written whole";
      fs::remove(part, error);
      return write_fault(path, why);
    }
  }
  fs::rename(part, path, error);
  if (error) return write_fault(path, error.message());
  return {};
}

}  // namespace cardan
