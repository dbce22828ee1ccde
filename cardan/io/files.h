#pragma once
// Files named in a model: only below the model's own folder, only plain files, only up to a size.
#include <filesystem>
#include <string>

#include "cardan/base/result.h"

namespace cardan {

struct TextFile {
  std::filesystem::path path;  // as found
  std::string name;            // as shown in messages
  std::string text;
};

// Reads a file of at most limits::file_size.
Result<TextFile> read_text_file(const std::filesystem::path& path, const SourcePos& named_at = {});

// The file `name`, written in a file of folder `base`, when it lies below `root`: no absolute
// paths, no "..", no links that lead out.
Result<std::filesystem::path> path_inside(const std::filesystem::path& root,
                                          const std::filesystem::path& base,
                                          const std::string& name,
                                          const SourcePos& named_at);

}  // namespace cardan
