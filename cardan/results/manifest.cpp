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

const char* wrong_kind_in_manifest(const nlohmann::ordered_json& manifest) {
  using Json = nlohmann::ordered_json;
  for (const char* key : {"started", "ended", "status", "title"})
    if (manifest.contains(key) && !manifest[key].is_string()) return key;
  for (const char* key : {"versions", "host", "process", "arguments"})
    if (manifest.contains(key) && !manifest[key].is_object()) return key;
  if (manifest.contains("resumed") && !manifest["resumed"].is_array()) return "resumed";
  if (manifest.contains("model") && manifest["model"].is_object()) {
    const Json& model = manifest["model"];
    for (const char* key : {"path", "text", "sha256"})
      if (model.contains(key) && !model[key].is_string()) return "model";
  } else if (manifest.contains("model") && !manifest["model"].is_string()) {
    return "model";
  }
  return nullptr;
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
