#pragma once
// A file with given bytes in a folder of its own, for as long as it lives. The folder is that of the
// process: making one for every input would take longer than reading it.
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "test/fuzz/harness.h"

namespace cardan::fuzz {

class Scratch {
 public:
  Scratch(const std::string& name, Bytes bytes) : path_(folder() / name) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }

  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  static const std::filesystem::path& folder() {
    static const struct Folder {
      std::filesystem::path path;

      Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "cardan-fuzz-XXXXXX").string();
        path = mkdtemp(name.data());
      }

      ~Folder() { std::filesystem::remove_all(path); }
    } made;

    return made.path;
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace cardan::fuzz
