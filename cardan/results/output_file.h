#pragma once
// A file that is written whole or not at all: into a new file beside it, of a name that nobody has,
// which takes its place at the end. A device or a pipe is never replaced but written to.
#include <filesystem>
#include <memory>
#include <ostream>
#include <string_view>

#include "cardan/base/result.h"
#include "cardan/results/sink.h"

namespace cardan {

class OutputFile {
 public:
  static Result<OutputFile> open(const std::filesystem::path&);
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  // without keep(): nothing is left behind, nothing was replaced

  std::ostream& stream();
  Sink::Fault keep();

 private:
  class Buffer;
  OutputFile(std::filesystem::path path, std::filesystem::path part, int file);

  std::filesystem::path path_, part_;  // no part: it is written in place
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<std::ostream> stream_;
};

// A new empty file "NAME.xxxxxxxx.part" beside the one of this name: io.write.
Result<std::filesystem::path> new_part(const std::filesystem::path& beside);

// Removes parts that a killed process left beside the file of this name; who calls it holds the
// run's lock.
void remove_parts(const std::filesystem::path& beside);

// The whole text of a file at once.
Sink::Fault write_file(const std::filesystem::path&, std::string_view content);

}  // namespace cardan
