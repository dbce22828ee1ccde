#include "cardan/results/manifest.h"

#include <ctime>
#include <fstream>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sys/utsname.h>

#include "cardan/results/hash.h"

namespace cardan {

namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace

std::string_view version() {
  return CARDAN_VERSION;
}

std::string time_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

nlohmann::ordered_json version_facts() {
  return {{"cardan", version()}, {"sqlite", sqlite3_libversion()}, {"compiler", __VERSION__}};
}

nlohmann::ordered_json host_facts() {
  utsname system{};
  uname(&system);
  return {{"system", fmt::format("{} {}", system.sysname, system.release)},
          {"machine", system.machine},
          {"processor", processor()},
          {"cores", std::thread::hardware_concurrency()}};
}

nlohmann::ordered_json make_manifest(const ModelSource& model,
                                     const nlohmann::ordered_json& settings) {
  nlohmann::ordered_json manifest;
  manifest["model"] = {{"path", model.path}, {"sha256", sha256(model.text)}, {"text", model.text}};
  auto& included = manifest["model"]["included"] = nlohmann::ordered_json::array();
  for (const auto& [name, text] : model.included)
    included.push_back({{"name", name}, {"sha256", sha256(text)}, {"text", text}});
  manifest["settings"] = settings;
  manifest["versions"] = version_facts();
  manifest["host"] = host_facts();
  manifest["started"] = time_now();
  return manifest;
}

}  // namespace cardan
