#include "cardan/study/sample_files.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace cardan {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr long points_a_file = 256;
constexpr std::size_t most_open = 16;

long first_of(long number) {
  return number - number % points_a_file;
}

fs::path file_of(const fs::path& folder, long number) {
  return folder / fmt::format("{:06}.db", first_of(number));
}

}  // namespace

fs::path samples_folder(const fs::path& store) {
  return store.parent_path() / "samples";
}

struct SampleFiles::File {
  fs::path path;
  Database database;
  Statement insert;

  explicit File(fs::path place)
      : path(std::move(place)), database(path, Database::Access::create) {}
};

SampleFiles::SampleFiles(fs::path folder) : folder_(std::move(folder)) {}

SampleFiles::SampleFiles(SampleFiles&&) noexcept = default;
SampleFiles& SampleFiles::operator=(SampleFiles&&) noexcept = default;
SampleFiles::~SampleFiles() = default;

std::optional<Diagnostic> SampleFiles::add(long number, std::span<const double> rows) {
  auto& file = open_[first_of(number)];
  if (file == nullptr) {
    std::error_code error;
    fs::create_directories(folder_, error);
    file = std::make_unique<File>(file_of(folder_, number));
    if (!file->database.run(
            "CREATE TABLE IF NOT EXISTS point(number INTEGER PRIMARY KEY, data BLOB)") ||
        !file->database.run("BEGIN"))
      return store_fault(file->database, file->path, true);
    file->insert = Statement(file->database, "INSERT OR REPLACE INTO point VALUES(?, ?)");
  }
  file->insert.bind(static_cast<std::int64_t>(number)).bind(std::as_bytes(rows));
  if (!file->insert.run()) return store_fault(file->database, file->path, true);
  return open_.size() > most_open ? sync() : std::nullopt;
}

std::optional<Diagnostic> SampleFiles::sync() {
  for (const auto& [first, file] : open_)
    if (!file->database.run("COMMIT")) return store_fault(file->database, file->path, true);
  open_.clear();
  return {};
}

Result<std::vector<double>> SampleFiles::read(const fs::path& folder, long number) {
  const fs::path path = file_of(folder, number);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::vector<double>();
  const Database database(path, Database::Access::read);
  Statement one(database, "SELECT data FROM point WHERE number = ?");
  one.bind(static_cast<std::int64_t>(number));
  std::vector<double> out;
  if (one.row()) {
    const auto data = one.blob(0);
    out.resize(data.size() / sizeof(double));
    if (!out.empty()) std::memcpy(out.data(), data.data(), out.size() * sizeof(double));
  } else if (!one.done()) {
    return store_fault(database, path, false);
  }
  return out;
}

}  // namespace cardan
