#pragma once
// Where a run is kept: a folder with run.db, summary.json, report.html and, when asked for,
// samples.csv.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "cardan/base/result.h"
#include "cardan/results/output_file.h"
#include "cardan/results/run_lock.h"
#include "cardan/results/sink.h"

namespace cardan {

inline constexpr const char* run_store_name = "run.db";
inline constexpr const char* summary_name = "summary.json";
inline constexpr const char* summary_key = "summary";  // the same in the store
inline constexpr const char* report_name = "report.html";
inline constexpr const char* samples_name = "samples.csv";

// The store of a run given as its folder or as the file itself.
std::filesystem::path run_file(const std::filesystem::path& run);

// What a model's runs are filed under: the file's name, or its folder's when the file is called
// model.toml.
std::string run_name(const std::filesystem::path& model);

// The same where runs of another file of that name, which is still there, are not in its folder <under>/<name>: with
// the name of the model's folder before it, or a number behind it.
std::string run_name_of_its_own(const std::filesystem::path& under,
                                const std::filesystem::path& model);

// A new folder <under>/<name>/<number>; the number counts up. Two processes never get the same one.
Result<std::filesystem::path> new_run_folder(const std::filesystem::path& under,
                                             std::string_view name);

// io.exists when the folder holds a run, or is a file.
Sink::Fault find_run(const std::filesystem::path& folder);

struct RunFolder {
  std::filesystem::path folder;
  RunLock lock;  // of its run
};

// The folder the user asked for, created if need be. A run that is there is io.exists, or removed
// with force, but never while another process writes it (io.busy); other files in the folder are
// never touched.
Result<RunFolder> prepare_run_folder(const std::filesystem::path&, bool force);

// For a file that is to be written: the lock of the run in its folder, where there is one.
Result<std::optional<RunLock>> lock_of_run_beside(const std::filesystem::path& file);

}  // namespace cardan
