#pragma once
// The runs below a folder, each under an id that says nothing about where it lies. Whoever asks for
// a run gives an id; a path never comes from outside.
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cardan::app {

class RunList {
 public:
  // A run's folder, its run.db, or a folder with runs below it.
  explicit RunList(std::filesystem::path root);

  void refresh();  // looks for runs again

  std::optional<std::filesystem::path> find(const std::string& id) const;
  nlohmann::ordered_json describe() const;  // id, name, title, status, rows, t_end of each

  std::size_t size() const;

 private:
  std::filesystem::path root_;
  mutable std::mutex mutex_;
  std::map<std::string, std::filesystem::path> runs_;  // id -> run.db
};

}  // namespace cardan::app
