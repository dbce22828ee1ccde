#pragma once
// Rows of the points of a sweep: one SQLite file for 256 points, samples/000256.db from point 256 on, with
// a table point(number, data). data: t and the channels of each row, doubles of 8 bytes, the lowest first.
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/results/database.h"

namespace cardan {

std::filesystem::path samples_folder(const std::filesystem::path& store);

class SampleFiles {
 public:
  explicit SampleFiles(std::filesystem::path folder);
  SampleFiles(SampleFiles&&) noexcept;
  SampleFiles& operator=(SampleFiles&&) noexcept;
  ~SampleFiles();

  std::optional<Diagnostic> add(long number, std::span<const double> rows);
  std::optional<Diagnostic> sync();

  static Result<std::vector<double>> read(const std::filesystem::path& folder, long number);

 private:
  struct File;
  std::filesystem::path folder_;
  std::map<long, std::unique_ptr<File>> open_;  // by the first point
};

}  // namespace cardan
