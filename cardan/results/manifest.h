#pragma once
// What a run was made from: the model's text and hash, every setting, versions and the machine.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace cardan {

std::string_view version();  // of Cardan: "0.1.0"

struct ModelSource {
  std::string path;
  std::string text;
  std::vector<std::pair<std::string, std::string>> included;  // name and text of further files
};

// {"model": {path, sha256, text, included: [{name, sha256, text}]}, "settings": as given,
// "versions", "host", "started"}. The settings are those the run uses, with all defaults filled in.
nlohmann::ordered_json make_manifest(const ModelSource&, const nlohmann::ordered_json& settings);

// A key that holds another kind of value than the manifest of a run, or nothing. Programs that read
// a run count on texts being texts and objects being objects.
const char* wrong_kind_in_manifest(const nlohmann::ordered_json&);

nlohmann::ordered_json version_facts();
nlohmann::ordered_json host_facts();
std::string time_now();  // UTC, "2024-05-31T12:00:00Z"

}  // namespace cardan
