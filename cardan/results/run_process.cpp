#include "cardan/results/run_process.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace cardan {

namespace {

// The 22nd field of /proc/PID/stat, or nothing. The second is a name in parentheses that may hold
// anything; after it the fields are plain. A process that has ended and was not yet waited for
// (state Z or X) writes nothing any more.
std::optional<std::int64_t> start_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return std::nullopt;
  for (int k = 4; k <= 21; ++k) fields >> field;
  std::int64_t start = 0;
  return fields >> start ? std::optional(start) : std::nullopt;
}

// This start of the system, and the space of process numbers that we see.
std::string system_of() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  std::error_code error;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", error);
  return boot.empty() || error ? "" : boot + " " + space.string();
}

}  // namespace

nlohmann::ordered_json process_facts() {
  const auto start = start_of(getpid());
  const std::string system = system_of();
  if (!start || system.empty()) return nlohmann::ordered_json::object();
  return {{"pid", getpid()}, {"start", *start}, {"system", system}};
}

std::optional<bool> still_there(const nlohmann::ordered_json& facts) {
  if (!facts.is_object() || !facts.contains("pid") || !facts["pid"].is_number_integer() ||
      !facts.contains("start") || !facts["start"].is_number_integer() ||
      !facts.contains("system") || facts["system"] != system_of() || system_of().empty())
    return std::nullopt;
  return start_of(facts["pid"].get<std::int64_t>()) == facts["start"].get<std::int64_t>();
}

}  // namespace cardan
