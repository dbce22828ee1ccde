#include "cardan/session/verify.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "cardan/results/faults.h"
#include "cardan/results/manifest.h"
#include "cardan/session/session.h"
#include "cardan/session/stored_run.h"

namespace cardan {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  Sink::Fault make() {
    std::error_code error;
    const fs::path place = fs::temp_directory_path(error);
    if (error) return write_fault("the folder for temporary files", error.message());
    std::string name = (place / "cardan-verify-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return write_fault(name, std::strerror(errno));
    path_ = name;
    return {};
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string text_at(const Json& manifest, const char* part, const char* key) {
  const Json of = manifest.value(part, Json::object());
  return of.is_object() && of.contains(key) && of[key].is_string() ? of[key].get<std::string>()
                                                                   : "";
}

std::string if_other(std::string stored, const Json& now, const char* key) {
  return now.at(key) == stored ? "" : std::move(stored);
}

}  // namespace

Result<Verification> verify_run(const std::string& run,
                                const std::string& keep,
                                const Control& control) {
  const auto stored = read_run(run);
  if (!stored) return stored.why();
  const Json& manifest = stored.value().manifest;
  Verification out;
  const std::string status = manifest.value("status", "");
  out.whole = status != "running" && status != "interrupted";
  out.other_version = if_other(text_at(manifest, "versions", "cardan"), version_facts(), "cardan");
  out.other_processor = if_other(text_at(manifest, "host", "processor"), host_facts(), "processor");
  TemporaryFolder temporary;
  OutputSetting output;
  output.report = false;
  output.folder = keep;
  if (keep.empty()) {
    if (const auto fault = temporary.make()) return *fault;
    output.folder = (temporary.path() / "run").string();
  }
  const auto again = run_stored_again(run, output, control);
  if (!again) return again.why();
  if (again.value().outcome.summary.status == "interrupted") {
    out.interrupted = true;
    return out;
  }
  const auto first = RunReader::open(run);
  if (!first) return first.why();
  const auto second = RunReader::open(output.folder);
  if (!second) return second.why();
  auto difference = difference_of(first.value(), second.value(), out.whole);
  if (!difference) return difference.why();
  out.difference = std::move(difference).value();
  return out;
}

}  // namespace cardan
