#pragma once
// Runs the built program as a user would and keeps what it said.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/places.h"

namespace cardan::test {

class Place {  // an empty folder to work in
 public:
  Place() {
    std::string name = (std::filesystem::temp_directory_path() / "cardan-cli-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }

  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  ~Place() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

struct Said {
  int code = -1;  // 128 + the signal when one ended it
  std::string out, err;
};

inline std::string program_path() {
  return std::string(test::binary_dir) + "/apps/cardan/cardan";
}

// Starts the program in the folder; its output goes to hidden files there.
inline pid_t start(const Place& place, const std::vector<std::string>& arguments) {
  const std::string program = program_path();
  const pid_t child = fork();
  if (child != 0) return child;
  if (chdir(place.path().c_str()) != 0) _exit(126);
  const auto redirect = [](const char* name, int to) {
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(file, to);
  };
  redirect(".stdout", STDOUT_FILENO);
  redirect(".stderr", STDERR_FILENO);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const auto& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(127);
}

inline Said finish(const Place& place, pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          content_of(place / ".stdout"),
          content_of(place / ".stderr")};
}

inline Said cardan(const Place& place, const std::vector<std::string>& arguments) {
  return finish(place, start(place, arguments));
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace cardan::test
