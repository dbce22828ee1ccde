#include "cardan/io/files.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "cardan/io/toml_tree.h"

namespace cardan {

namespace {

namespace fs = std::filesystem;

Diagnostic fault(std::string id,
                 const SourcePos& where,
                 std::string found,
                 std::string expected,
                 std::string hint = "") {
  Diagnostic d;
  d.id = std::move(id);
  d.where = where;
  d.found = std::move(found);
  d.expected = std::move(expected);
  d.hint = std::move(hint);
  return d;
}

Diagnostic too_large(const SourcePos& where, const std::string& name) {
  return fault("limit.file-size",
               where,
               fmt::format("the file {} of more than {} MB", name, limits::file_size >> 20),
               "a smaller file",
               "repeat parts with [[repeat]] and keep large tables in CSV files");
}

// A file beside it of nearly that name, or that name with an end.
std::string nearest_file(const fs::path& path) {
  constexpr int most = 1000;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".toml" && static_cast<int>(names.size()) < most)
      names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  std::string near;
  for (const std::string& name : names)
    if (fs::path(name).stem() == path.filename()) near = name;
  if (near.empty()) near = nearest_name(path.filename().string(), names);
  if (near.empty()) return "";
  return fmt::format("did you mean {}?", (path.parent_path() / near).string());
}

}  // namespace

Result<TextFile> read_text_file(const fs::path& path, const SourcePos& named_at) {
  const std::string name = path.string();
  SourcePos where = named_at;
  if (!where.file) where.file = std::make_shared<const std::string>(name);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return fault("io.open",
                 where,
                 fmt::format("no file {}", name),
                 "the path of a model file",
                 nearest_file(path));
  if (fs::is_directory(status))
    return fault("io.open", where, fmt::format("{}, which is a folder", name), "a file");
  if (!fs::is_regular_file(status))  // a pipe may never end, a device may do anything
    return fault("io.open", where, fmt::format("{}, which is not a plain file", name), "a file");
  const auto size = fs::file_size(path, error);
  if (!error && size > limits::file_size) return too_large(where, name);
  std::ifstream in(path, std::ios::binary);
  TextFile file{path, name, {}};
  std::string block(1u << 16, '\0');
  while (in && file.text.size() <= limits::file_size) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    file.text.append(block, 0, static_cast<std::size_t>(in.gcount()));
  }
  if (file.text.size() > limits::file_size) return too_large(where, name);
  if (!in.eof())
    return fault("io.open",
                 where,
                 fmt::format("{}, which cannot be read", name),
                 "a file that you may read");
  return file;
}

Result<fs::path> path_inside(const fs::path& root,
                             const fs::path& base,
                             const std::string& name,
                             const SourcePos& named_at) {
  const auto outside = [&](std::string why) {
    return fault("model.path-outside",
                 named_at,
                 fmt::format("\"{}\", {}", name, why),
                 "a file below the model's own folder",
                 "copy the file beside the model");
  };
  const fs::path given(name);
  if (root.empty()) return outside("but this model has no folder");
  if (name.empty() || name.find('\0') != std::string::npos) return outside("which is no file name");
  if (given.is_absolute()) return outside("an absolute path");
  if (std::find(given.begin(), given.end(), fs::path("..")) != given.end())
    return outside("a path with ..");
  std::error_code error;
  const fs::path top = fs::canonical(root, error);
  const fs::path whole = fs::weakly_canonical(base / given, error);
  if (error)
    return fault("io.open",
                 named_at,
                 fmt::format("no file \"{}\"", name),
                 "a file below the model's own folder");
  const auto [end, rest] = std::mismatch(top.begin(), top.end(), whole.begin(), whole.end());
  if (end != top.end()) return outside("a link that leads out of the folder");
  if (!fs::exists(whole, error))
    return fault("io.open",
                 named_at,
                 fmt::format("no file \"{}\"", name),
                 "a file below the model's own folder");
  if (!fs::is_regular_file(whole, error))
    return fault(
        "io.open", named_at, fmt::format("\"{}\", which is not a plain file", name), "a file");
  return base / given;
}

}  // namespace cardan
