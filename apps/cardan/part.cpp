#include "part.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

namespace cardan::app {

namespace fs = std::filesystem;

Diagnostic become_part(const std::string& name, const std::vector<std::string>& arguments) {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  const std::array places{here / name, (here / CARDAN_PARTS_FROM_BIN / name).lexically_normal()};
  Diagnostic d;
  d.id = "io.no-part";
  for (const fs::path& program : places) {
    if (!fs::exists(program, error)) continue;
    std::vector<char*> words;
    std::string path = program.string();
    words.push_back(path.data());
    for (const std::string& argument : arguments)
      words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    execv(path.c_str(), words.data());
    d.found = fmt::format("{} cannot be started: {}", path, std::strerror(errno));
    return d;
  }
  d.found = fmt::format("{} is missing", name);
  d.expected = fmt::format("{} or {}", places[0].string(), places[1].string());
  return d;
}

}  // namespace cardan::app
